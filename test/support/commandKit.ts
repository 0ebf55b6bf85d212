/** The program's commands over a store on a disk, without a process: words in, exit code and text out. */
import { Effect, Layer, Result } from "effect"
import { join } from "node:path"
import { dispatch } from "../../src/app/dispatch.ts"
import { Endings } from "../../src/app/endings.ts"
import { sessions } from "../../src/app/layers.ts"
import { choose } from "../../src/app/model.ts"
import { parse } from "../../src/cli/CommandLine.ts"
import { Interrupts } from "../../src/cli/Interrupts.ts"
import { Output } from "../../src/cli/Output.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { own } from "../../src/sandbox/ProcessIdentity.ts"
import { identityOf } from "../../src/sandbox/WorkspaceIdentity.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { captured } from "./capturedOutput.ts"
import type { Json } from "./httpKit.ts"
import { folder } from "./realSession.ts"
import { story, tell } from "./story.ts"

export const SECRET = "sk-test-0123456789-secret"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Standard output as JSON lines. */
  readonly json: ReadonlyArray<Json>
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
      const settings = cwd === undefined ? config : { ...config, workspace: cwd }
      const command: Effect.Effect<number, unknown, Output> = dispatch(line, settings)
      return command.pipe(
        Effect.catch((error) => {
          const { exit = 1, code, message } = error as Error & { readonly exit?: number; readonly code?: string }
          const told = code === undefined ? message : `${message} [${code}]`
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
              .map((one) => JSON.parse(one) as Json)
          }
        }))
      )
    })
  const store = layerSqlite(file)
  /** The program's own layers over the configured model. */
  const live = Layer.unwrap(
    Effect.map(Effect.orDie(Effect.fromResult(choose(config))), (choice) => sessions(config, choice))
  )
  return { live, claw, config, file, state_dir, store, workspace }
})

const words = { prompt: "please MEND the heron", result: "1 passing", answer: "The bird is whole." }

/** The same with three sessions: two told ones, and one that this process holds. */
export const stories = Effect.fnUntraced(function* (flags: ConfigFile = {}) {
  const made = yield* commandKit(flags)
  const { store, workspace } = made
  const workspace_id = identityOf(workspace) ?? ""
  yield* Effect.provide(
    Effect.gen(function* () {
      yield* tell("terminal-aa1", story(words), { workspace, workspace_id })
      yield* tell("terminal-ab2", story({ ...words, prompt: "another thing" }, "grant_b"), { workspace, workspace_id })
      yield* tell("terminal-held", [], { workspace, workspace_id, holder: own() })
    }),
    store
  )
  const list = () =>
    Effect.provide(
      Effect.flatMap(SessionIndex, (index) => index.list()),
      store
    )
  return { ...made, list, words }
})
