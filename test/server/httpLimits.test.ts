/** What one principal may have of HTTP at once, and what a request is answered with (R208, R233, R237; RFC 9110 §12.5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { answer, turns } from "../support/engineKit.ts"
import { layer, serve } from "../support/httpKit.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"

const at = { as: "member" }
const EVENTS = "/api/sessions/s/events"
const quick = (limit: NonNullable<ConfigFile["limit"]> = {}) =>
  layer({ script: () => turns(answer("hello")) }, { limit })

const made = Effect.gen(function* () {
  const http = yield* serve()
  yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
  return http
})

describe("HTTP of one principal", () => {
  it.live("has so many event streams, and one more when one has ended", () =>
    Effect.gen(function* () {
      const http = yield* made
      const first = yield* http.events(EVENTS, at)
      yield* first.until(({ type }) => type === "status")
      const headers = { accept: "text/event-stream" }
      const second = yield* http.ask("GET", EVENTS, { ...at, headers })
      assert.deepStrictEqual([second.status, second.json.code], [429, "too_many_connections"])
      yield* http.ask("DELETE", "/api/sessions/s", at)
      yield* first.ended
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const third = yield* http.events(EVENTS, at)
      yield* third.until(({ type }) => type === "status")
    }).pipe(Effect.scoped, Effect.provide(quick({ connections_per_principal: 1 })))
  )

  it.live("has so many requests in a second, and is told how long to wait", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const me = () => http.ask("GET", "/api/me", at)
      yield* me()
      yield* me()
      const third = yield* me()
      assert.deepStrictEqual([third.status, third.json.code], [429, "rate_limited"])
      assert.isAtLeast(third.json.retry_after_ms, 1)
      assert.strictEqual((yield* http.ask("GET", "/api/me", { as: "eve" })).status, 200)
      yield* Effect.sleep(third.json.retry_after_ms)
      assert.strictEqual((yield* me()).status, 200)
    }).pipe(Effect.scoped, Effect.provide(quick({ requests_per_second: 2 })))
  )
})

describe("the events of a session", () => {
  it.live("are told of by HEAD, which ends and is nobody's presence", () =>
    Effect.gen(function* () {
      const http = yield* made
      const headers = { accept: "text/event-stream" }
      const head = yield* http.ask("HEAD", EVENTS, { ...at, headers })
      assert.deepStrictEqual([head.status, head.headers["content-type"], head.text], [200, "text/event-stream", ""])
      const unknown = yield* http.ask("HEAD", "/api/sessions/none/events", { ...at, headers })
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/s", at)).json.counters.attached, 0)
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  const table: ReadonlyArray<readonly [accept: string, status: number]> = [
    ["application/json, text/event-stream;q=0", 200],
    ["APPLICATION/JSON", 200],
    ["text/event-stream;q=0.1, application/json;q=0.2", 200],
    ["application/*", 200],
    ["image/png", 406],
    ["*/*;q=0", 406]
  ]
  for (const [accept, status] of table) {
    it.live(`come as their reader wants them: ${accept}`, () =>
      Effect.gen(function* () {
        const http = yield* made
        const got = yield* http.ask("GET", EVENTS, { ...at, headers: { accept } })
        const told = status === 200 ? got.json.events : got.json.code
        assert.deepStrictEqual([got.status, told], [status, status === 200 ? [] : "not_acceptable"])
      }).pipe(Effect.scoped, Effect.provide(quick()))
    )
  }

  it.live("come as a stream where that is as welcome as a page, or more", () =>
    Effect.gen(function* () {
      const http = yield* made
      for (const accept of ["*/*", "application/json, text/event-stream", "TEXT/Event-Stream", "text/*"]) {
        const stream = yield* http.events(EVENTS, { ...at, headers: { accept } })
        assert.strictEqual(stream.headers["content-type"], "text/event-stream")
        yield* stream.close
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )
})

describe("a session's queue", () => {
  it.live("is told full where nothing more may wait, by HTTP too", () =>
    Effect.gen(function* () {
      const http = yield* made
      const say = (content: string) =>
        http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content, when_busy: "queue" } })
      yield* say("go")
      for (const content of ["1", "2", "3"]) assert.strictEqual((yield* say(content)).status, 202)
      const refused = yield* say("4")
      assert.deepStrictEqual([refused.status, refused.json.code, refused.json.retryable], [429, "queue_full", true])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => Stream.never })))
  )
})
