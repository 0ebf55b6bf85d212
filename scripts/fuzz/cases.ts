/**
 * Cases of the fuzz: what one connection sends, piece by piece, and how it leaves. Owns: lines over TCP, frames over
 * WebSocket (also such as no library would send), handshakes; and what the oracle expects of each.
 */
import fc from "fast-check"
import { inPieces, judged, LINE_BYTES, payload } from "./messages.ts"

export interface Case {
  readonly transport: "tcp" | "ws"
  readonly kind: "lines" | "messages" | "frames" | "handshake"
  /** What is written, one write each. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** `ask`: a ping that must be answered, or the connection over. `half`: no more is sent. `reset`: gone at once. */
  readonly leave: "ask" | "half" | "reset"
  /** The most tasks that may be started by this. */
  readonly tasks: number
  /** Whether the connection may be ended because of this. */
  readonly mayEnd: boolean
}

const leave = fc.constantFrom("ask", "ask", "ask", "half", "reset")

const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  let from = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return [...lines, bytes.subarray(from)]
}

const HTTP = /^[A-Z]+ \S* ?HTTP\//

const lines: fc.Arbitrary<Case> = fc
  .tuple(
    inPieces(
      fc
        .tuple(fc.array(payload, { minLength: 1, maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
        .map(([all, end, last]) => {
          const parts = all.flatMap((line, i) => (i < all.length - 1 || last ? [line, Buffer.from(end)] : [line]))
          return Buffer.concat(parts)
        })
    ),
    leave
  )
  .map(([pieces, how]) => {
    const all = linesOf(Buffer.concat(pieces))
    const verdicts = all.map(judged)
    // Empty lines are no lines to the server either.
    const first = all.map((line) => Buffer.from(line).toString("latin1")).find((line) => !/^\r?$/.test(line)) ?? ""
    return {
      transport: "tcp",
      kind: "lines",
      pieces,
      leave: how,
      tasks: verdicts.filter(({ task }) => task).length,
      mayEnd: verdicts.some(({ end }) => end) || HTTP.test(first)
    } satisfies Case
  })

export interface Frame {
  readonly fin: boolean
  readonly rsv: number
  readonly opcode: number
  readonly masked: boolean
  /** A length that is not the payload's. */
  readonly lie?: number
  readonly payload: Uint8Array
}

const MASK = [0x12, 0x34, 0x56, 0x78] as const

export const frameBytes = ({ fin, rsv, opcode, masked, lie, payload: body }: Frame): Uint8Array => {
  const length = lie ?? body.length
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode]
  const bit = masked ? 0x80 : 0
  if (length < 126) head.push(bit | length)
  else if (length < 65_536) head.push(bit | 126, length >> 8, length & 255)
  else {
    const eight = Buffer.alloc(8)
    eight.writeBigUInt64BE(BigInt(length))
    head.push(bit | 127, ...eight)
  }
  if (!masked) return Buffer.concat([Uint8Array.from(head), body])
  return Buffer.concat([Uint8Array.from([...head, ...MASK]), body.map((byte, i) => byte ^ (MASK[i & 3] ?? 0))])
}

const whole = (body: Uint8Array, opcode = 1): Uint8Array =>
  frameBytes({ fin: true, rsv: 0, opcode, masked: true, payload: body })

/** Frames as they should be, whatever is in them. */
const messages: fc.Arbitrary<Case> = fc
  .tuple(fc.array(payload, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 2), leave)
  .chain(([all, opcode, how]) =>
    inPieces(fc.constant(Buffer.concat(all.map((body) => whole(body, opcode))))).map((pieces) => {
      const verdicts = all.map(judged)
      return {
        transport: "ws",
        kind: "messages",
        pieces,
        leave: how,
        tasks: verdicts.filter(({ task }) => task).length,
        mayEnd: verdicts.some(({ end }) => end)
      } satisfies Case
    })
  )

const frame: fc.Arbitrary<Frame> = fc.record(
  {
    fin: fc.boolean(),
    rsv: fc.constantFrom(0, 0, 0, 1, 4, 7),
    opcode: fc.constantFrom(0, 1, 1, 2, 3, 7, 8, 9, 10, 11, 15),
    masked: fc.constantFrom(true, true, true, false),
    lie: fc.constantFrom(0, 125, 126, 65_535, LINE_BYTES, 2 ** 31, 2 ** 40),
    payload
  },
  { requiredKeys: ["fin", "rsv", "opcode", "masked", "payload"] }
)

/** Frames as they should not be. What they carry may also be whole, so every payload may be a task. */
const frames: fc.Arbitrary<Case> = fc
  .tuple(fc.array(frame, { minLength: 1, maxLength: 6 }), leave)
  .chain(([all, how]) =>
    inPieces(fc.constant(Buffer.concat(all.map(frameBytes)))).map((pieces): Case => ({
      transport: "ws",
      kind: "frames",
      pieces,
      leave: how,
      tasks: all.filter((one) => judged(one.payload).task).length,
      mayEnd: true
    }))
  )

const HANDSHAKE =
  "GET /ws HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

export const handshakeFor = (host: string): string => HANDSHAKE.replace("HOST", host)

const broken = fc.constantFrom(
  HANDSHAKE.replace("13", "7"),
  HANDSHAKE.replace("/ws", "/../ws"),
  HANDSHAKE.replace(/Sec-WebSocket-Key: \S+/, "Sec-WebSocket-Key: x"),
  HANDSHAKE.replace("\r\n\r\n", "\r\nX-Long: " + "y".repeat(70_000) + "\r\n\r\n"),
  HANDSHAKE.replace("websocket", "h2c"),
  HANDSHAKE.replace("GET", "POST"),
  HANDSHAKE.replace("\r\n\r\n", "\r\nOrigin: https://evil.example\r\n\r\n"),
  HANDSHAKE.slice(0, 60),
  HANDSHAKE.replace("HTTP/1.1", "HTTP/9.9"),
  "\u0000\u0001\u0002\r\n\r\n"
)

const handshake: fc.Arbitrary<Case> = fc
  .tuple(inPieces(broken.map((text) => Buffer.from(text))), fc.constantFrom("half", "reset"))
  .map(([pieces, how]) => ({ transport: "ws", kind: "handshake", pieces, leave: how, tasks: 0, mayEnd: true }) as const)

const anyCase = fc.oneof(
  { weight: 6, arbitrary: lines },
  { weight: 3, arbitrary: messages },
  { weight: 3, arbitrary: frames },
  { weight: 1, arbitrary: handshake }
)

/** The case of this number under this seed. */
export const caseOf = (seed: number, nth: number): Case => {
  const [made] = fc.sample(anyCase, { seed: (seed * 1_000_003 + nth) | 0, numRuns: 1 })
  if (made === undefined) throw new Error("no case")
  return made
}
