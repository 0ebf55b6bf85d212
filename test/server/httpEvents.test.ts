/** A session's events over HTTP: pages, streams, resuming, a reader that is too slow. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { completed, answer, text, turns } from "../support/engineKit.ts"
import { type Json, layer, serve } from "../support/httpKit.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"

const at = { as: "member" }

/** Answers in pieces; the second half waits for `go`. */
const halves = (go: Deferred.Deferred<void>) =>
  turns(
    Stream.concat(
      Stream.fromArray<ModelPart>(text("one ", "two ")),
      Stream.concat(
        Stream.drain(Stream.fromEffect(Deferred.await(go))),
        Stream.fromArray<ModelPart>([...text("three ", "four"), completed("one two three four")])
      )
    )
  )

const ids = (messages: ReadonlyArray<{ readonly id: string | undefined }>) =>
  messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
const count = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

describe("events over HTTP", () => {
  it.live("resume by Last-Event-ID without a gap while a task streams", () => {
    const go = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const first = yield* http.events("/api/sessions/s/events", at)
      assert.strictEqual(first.headers["content-type"], "text/event-stream")
      yield* first.until((event) => event.type === "status")
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "count" } })
      yield* first.until((event) => event.type === "text_delta" && event.content.includes("two"))
      yield* first.close
      const last = ids(first.messages).at(-1)!
      const second = yield* http.events("/api/sessions/s/events", {
        ...at,
        headers: { "last-event-id": String(last) }
      })
      const caughtUp = yield* second.until((event) => event.type === "text_delta")
      assert.deepStrictEqual([caughtUp.offset, caughtUp.content], [0, "one two "])
      yield* Deferred.succeed(go, undefined)
      yield* second.until((event) => event.type === "task_completed")
      const seen = [...ids(first.messages), ...ids(second.messages)]
      assert.deepStrictEqual(seen, count(seen.length))
      const facts = second.messages.map(({ event }) => event)
      const streamed = facts.filter((event) => event.type === "text_delta").map((event) => event.content)
      assert.strictEqual(streamed.join(""), "one two three four")
      assert.isTrue(second.messages.every(({ id, event }) => id === event.seq?.toString()))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => halves(go) })))
  })

  it.live("are pages of the same facts where JSON is asked for", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const stream = yield* http.events("/api/sessions/s/events", at)
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } })
      yield* stream.until((event) => event.type === "task_completed")
      const page = (query: string) =>
        http.ask("GET", `/api/sessions/s/events?${query}`, { ...at, headers: { accept: "application/json" } })
      const all = yield* page("")
      const facts = stream.messages.filter(({ id }) => id !== undefined).map(({ data }) => data)
      assert.deepStrictEqual(
        all.json.events.map((event: unknown) => JSON.stringify(event)),
        facts
      )
      assert.deepStrictEqual([all.json.next_after, all.json.more, all.json.damaged], [facts.length, false, 0])
      const two = yield* page("after=1&limit=2")
      assert.deepStrictEqual(
        two.json.events.map((event: Json) => event.seq),
        [2, 3]
      )
      assert.deepStrictEqual([two.json.next_after, two.json.more], [3, true])
      const ahead = yield* page("after=99")
      assert.deepStrictEqual([ahead.status, ahead.json.code], [416, "position_ahead"])
      const stranger = yield* http.ask("GET", "/api/sessions/s/events?after=99", at)
      assert.deepStrictEqual([stranger.status, stranger.json.code], [416, "position_ahead"])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("hello")) })))
  )

  it.live("send a comment while nothing happens", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const { hostname, port } = new URL(http.origin)
      const beat = Effect.callback<string>((resume) => {
        const socket = connect(Number(port), hostname)
        let seen = ""
        socket.on("data", (chunk) => {
          seen += String(chunk)
          if (seen.includes("\n:\n\n")) resume(Effect.succeed(seen))
        })
        socket.write("GET /api/sessions/s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n")
        return Effect.sync(() => socket.destroy())
      })
      assert.include(yield* beat, "text/event-stream")
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(answer("hello")) }, { limit: { heartbeat_ms: 10 } }))
    )
  )

  it.live("cut a reader off that does not read; others and the task go on", () => {
    const piece = "x".repeat(60_000)
    const flood = turns(
      Stream.fromArray<ModelPart>([...text(...Array.from({ length: 100 }, () => piece)), completed(piece.repeat(100))])
    )
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const { hostname, port } = new URL(http.origin)
      const gone = Deferred.makeUnsafe<void>()
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => connect(Number(port), hostname)),
        (open) => Effect.sync(() => open.destroy())
      )
      socket.on("error", () => {})
      socket.once("close", () => Deferred.doneUnsafe(gone, Effect.void))
      const begun = Effect.callback<void>((resume) => {
        socket.once("data", () => {
          socket.pause()
          resume(Effect.void)
        })
      })
      socket.write("GET /api/sessions/s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n")
      yield* begun
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "flood" } })
      const shown = Effect.map(http.ask("GET", "/api/sessions/s", at), ({ json }) => json)
      const last = yield* Effect.repeat(shown, { until: ({ state }: Json) => state === "idle" })
      const other = yield* http.events("/api/sessions/s/events", at)
      yield* other.until((event) => event.seq === last.position)
      const metrics = yield* http.ask("GET", "/metrics", { as: "admin" })
      assert.match(metrics.text, /^claw_slow_consumers_total [1-9]/m)
      socket.resume()
      yield* Deferred.await(gone)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => flood }, { limit: { outbox_bytes: 65_536, write_ms: 60_000 } }))
    )
  })

  it.live("cut a reader off that stalls in its replay", () => {
    // More than the system holds between the two of them.
    const said = "x".repeat(15_000_000)
    const flood = turns(Stream.fromArray<ModelPart>([...text(said), completed(said)]))
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "flood" } })
      const shown = Effect.map(http.ask("GET", "/api/sessions/s", at), ({ json }) => json)
      yield* Effect.repeat(shown, { until: ({ state, position }: Json) => state === "idle" && position > 3 })
      const { hostname, port } = new URL(http.origin)
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => connect(Number(port), hostname)),
        (open) => Effect.sync(() => open.destroy())
      )
      socket.on("error", () => {}).pause()
      socket.write("GET /api/sessions/s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n")
      const metrics = Effect.map(http.ask("GET", "/metrics", { as: "admin" }), ({ text }) => text)
      yield* Effect.repeat(metrics, { until: (page) => /^claw_slow_consumers_total [1-9]/m.test(page) })
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => flood }, { limit: { write_ms: 300 } })))
  })
})
