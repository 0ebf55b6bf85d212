/** What waits is bounded and counted, in both directions and on both transports (R186, W023, LESSONS 40). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Schedule } from "effect"
import { WebSocket } from "ws"
import type { Connection } from "../../src/channel/Connection.ts"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"

/** Kernel buffers of both ends on loopback hold a few megabytes at most. */
const MANY = 24 * 1024 * 1024

/** Waits for what no event tells: the peer's system has taken all it will. */
const still = (value: () => number) =>
  Effect.gen(function* () {
    const before = value()
    yield* Effect.sleep(30)
    return before === value() ? before : yield* Effect.fail("still moving")
  }).pipe(Effect.retry(Schedule.recurs(500)))

const wsPeer = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const ws = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false })
      ws.on("error", () => undefined)
      ws.once("open", () => resume(Effect.succeed(ws)))
    }),
    (ws) => Effect.sync(() => ws.terminate())
  )

const drained = (connection: Connection) =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<void>()
    connection.onDrain(() => Deferred.doneUnsafe(done, Effect.void))
    return Deferred.await(done)
  })

describe("a peer that does not read", () => {
  it.live("costs what buffered() says; reading again drains it (TCP)", () =>
    Effect.gen(function* () {
      const { port, channels } = yield* serve()
      const peer = yield* rawTcp(port)
      const connection = yield* Queue.take(channels.served)
      const empty = yield* drained(connection)
      peer.socket.pause()
      for (let i = 0; i < 8; i++) connection.send("世".repeat(1_000_000))
      assert.strictEqual(connection.buffered(), 8 * 3_000_001)
      const left = yield* still(connection.buffered)
      assert.isAbove(left, 8_000_000)
      peer.socket.resume()
      yield* empty
      assert.strictEqual(connection.buffered(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("costs what buffered() says; reading again drains it (WebSocket)", () =>
    Effect.gen(function* () {
      const { httpPort, channels } = yield* serve()
      const ws = yield* wsPeer(httpPort)
      const connection = yield* Queue.take(channels.served)
      const empty = yield* drained(connection)
      ws.pause()
      for (let i = 0; i < 8; i++) connection.send("世".repeat(1_000_000))
      assert.strictEqual(connection.buffered(), 24_000_000)
      assert.isAbove(yield* still(connection.buffered), 8_000_000)
      ws.resume()
      yield* empty
      assert.strictEqual(connection.buffered(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("is cut off write_ms after a close, and nobody waits longer (TCP and WebSocket)", () =>
    Effect.gen(function* () {
      const { port, httpPort, channels, admission } = yield* serve({ limit: { write_ms: 100 } })
      const peer = yield* rawTcp(port)
      const tcp = yield* Queue.take(channels.served)
      const ws = yield* wsPeer(httpPort)
      const web = yield* Queue.take(channels.served)
      peer.socket.pause()
      ws.pause()
      for (const connection of [tcp, web]) {
        connection.send("x".repeat(MANY))
        yield* connection.close({ code: 4008, reason: "slow_consumer" })
      }
      assert.strictEqual(web.buffered(), 0)
      assert.deepStrictEqual(yield* tcp.receive, { kind: "end", by: "server" })
      yield* Effect.retry(
        Effect.suspend(() => (admission.count() === 0 ? Effect.void : Effect.fail("open"))),
        Schedule.spaced(10)
      )
    }).pipe(Effect.scoped)
  )
})

describe("a session that does not pull", () => {
  it.live("holds a TCP peer back; nothing is lost", () =>
    Effect.gen(function* () {
      const { port, channels } = yield* serve()
      yield* channels.hold
      const peer = yield* rawTcp(port)
      const connection = yield* Queue.take(channels.served)
      const line = `${"y".repeat(60_000)}\n`
      const count = 500
      let sent = 0
      const all = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: count }),
          () => Effect.tap(peer.write(line), () => Effect.sync(() => sent++)),
          {
            discard: true
          }
        )
      )
      assert.isBelow(yield* still(() => sent), count)
      assert.strictEqual(connection.silentMs(), 0)
      peer.socket.on("data", () => undefined)
      yield* channels.release
      yield* Fiber.join(all)
      yield* Queue.takeBetween(channels.inbound, count, count)
    }).pipe(Effect.scoped)
  )

  it.live("holds a WebSocket peer back; nothing is lost", () =>
    Effect.gen(function* () {
      const { httpPort, channels } = yield* serve()
      yield* channels.hold
      const ws = yield* wsPeer(httpPort)
      yield* Queue.take(channels.served)
      const count = 500
      for (let i = 0; i < count; i++) ws.send("y".repeat(60_000))
      assert.isAbove(yield* still(() => ws.bufferedAmount), 0)
      yield* channels.release
      yield* Queue.takeBetween(channels.inbound, count, count)
    }).pipe(Effect.scoped)
  )
})
