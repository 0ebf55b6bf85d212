/** Frames of WebSocket peers (R172, R173, attacks W017–W021; TOOLS A5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { serve } from "../support/serverKit.ts"
import { closeCode, frame, type FrameParts, lastWords, upgrade } from "../support/wsRaw.ts"

const connected = Effect.fnUntraced(function* (options: Parameters<typeof serve>[0] = {}) {
  const { httpPort, channels } = yield* serve(options)
  const { socket, status } = yield* upgrade(httpPort)
  if (socket === undefined) return yield* Effect.die(`no upgrade: ${status}`)
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  socket.on("error", () => undefined)
  const connection = yield* Queue.take(channels.served)
  return { socket, channels, connection }
})

const broken: ReadonlyArray<readonly [string, ReadonlyArray<FrameParts>, number, string | undefined]> = [
  ["invalid UTF-8 (W017)", [{ payload: Uint8Array.of(0x7b, 0xff, 0xfe) }], 1007, "bad_utf8"],
  ["invalid UTF-8 in a binary frame", [{ opcode: 2, payload: Uint8Array.of(0x7b, 0xff, 0xfe) }], 1007, "bad_utf8"],
  ["a frame that only says that it is 8 MiB (W019)", [{ length: 8_388_608 }], 1009, "too_large"],
  [
    "fragments that together are too large",
    [
      { fin: false, payload: "x".repeat(40_000) },
      { opcode: 0, payload: "x".repeat(40_000) }
    ],
    1009,
    "too_large"
  ],
  ["an unmasked frame (W021)", [{ masked: false, payload: "{}" }], 1002, undefined],
  ["a reserved opcode", [{ opcode: 3, payload: "{}" }], 1002, undefined],
  ["a reserved bit", [{ rsv: 4, payload: "{}" }], 1002, undefined],
  ["a continuation of nothing", [{ opcode: 0, payload: "{}" }], 1002, undefined],
  ["a fragmented ping", [{ opcode: 9, fin: false }], 1002, undefined],
  ["a message inside another", [{ fin: false, payload: "a" }, { payload: "b" }], 1002, undefined]
]

describe("a WebSocket peer", () => {
  for (const [name, frames, code, known] of broken) {
    it.live(`is closed with ${code} for ${name}; what it sent wrong is said first (R200, R208)`, () =>
      Effect.gen(function* () {
        const { socket, channels } = yield* connected()
        socket.write(Buffer.concat(frames.map(frame)))
        const said = known === undefined ? [] : [JSON.stringify({ type: "error", error: { code: known } })]
        assert.deepStrictEqual(yield* lastWords(socket), { texts: said, code })
        const first = yield* Queue.take(channels.inbound)
        assert.deepStrictEqual(
          first,
          known === undefined ? { kind: "end", by: "server" } : { kind: "broken", code: known as "bad_utf8" }
        )
      }).pipe(Effect.scoped)
    )
  }

  for (const payload of ["x", ""]) {
    it.live(
      `whose message has more fragments than it is worth sends too much, be they of ${payload.length} bytes`,
      () =>
        Effect.gen(function* () {
          const { socket, channels } = yield* connected()
          const rest = Array.from({ length: 2000 }, () => frame({ opcode: 0, fin: false, payload }))
          socket.write(Buffer.concat([frame({ fin: false, payload }), ...rest]))
          const { texts, code } = yield* lastWords(socket)
          assert.deepStrictEqual([texts.length, code], [1, 1009])
          assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "broken", code: "too_large" })
        }).pipe(Effect.scoped)
    )
  }

  it.live("that still sends when it is too much is told so, and closed (R200)", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected({ limit: { write_ms: 2000 } })
      const words = yield* Effect.forkChild(lastWords(socket), { startImmediately: true })
      socket.write(frame({ length: 8_388_608 }))
      for (let sent = 0; sent < 128 && !socket.destroyed; sent++) {
        socket.write(Buffer.alloc(65_536))
        yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      }
      const { texts, code } = yield* Fiber.join(words)
      assert.deepStrictEqual([texts.length, code], [1, 1009])
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "broken", code: "too_large" })
    }).pipe(Effect.scoped)
  )

  it.live("whose frame comes in more reads than it is worth sends too much", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected()
      const bytes = frame({ payload: "x".repeat(4000) })
      const closed = yield* Effect.forkChild(closeCode(socket), { startImmediately: true })
      for (let at = 0; at < bytes.length && !socket.destroyed; at++) {
        socket.write(bytes.subarray(at, at + 1))
        yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      }
      assert.strictEqual(yield* Fiber.join(closed), 1009)
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "broken", code: "too_large" })
    }).pipe(Effect.scoped)
  )

  it.live("is heard whatever kind of frame its messages are in, and pings are answered between", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected()
      socket.write(
        Buffer.concat([
          frame({ payload: '{"n":1}' }),
          frame({ opcode: 2, payload: '{"n":"é"}' }),
          frame({ fin: false, payload: '{"n"' }),
          frame({ opcode: 9, payload: "?" }),
          frame({ opcode: 0, payload: ":3}" }),
          frame({ payload: "" })
        ])
      )
      assert.deepStrictEqual(
        Array.from(yield* Queue.takeBetween(channels.inbound, 4, 4)),
        ['{"n":1}', '{"n":"é"}', '{"n":3}', ""].map((text) => ({ kind: "frame" as const, text }))
      )
    }).pipe(Effect.scoped)
  )

  it.live("has read_ms for the rest of a message, whatever pings come between (begun)", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected({ limit: { read_ms: 60 } })
      socket.write(frame({ fin: false, payload: "x" }))
      const drip = setInterval(() => socket.write(frame({ opcode: 9 })), 10)
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "broken", code: "bad_json" })
      clearInterval(drip)
    }).pipe(Effect.scoped)
  )

  it.live("that only pings is neither silent nor in the middle of anything", () =>
    Effect.gen(function* () {
      const { socket, channels, connection } = yield* connected({ limit: { read_ms: 40 } })
      for (let i = 0; i < 12; i++) {
        socket.write(frame({ opcode: 9 }))
        yield* Effect.sleep(10)
      }
      assert.isBelow(connection.silentMs(), 100)
      socket.write(frame({ payload: "{}" }))
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "frame", text: "{}" })
    }).pipe(Effect.scoped)
  )

  it.live("is pinged, and a close frame of its own is the end of a peer", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected({ limit: { heartbeat_ms: 20 } })
      yield* Effect.callback<void>((resume) => {
        socket.on("data", (bytes: Buffer) => bytes[0] === 0x89 && resume(Effect.void))
      })
      socket.write(frame({ opcode: 8, payload: Uint8Array.of(3, 232) }))
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "end", by: "peer" })
    }).pipe(Effect.scoped)
  )

  it.live("that vanishes without one has gone as well (SETTLED 2)", () =>
    Effect.gen(function* () {
      const { socket, channels } = yield* connected()
      socket.resetAndDestroy()
      assert.deepStrictEqual(yield* Queue.take(channels.inbound), { kind: "end", by: "peer" })
    }).pipe(Effect.scoped)
  )

  it.live("gets what was sent, then the close code and a reason that fits", () =>
    Effect.gen(function* () {
      const { socket, connection } = yield* connected()
      const code = yield* Effect.forkChild(closeCode(socket), { startImmediately: true })
      connection.send("a")
      connection.send("b")
      yield* Effect.forkChild(connection.close({ code: 4008, reason: "é".repeat(100) }), { startImmediately: true })
      assert.strictEqual(yield* Fiber.join(code), 4008)
    }).pipe(Effect.scoped)
  )
})
