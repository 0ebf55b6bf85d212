/** Hooks of a person's as shell scripts, and a session of the real composition that they are asked about. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../../src/domain/Approval.ts"
import type { Durable, DurableEvent, DurableType } from "../../src/domain/Event.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { replay } from "../../src/eval/Replay.ts"
import { writeFiles } from "./directories.ts"
import * as FakeModel from "./fakeModel.ts"
import { calls } from "./fakeModelScript.ts"
import { answering, folder, layer, newSession } from "./realSession.ts"

export const WRITE = calls([{ name: "write_file", arguments: '{"path":"a.txt","content":"x"}' }])

interface Hooked {
  /** Event → the script of its hook; `$DIR` is a directory of the test's. */
  readonly hooks?: Readonly<Record<string, string>>
  readonly match?: string
  readonly mode?: "ask" | "accept-edits" | "never-ask"
}

const settings = (state: string, { hooks = {}, match }: Hooked) => ({
  hooks: Object.fromEntries(
    Object.keys(hooks).map((event) => [
      event,
      [
        {
          command: ["/bin/sh", join(state, `${event}.sh`)],
          ...(match === undefined ? {} : { match })
        }
      ]
    ])
  )
})

export const scene = Effect.fnUntraced(function* (hooked: Hooked) {
  const model = yield* FakeModel.make()
  const [state, workspace] = yield* Effect.all([folder("claw-home-"), folder("claw-ws-")])
  const scripts = Object.entries(hooked.hooks ?? {}).map(([event, body]) => [`${event}.sh`, `DIR=${state}\n${body}\n`])
  writeFiles(state, {
    ...Object.fromEntries(scripts),
    ".config/claw/config.json": JSON.stringify(settings(state, hooked))
  })
  const flags = { mode: hooked.mode ?? ("accept-edits" as const) }
  const own = Effect.suspend(() => Effect.succeed(layer({ base_url: model.base_url, workspace, state, flags })))
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(own, (parts) => Effect.provide(effect, parts))
  const file = (name: string) => readFileSync(join(state, name), "utf8")
  return { file, model, state, within, workspace, written: () => existsSync(join(workspace, "a.txt")) }
})

/** One prompt to its end. */
export const prompted = Effect.fnUntraced(function* (workspace: string, decision: Answer = "deny") {
  const session = yield* newSession(workspace)
  const facts = yield* answering(session, decision)
  const { task } = yield* session.prompt({ content: "do it" })
  const end = yield* task?.await ?? Effect.undefined
  const again = yield* replay(sessionKey(localOwner, session.session_id))
  assert.isUndefined(again.difference)
  const of = <T extends DurableType>(type: T) =>
    facts.filter((one): one is DurableEvent & Durable<T> => one.type === type)
  return { end, of }
})
