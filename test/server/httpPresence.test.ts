/** What a request leaves behind: nothing where it only looked, its work's own end where it began some (SETTLED 2, 5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Attachments } from "../../src/channel/Attachments.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { layer, serve } from "../support/httpKit.ts"
import { endless, held } from "../support/streams.ts"

const at = { as: "member" }
const owner = { tenant: "acme", project: "p", user: "ann" }
const session_id = "s" as SessionId
const sessions = Effect.map(RuntimeManager, (manager) => manager.for(owner))
const emptied = Effect.flatMap(sessions, ({ count }) =>
  Effect.repeat(Effect.andThen(Effect.sleep(1), count), { until: (left) => left === 0 })
)
const ended = Effect.flatMap(sessions, ({ open }) =>
  Effect.flatMap(open(session_id), ({ state }) => Effect.map(state, ({ last }) => last?.status))
)
/** A client with a running task. */
const working = Effect.gen(function* () {
  const { hold } = yield* Attachments
  const create = { workspace: "/" }
  const one = yield* hold({ owner, session_id, create, answers: true, counts: true })
  yield* one.runtime.prompt({ content: "go" })
  return one
})

describe("a request at a session", () => {
  it.live("that only looks, or is refused, changes nothing when the client goes", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const one = yield* working
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/s", at)).status, 200)
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/s/approvals", at)).status, 200)
      const busy = yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "x" } })
      assert.strictEqual(busy.json.code, "session_busy")
      yield* one.leave("cancel")
      yield* emptied
      assert.strictEqual(yield* ended, "canceled")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => endless("a") })))
  )

  it.live("that steers the task keeps it until its end", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const http = yield* serve()
      const one = yield* working
      const body = { content: "x", when_busy: "steer" }
      assert.strictEqual((yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body })).status, 202)
      yield* one.leave("cancel")
      yield* a.go
      yield* emptied
      assert.strictEqual(yield* ended, "completed")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => a.stream })))
  })

  it.live("of who may not answer cannot have edits go unasked (R273)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const mode = "accept-edits"
      const made = (as: string) => http.ask("POST", "/api/sessions", { as, body: { mode } })
      assert.strictEqual((yield* made("requester")).json.code, "forbidden")
      const { json } = yield* made("member")
      assert.strictEqual(json.mode, mode)
      yield* http.ask("POST", "/api/sessions", { as: "requester", body: { session_id } })
      const set = { as: "requester", body: { name: "set_mode", mode } }
      assert.strictEqual((yield* http.ask("POST", "/api/sessions/s/command", set)).json.code, "forbidden")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => endless("a") })))
  )
})
