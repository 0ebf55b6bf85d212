/** The program's commands over a store on a disk, without a process: words in, exit code and text out. */
import { Effect, Result } from "effect"
import { join } from "node:path"
import { dispatch } from "../../src/app/dispatch.ts"
import { Endings } from "../../src/app/endings.ts"
import { parse } from "../../src/cli/CommandLine.ts"
import { Interrupts } from "../../src/cli/Interrupts.ts"
import { Output } from "../../src/cli/Output.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { captured } from "./capturedOutput.ts"
import { folder } from "./realSession.ts"

export const SECRET = "sk-test-0123456789-secret"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Standard output as JSON lines. */
  readonly json: ReadonlyArray<any>
}

/** A machine with a state directory and a workspace; nothing is in its store yet. */
export const commandKit = Effect.fnUntraced(function* (flags: ConfigFile = {}) {
  const home = yield* folder("claw-home-")
  const workspace = yield* folder("claw-work-")
  const state_dir = join(home, "state")
  const env = { HOME: home, PATH: process.env["PATH"], OPENAI_API_KEY: SECRET, CLAW_MODEL: "m" }
  const config = Result.getOrThrow(load({ workspace, env, flags: { state_dir, ...flags } }))
  const file = join(state_dir, "claw.db")
  const claw = (...args: ReadonlyArray<string>): Effect.Effect<Ran> =>
    Effect.suspend(() => {
      const output = captured()
      const line = Result.getOrThrow(parse(args))
      const cwd = line.values["cwd"]
      const claimed = { claim: () => Effect.void }
      return dispatch(line, cwd === undefined ? config : { ...config, workspace: cwd }).pipe(
        Effect.catch((error) => {
          const { exit = 1, code } = error as { readonly exit?: number; readonly code?: string }
          const told = code === undefined ? error.message : `${error.message} [${code}]`
          return Effect.as(output.service.err(`claw: ${told}\n`), exit)
        }),
        Effect.provideService(Output, output.service),
        Effect.provideService(Interrupts, claimed),
        Effect.provideService(Endings, claimed),
        Effect.map((code) => ({
          code,
          out: output.out(),
          err: output.err(),
          get json() {
            return output
              .out()
              .trimEnd()
              .split("\n")
              .map((one) => JSON.parse(one) as unknown)
          }
        }))
      )
    })
  const store = layerSqlite(file)
  return { claw, config, file, state_dir, store, workspace }
})
