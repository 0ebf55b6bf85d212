/** TLS of both listeners, and a renewed certificate without a restart (R236; R177, R232). */
import { assert, describe, it } from "@effect/vitest"
import { get } from "node:https"
import { connect } from "node:tls"
import { writeFileSync } from "node:fs"
import { Effect, Layer, Queue, References, Schedule } from "effect"
import * as Logger from "effect/Logger"
import { WebSocket } from "ws"
import * as Tls from "../../src/server/Tls.ts"
import { certificate, certificateFiles } from "../support/certificates.ts"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"

const LOOK_MS = 20

/** Common name of the certificate that a new connection is shown. */
const shown = (port: number) =>
  Effect.callback<string>((resume) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      const name = String(socket.getPeerCertificate().subject.CN)
      socket.destroy()
      resume(Effect.succeed(name))
    })
    socket.on("error", (error) => resume(Effect.die(error)))
  })

const becomes = (port: number, name: string) =>
  Effect.retry(
    Effect.flatMap(shown(port), (now) => (now === name ? Effect.void : Effect.fail(now))),
    Schedule.spaced(10)
  )

const secured = Effect.gen(function* () {
  const files = yield* certificateFiles
  yield* files.put(yield* certificate("one"))
  const { tls_cert, tls_key } = files
  const server = yield* serve({ server: { tls_cert, tls_key }, tls: Layer.effect(Tls.Tls, Tls.make(files, LOOK_MS)) })
  return { ...server, files }
})

describe("TLS", () => {
  it.live("speaks JSON lines, and a half-closed peer is still answered", () =>
    Effect.gen(function* () {
      const { port, listener } = yield* secured
      const peer = yield* rawTcp(port, (to) => connect({ port: to, host: "127.0.0.1", rejectUnauthorized: false }))
      peer.socket.end("hello\n")
      assert.strictEqual(yield* peer.rest, '{"got":"hello"}\n')
      assert.match(listener.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    }).pipe(Effect.scoped)
  )

  it.live("carries requests and WebSockets, which have their places too", () =>
    Effect.gen(function* () {
      const { httpPort, admission, channels } = yield* secured
      const status = yield* Effect.callback<number | undefined>((resume) => {
        const asked = get({ host: "127.0.0.1", port: httpPort, path: "/x", rejectUnauthorized: false, agent: false })
        asked.on("response", ({ statusCode }) => resume(Effect.succeed(statusCode)))
      })
      assert.strictEqual(status, 404)
      const ws = new WebSocket(`wss://127.0.0.1:${httpPort}/ws`, { rejectUnauthorized: false })
      ws.on("error", () => undefined)
      ws.on("open", () => ws.send("hi"))
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "frame", text: "hi" })
      ws.terminate()
      yield* Effect.retry(
        Effect.suspend(() => (admission.count() === 0 ? Effect.void : Effect.fail("open"))),
        Schedule.spaced(5)
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes a renewed certificate on both ports, and keeps the old one while the new is bad", () => {
    const lines: Array<unknown> = []
    const log = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const { port, httpPort, files, channels } = yield* secured
      assert.deepStrictEqual([yield* shown(port), yield* shown(httpPort)], ["one", "one"])
      const peer = yield* rawTcp(port, (to) => connect({ port: to, host: "127.0.0.1", rejectUnauthorized: false }))
      yield* peer.write("before\n")
      yield* Queue.take(channels.inbound)
      writeFileSync(files.tls_cert, "not a certificate")
      yield* Effect.retry(
        Effect.suspend(() => (lines.length > 0 ? Effect.void : Effect.fail("not seen"))),
        Schedule.spaced(10)
      )
      assert.deepStrictEqual([yield* shown(port), yield* shown(httpPort)], ["one", "one"])
      yield* files.put(yield* certificate("two"))
      yield* becomes(port, "two")
      yield* becomes(httpPort, "two")
      yield* peer.write("after\n")
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "frame", text: "after" })
    }).pipe(
      Effect.scoped,
      Effect.provide(Logger.layer([log])),
      Effect.provideService(References.MinimumLogLevel, "Warn")
    )
  })

  it.live("needs both files, which belong together", () =>
    Effect.gen(function* () {
      const files = yield* certificateFiles
      const [one, two] = [yield* certificate("one"), yield* certificate("two")]
      const sentence = (given: Parameters<typeof Tls.make>[0]) =>
        Effect.map(Effect.flip(Effect.scoped(Tls.make(given))), ({ detail }) => detail)
      assert.strictEqual(
        yield* sentence({ tls_cert: files.tls_cert }),
        "server.tls_cert needs server.tls_key: both or neither."
      )
      assert.match(yield* sentence(files), /^The certificate .+ and key .+ cannot be used: ENOENT/)
      yield* files.put({ cert: one.cert, private: two.private })
      assert.match(yield* sentence(files), /cannot be used: .*key values mismatch/)
    }).pipe(Effect.scoped)
  )
})
