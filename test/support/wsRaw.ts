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

/** The close code that the server's close frame carries, and that it then ended the connection. */
export const closeCode = (socket: Socket): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    let got = Buffer.alloc(0)
    socket.on("data", (bytes: Buffer) => {
      got = Buffer.concat([got, bytes])
      const at = got.indexOf(0x88)
      if (at === -1 || got.length < at + 4) return
      socket.destroy()
      resume(Effect.succeed(got.readUInt16BE(at + 2)))
    })
    socket.on("close", () => resume(Effect.succeed(undefined)))
  })
