/** An event stream ends with the right to read it and with its session (R273, attack W013, SETTLED 23). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Metric, Stream } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { Principal } from "../../src/domain/Principal.ts"
import { answer, turns } from "../support/engineKit.ts"
import { type EventStream, type Http, type Json, layer, serve } from "../support/httpKit.ts"

const at = { as: "member" }
const PATH = "/api/sessions/s/events"

const isolated = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const attachedAs = (http: Http, as: string) =>
  Effect.gen(function* () {
    const stream = yield* http.events(PATH, { as })
    yield* stream.until(({ type }) => type === "status")
    return stream
  })

/** Streams that the server still counts. */
const open = (http: Http) =>
  Effect.map(http.ask("GET", "/metrics", { as: "admin" }), ({ text }) =>
    Number(/^claw_connections\{transport="sse"\} (\d+)$/m.exec(text)?.[1])
  )

const types = ({ messages }: EventStream) => messages.map(({ event }) => event.type)

describe("an event stream", () => {
  it.live("ends when the token behind it is revoked, and no other does", () => {
    const revoked = Deferred.makeUnsafe<void>()
    const ends = ({ name }: Principal) => (name === "viewer" ? Deferred.await(revoked) : Effect.never)
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const [viewer, member] = [yield* attachedAs(http, "viewer"), yield* attachedAs(http, "member")]
      assert.strictEqual(yield* open(http), 2)
      yield* Deferred.succeed(revoked, undefined)
      yield* viewer.ended
      yield* Effect.repeat(open(http), { until: (count) => count === 1 })
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } })
      yield* member.until(({ type }) => type === "task_completed")
      assert.notInclude(types(viewer), "task_started")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("hello")) }, {}, [], ends)), isolated)
  })

  it.live("ends when its session is removed, behind the end of its task", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const [one, two] = [yield* attachedAs(http, "viewer"), yield* attachedAs(http, "member")]
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } })
      yield* one.until(({ type }) => type === "thinking")
      assert.strictEqual((yield* http.ask("DELETE", "/api/sessions/s", at)).status, 204)
      for (const stream of [one, two]) {
        yield* stream.ended
        const last: Json = stream.messages.findLast(({ id }) => id !== undefined)?.event
        assert.strictEqual(last?.type, "task_canceled")
      }
      yield* Effect.repeat(open(http), { until: (count) => count === 0 })
      assert.strictEqual((yield* http.ask("GET", PATH, at)).status, 404)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => Stream.never })), isolated)
  )

  it.live("is told the deadline when the server drains, also one that comes late, and is waited for (R240, R295)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const channels = yield* Channels
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const [one, two] = [yield* attachedAs(http, "viewer"), yield* attachedAs(http, "member")]
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } })
      yield* one.until(({ type }) => type === "thinking")
      yield* channels.drain(Date.parse("2026-11-29T20:25:38.310Z"))
      const late = yield* http.events(PATH, at)
      for (const stream of [one, two, late]) {
        const { ts, ...told } = yield* stream.until(({ type }) => type === "draining")
        assert.deepStrictEqual(told, { v: 1, session_id: "s", type: "draining", deadline: "2026-11-29T20:25:38.310Z" })
        assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.isUndefined(stream.messages.find(({ event }) => event.type === "draining")?.id)
      }
      assert.strictEqual(yield* open(http), 3)
      yield* channels.closeAll
      assert.strictEqual(yield* open(http), 0)
      for (const stream of [one, two, late]) {
        yield* stream.ended
        assert.deepStrictEqual(
          types(stream).filter((type) => type === "draining"),
          ["draining"]
        )
        assert.notInclude(types(stream), "task_canceled")
      }
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => Stream.never })), isolated)
  )
})
