import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { EXIT } from "../cli/Commands.ts"
export const interactive = (_line: CommandLine, _config: ConfigShape): Effect.Effect<number> =>
  Effect.succeed(EXIT.failed)
