/** What the words of a command mean for a session: its directory, its id, what overrides the configuration. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { Effect, Result, Schema } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { SessionId } from "../domain/Ids.ts"
import { Failure } from "./failure.ts"

const why = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT") return "it does not exist"
  return code === "EACCES" ? "it may not be read" : "it is not a directory"
}

/** The real path of a directory that can be read. */
export const workspaceOf = (config: ConfigShape): Result.Result<string, Failure> =>
  Result.try({
    try: () => {
      const path = realpathSync(config.workspace)
      if (!statSync(path).isDirectory()) throw new Error("not a directory")
      accessSync(path, constants.R_OK | constants.X_OK)
      return path
    },
    catch: (error) =>
      new Failure({ exit: EXIT.usage, detail: `The workspace ${config.workspace} cannot be used: ${why(error)}.` })
  })

export const sessionIdOf = (text: string): Effect.Effect<SessionId, Failure> =>
  Schema.is(SessionId)(text)
    ? Effect.succeed(text)
    : Effect.fail(new Failure({ exit: EXIT.usage, detail: `"${text.slice(0, 40)}" is not a session id.` }))

/** What was said on the command line beats what a stored session remembers. */
export const overridesOf = ({ values }: CommandLine, config: ConfigShape) => ({
  ...(values["mode"] === undefined ? {} : { mode: config.mode }),
  ...(values["max-turns"] === undefined ? {} : { max_turns: config.limits.max_turns })
})
