/** What the words of a command mean for a session: its directory, its id, what overrides the configuration. */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { Effect, Result, Schema } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { SessionId } from "../domain/Ids.ts"
import { type Failure, refusal } from "./failure.ts"

const whys = {
  missing: ["it does not exist", "它不存在"],
  unreadable: ["it may not be read", "无权读取"],
  other: ["it is not a directory", "它不是目录"]
} as const

const why = (error: unknown) => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return whys[code === "ENOENT" ? "missing" : code === "EACCES" ? "unreadable" : "other"]
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
    catch: (error) => {
      const [en, zh] = why(error)
      return refusal(
        `The workspace ${config.workspace} cannot be used: ${en}.`,
        `无法使用工作区 ${config.workspace}：${zh}。`
      )
    }
  })

export const noSessionId = (text: string): Failure => {
  const shown = text.slice(0, 40)
  return refusal(`"${shown}" is not a session id.`, `“${shown}”不是会话标识。`)
}

export const sessionIdOf = (text: string): Effect.Effect<SessionId, Failure> =>
  Schema.is(SessionId)(text) ? Effect.succeed(text) : Effect.fail(noSessionId(text))

/** What was said on the command line beats what a stored session remembers. */
export const overridesOf = ({ values }: CommandLine, config: ConfigShape) => ({
  ...(values["mode"] === undefined ? {} : { mode: config.mode }),
  ...(values["max-turns"] === undefined ? {} : { max_turns: config.limits.max_turns })
})
