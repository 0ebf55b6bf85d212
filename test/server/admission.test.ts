/** Places for connections (R237): in all, by address, by principal; a refusal is typed and a place comes back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { connect } from "node:net"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"
import { ask, upgrade } from "../support/wsRaw.ts"

const until = (holds: () => boolean) =>
  Effect.retry(
    Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))),
    Schedule.spaced(5)
  )

describe("places for connections", () => {
  it.live("are told gone with a code on every transport, and come back", () =>
    Effect.gen(function* () {
      const { port, httpPort, admission } = yield* serve({ limit: { connections: 2 } })
      const first = yield* rawTcp(port)
      const { socket } = yield* upgrade(httpPort)
      yield* until(() => admission.count() === 2)
      const third = yield* rawTcp(port)
      const { error, type } = JSON.parse(yield* third.line)
      assert.deepStrictEqual(
        [type, error],
        ["error", { code: "too_many_connections", message: "Too many connections.", retryable: true }]
      )
      assert.strictEqual(yield* third.ended, "end")
      assert.strictEqual((yield* upgrade(httpPort)).status, 429)
      const answer = yield* ask({ port: httpPort, path: "/healthz" })
      assert.deepStrictEqual(
        [answer.status, JSON.parse(answer.body).code, answer.headers["retry-after"]],
        [429, "too_many_connections", "1"]
      )
      first.socket.destroy()
      socket?.destroy()
      yield* until(() => admission.count() === 0)
      assert.strictEqual((yield* ask({ port: httpPort, path: "/healthz" })).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("are told gone also to a crowd that comes at once, of which nobody is only closed", () =>
    Effect.gen(function* () {
      const { port, httpPort, admission } = yield* serve({ limit: { connections: 1 } })
      yield* rawTcp(port)
      yield* until(() => admission.count() === 1)
      const silent = (length: number) => Effect.forEach(Array.from({ length }), () => rawTcp(httpPort))
      yield* silent(20)
      assert.strictEqual((yield* upgrade(httpPort)).status, 429)
      // More than are let stay until they have said what they want.
      yield* silent(60)
      const { line } = yield* rawTcp(port)
      assert.strictEqual(JSON.parse(yield* line).error.code, "too_many_connections")
    }).pipe(Effect.scoped)
  )

  it.live("are counted by address", () =>
    Effect.gen(function* () {
      const { port, admission } = yield* serve({ limit: { connections_per_address: 1 } })
      yield* rawTcp(port)
      yield* until(() => admission.count() === 1)
      const second = yield* rawTcp(port)
      assert.strictEqual(JSON.parse(yield* second.line).error.code, "too_many_connections")
      const elsewhere = yield* rawTcp(port, (to) => connect({ port: to, host: "127.0.0.1", localAddress: "127.0.0.2" }))
      yield* elsewhere.write("hi\n")
      assert.strictEqual(yield* elsewhere.line, '{"got":"hi"}')
    }).pipe(Effect.scoped)
  )

  it.live("are counted by the addresses behind a proxy", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({
        server: { trusted_proxies: ["127.0.0.1"] },
        limit: { connections_per_address: 1 }
      })
      const from = (address: string) => upgrade(httpPort, { "x-forwarded-for": address })
      const sockets = [yield* from("198.51.100.1"), yield* from("198.51.100.2")]
      assert.deepStrictEqual(
        sockets.map(({ status }) => status),
        [101, 101]
      )
      assert.strictEqual((yield* from("198.51.100.1")).status, 429)
      sockets.forEach(({ socket }) => socket?.destroy())
    }).pipe(Effect.scoped)
  )

  it.live("are counted by principal", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({ limit: { connections_per_principal: 1 } })
      const first = yield* upgrade(httpPort)
      assert.strictEqual((yield* upgrade(httpPort)).status, 429)
      first.socket?.destroy()
      yield* Effect.retry(
        Effect.flatMap(upgrade(httpPort), ({ status, socket }) => {
          socket?.destroy()
          return status === 101 ? Effect.void : Effect.fail(status)
        }),
        Schedule.spaced(5)
      )
    }).pipe(Effect.scoped)
  )
})

describe("a slow request", () => {
  it.live("whose headers do not end is cut off", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({ limit: { handshake_ms: 60, read_ms: 60 } })
      const peer = yield* rawTcp(httpPort)
      yield* peer.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
      assert.match(yield* peer.rest, /^HTTP\/1\.1 408 /)
    }).pipe(Effect.scoped)
  )
})
