/** HTTP by hand: upgrades with any header, frames with any fault. Owns: the bytes. */
import { request } from "node:http"
import type { Socket } from "node:net"
import { Effect } from "effect"

export type Headers = Readonly<Record<string, string>>

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  /** After an upgrade. */
  readonly socket?: Socket
}

export interface Ask {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Headers
}

/** One request on a connection of its own. */
export const ask = ({ port, path, method = "GET", headers = {} }: Ask): Effect.Effect<Answered> =>
  Effect.callback((resume) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false })
    sent.on("error", (error) => resume(Effect.die(error)))
    sent.on("upgrade", (response, socket) =>
      resume(
        Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: "",
          socket: socket as Socket
        })
      )
    )
    sent.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => (body += text))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }))
      )
    })
    sent.end()
  })

export const upgradeHeaders: Headers = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
}

export const upgrade = (port: number, headers: Headers = {}, path = "/ws") =>
  ask({ port, path, headers: { ...upgradeHeaders, ...headers } })

export interface FrameParts {
  readonly opcode?: number
  readonly fin?: boolean
  readonly masked?: boolean
  readonly rsv?: number
  readonly payload?: Uint8Array | string
  /** What the header claims; default: what is there. */
  readonly length?: number
}

export const frame = ({ opcode = 1, fin = true, masked = true, rsv = 0, payload = "", length }: FrameParts): Buffer => {
  const bytes = Buffer.from(payload as string)
  const size = length ?? bytes.length
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  const mask = masked ? 0x80 : 0
  const head =
    size < 126
      ? Buffer.from([first, mask | size])
      : size < 65_536
        ? Buffer.from([first, mask | 126, size >> 8, size & 255])
        : Buffer.concat([
            Buffer.from([first, mask | 127, 0, 0, 0, 0]),
            Buffer.from(Uint32Array.of(size).buffer).swap32()
          ])
  return Buffer.concat([head, ...(masked ? [Buffer.alloc(4)] : []), bytes])
}

interface Heard {
  readonly texts: ReadonlyArray<string>
  /** Absent: there was no close frame. */
  readonly code?: number
}

/** Where the payload begins and ends; absent: not all of it is there. */
const payloadAt = (got: Buffer): readonly [from: number, to: number] | undefined => {
  if (got.length < 2) return undefined
  const short = (got[1] ?? 0) & 0x7f
  const from = short < 126 ? 2 : short === 126 ? 4 : 10
  if (got.length < from) return undefined
  const length = short < 126 ? short : short === 126 ? got.readUInt16BE(2) : Number(got.readBigUInt64BE(2))
  return got.length < from + length ? undefined : [from, from + length]
}

/** What the server says until its close frame, and the code in that, which then ends the connection. */
export const lastWords = (socket: Socket): Effect.Effect<Heard> =>
  Effect.callback((resume) => {
    const texts: Array<string> = []
    let got = Buffer.alloc(0)
    socket.on("data", (bytes: Buffer) => {
      got = Buffer.concat([got, bytes])
      for (let at = payloadAt(got); at !== undefined; at = payloadAt(got)) {
        const [opcode, payload] = [(got[0] ?? 0) & 15, got.subarray(...at)]
        got = got.subarray(at[1])
        if (opcode === 1) texts.push(payload.toString())
        if (opcode !== 8) continue
        socket.destroy()
        return resume(Effect.succeed({ texts, code: payload.readUInt16BE(0) }))
      }
    })
    socket.on("close", () => resume(Effect.succeed({ texts })))
  })

export const closeCode = (socket: Socket): Effect.Effect<number | undefined> =>
  Effect.map(lastWords(socket), ({ code }) => code)
