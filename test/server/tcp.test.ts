/** TCP peers as Connections: framing, both halves, resets, times (R169–R171, H11, R001–R007, LESSONS 38–40). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"

const got = (text: string) => JSON.stringify({ got: text })
const error = (code: string) => JSON.stringify({ type: "error", error: { code } })

describe("a TCP peer", () => {
  it.live("is answered a line for a line, however its bytes are cut (H11)", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      const peer = yield* rawTcp(port)
      const other = yield* rawTcp(port)
      const nonce = Buffer.from('{"type":"ping","nonce":"p-é🌍"}\n\n')
      yield* peer.write(Buffer.concat([Buffer.from('{"type":"ping","nonce":"p1"}\n'), nonce.subarray(0, 27)]))
      assert.strictEqual(yield* peer.line, got('{"type":"ping","nonce":"p1"}'))
      yield* peer.write(nonce.subarray(27))
      assert.strictEqual(yield* peer.line, got('{"type":"ping","nonce":"p-é🌍"}'))
      yield* peer.write('[1,2]\n{"type":"no_such_type"}\n{"type":"ping","nonce":"p3"}\r')
      assert.strictEqual(yield* peer.line, got("[1,2]"))
      assert.strictEqual(yield* peer.line, got('{"type":"no_such_type"}'))
      yield* peer.write('\n{"type":"ping","nonce":"p4"}')
      assert.strictEqual(yield* peer.line, got('{"type":"ping","nonce":"p3"}'))
      peer.socket.end()
      assert.strictEqual(yield* peer.line, error("bad_json"))
      assert.strictEqual(yield* peer.ended, "end")
      yield* other.write("still here\n")
      assert.strictEqual(yield* other.line, got("still here"))
    }).pipe(Effect.scoped)
  )

  it.live("that closes its half is still written to, then ended", () =>
    Effect.gen(function* () {
      const { port, channels } = yield* serve()
      const peer = yield* rawTcp(port)
      peer.socket.end('{"type":"say","bytes":300000}\n')
      assert.strictEqual((yield* peer.rest).length, 300_001)
      assert.strictEqual(yield* peer.ended, "end")
      assert.deepStrictEqual(Array.from(yield* Queue.takeBetween(channels.inbound, 2, 2)), [
        { kind: "frame", text: '{"type":"say","bytes":300000}' },
        { kind: "end", by: "half" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("that resets the connection has gone, as one that closes it (SETTLED 2)", () =>
    Effect.gen(function* () {
      const { port, channels, admission } = yield* serve()
      const peer = yield* rawTcp(port)
      yield* peer.write("one\n")
      assert.strictEqual(yield* peer.line, got("one"))
      peer.socket.resetAndDestroy()
      assert.deepStrictEqual(Array.from(yield* Queue.takeBetween(channels.inbound, 2, 2)), [
        { kind: "frame", text: "one" },
        { kind: "end", by: "peer" }
      ])
      assert.strictEqual(admission.count(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("that sends a line beyond the cap is told so while it still sends, and ended (R001)", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      const peer = yield* rawTcp(port)
      peer.socket.write("x".repeat(8_388_608))
      assert.strictEqual(yield* peer.line, error("too_large"))
      yield* peer.ended
    }).pipe(Effect.scoped)
  )

  it.live("that sends bytes which are no UTF-8 is told so and ended (R007)", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      const peer = yield* rawTcp(port)
      yield* peer.write(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a, 0x7b, 0x7d, 0x0a]))
      assert.strictEqual(yield* peer.rest, `${error("bad_utf8")}\n`)
      assert.strictEqual(yield* peer.ended, "end")
    }).pipe(Effect.scoped)
  )

  it.live("has read_ms for the rest of a message, from its first byte (R235)", () =>
    Effect.gen(function* () {
      const { port } = yield* serve({ limit: { read_ms: 60 } })
      const peer = yield* rawTcp(port)
      const drip = setInterval(() => peer.socket.write("x"), 10)
      assert.strictEqual(yield* peer.line, error("bad_json"))
      clearInterval(drip)
    }).pipe(Effect.scoped)
  )
})

describe("a first line that is an HTTP request", () => {
  const requests = [
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    'POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n{"type":"prompt","content":"x"}\n',
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  ]
  for (const request of requests) {
    it.live(`ends the connection at once: ${request.slice(0, 18).trim()}`, () =>
      Effect.gen(function* () {
        const { port, channels } = yield* serve()
        const peer = yield* rawTcp(port)
        peer.socket.write(request)
        assert.strictEqual(yield* peer.rest, "")
        assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "end", by: "server" })
        assert.strictEqual(channels.pulled(), 1)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is any other bad line later on", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      const peer = yield* rawTcp(port)
      yield* peer.write("{}\nGET / HTTP/1.1\n")
      assert.strictEqual(yield* peer.line, got("{}"))
      assert.strictEqual(yield* peer.line, got("GET / HTTP/1.1"))
    }).pipe(Effect.scoped)
  )
})
