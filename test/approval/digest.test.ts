/** The gate and the registry digest a call alike, or no exact grant of a part would ever match (R154, SECURITY P12). */
import { assert, it } from "@effect/vitest"
import { Result, Schema, Effect } from "effect"
import { digestOf } from "../../src/approval/matching.ts"
import type { CallId } from "../../src/domain/Ids.ts"
import * as Tool from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"

it("digests agree", () => {
  const tool = Tool.make({
    name: "bash",
    description: "",
    parameters: Schema.Struct({ command: Schema.String, timeout_ms: Schema.optionalKey(Schema.Int) }),
    assess: () => Effect.die("unused"),
    run: () => Effect.die("unused")
  })
  const call = { call_id: "call_1" as CallId, tool_name: "bash", arguments: '{"timeout_ms":5, "command":"ls"}' }
  const resolved = Result.getOrThrow(ToolRegistry.make([tool]).resolve(call))
  assert.strictEqual(digestOf("bash", { command: "ls", timeout_ms: 5 }), resolved.digest)
})
