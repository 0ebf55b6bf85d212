/** `claw protocol`: the wire as a page or as JSON Schemas. Owns: which of the two is printed. */
import { Effect } from "effect"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { serverDefaults } from "../config/ServerSettings.ts"
import { jsonSchemas, reference } from "../protocol/Reference.ts"

export const showProtocol = Effect.fnUntraced(function* (schema: boolean) {
  const output = yield* Output
  yield* output.out(schema ? `${JSON.stringify(jsonSchemas(), undefined, 2)}\n` : reference(serverDefaults.limit))
  return EXIT.done
})
