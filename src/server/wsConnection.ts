/**
 * One WebSocket peer as a Connection. Owns: messages in and out, pings, times, the end. Framing, masking and UTF-8 are
 * the library's: it reads no further before a whole message is kept, and closes with 1002 by itself.
 * Invariants: a message that has begun ends within `read_ms`, however many pings are sent between its fragments; the
 * peer is pinged every `heartbeat_ms`; the socket is gone, at the latest, `write_ms` after `close`.
 */
import type { Duplex } from "node:stream"
import { Effect } from "effect"
import type { RawData, WebSocket } from "ws"
import type { Connection, Ending, Inbound } from "../channel/Connection.ts"
import type { Principal } from "../domain/Principal.ts"
import { Inbox } from "./inbox.ts"
import { isSilence } from "./silence.ts"
import type { Ticker } from "./ticker.ts"

export interface WsOptions {
  readonly address: string
  readonly principal: Principal | undefined
  readonly locale: "en" | "zh-CN"
  readonly limit: { readonly read_ms: number; readonly write_ms: number; readonly heartbeat_ms: number }
  readonly ticker: Ticker
}

const TOO_LARGE: ReadonlySet<string> = new Set([
  "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH",
  "WS_ERR_TOO_MANY_BUFFERED_PARTS",
  "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH"
])

/** What is wrong with what the peer sent; `undefined`: it broke the protocol or the line, and is owed nothing. */
const brokenBy = (code: string | undefined): Inbound | undefined => {
  if (code === "WS_ERR_INVALID_UTF8") return { kind: "broken", code: "bad_utf8" }
  return code !== undefined && TOO_LARGE.has(code) ? { kind: "broken", code: "too_large" } : undefined
}

interface Receiver {
  readonly _bufferedBytes: number
  readonly _state: number
  readonly _fragmented: number
}

/** Whether part of a message or frame has arrived: the library tells nobody, `begun.test.ts` holds it to this. */
const midMessage = (ws: WebSocket): boolean => {
  const receiver = (ws as unknown as { readonly _receiver?: Receiver })._receiver
  return receiver !== undefined && (receiver._bufferedBytes > 0 || receiver._state !== 0 || receiver._fragmented > 0)
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** With `nodebuffer`, a message is one Buffer whatever its frames. */
const textOf = (data: RawData): string | undefined => {
  try {
    return utf8.decode(data as Buffer)
  } catch {
    return undefined
  }
}

const MAX_REASON = 123
const short = (reason: string): string =>
  Buffer.from(reason)
    .subarray(0, MAX_REASON)
    .toString()
    .replace(/\uFFFD+$/, "")

export class WsConnection implements Connection {
  readonly transport = "ws"
  readonly address: string
  readonly principal: Principal | undefined
  readonly locale: "en" | "zh-CN"
  readonly receive: Connection["receive"]
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #options: WsOptions
  readonly #inbox: Inbox
  #open = true
  #deaf = false
  #silent = false
  #cutAt = Number.POSITIVE_INFINITY
  #begun = 0
  #heard = performance.now()
  #pinged = this.#heard
  #corked = false
  #buffered = 0
  #drained: (() => void) | undefined
  #closed: Array<() => void> | undefined = []

  constructor(ws: WebSocket, socket: Duplex, options: WsOptions) {
    this.#ws = ws
    this.#socket = socket
    this.#options = options
    this.address = options.address
    this.principal = options.principal
    this.locale = options.locale
    this.#inbox = new Inbox({ hold: () => ws.pause(), release: () => this.#resume() })
    this.receive = this.#inbox.receive
    ws.on("message", (data, binary) => this.#message(data, binary))
    ws.on("error", (error: Error & { readonly code?: string }) => this.#broken(error.code))
    ws.on("close", () => this.#gone())
    // The library keeps the socket's own failures to itself.
    socket.on("error", ({ code }: NodeJS.ErrnoException) => void (this.#silent = isSilence(code)))
    // Behind the library's own reader, so that what it made of the bytes is known.
    socket.on("data", () => this.#data())
    options.ticker.add(this)
  }

  readonly send = (text: string): void => {
    if (!this.#open || this.#ws.readyState !== this.#ws.OPEN) return
    if (!this.#corked) {
      this.#corked = true
      this.#socket.cork()
      process.nextTick(() => this.#uncork())
    }
    const bytes = Buffer.from(text)
    this.#buffered += bytes.length
    this.#ws.send(bytes, { binary: false }, () => this.#written(bytes.length))
  }

  readonly buffered = (): number => this.#buffered

  readonly onDrain = (drained: () => void): void => void (this.#drained = drained)

  readonly silentMs = (): number => (this.#inbox.held ? 0 : performance.now() - this.#heard)

  readonly close = (ending: Ending): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.#end(ending)
      const closed = this.#closed
      return closed === undefined
        ? Effect.void
        : Effect.callback<void>((resume) => void closed.push(() => resume(Effect.void)))
    })

  readonly tick = (now: number): void => {
    if (now > this.#cutAt) return this.#ws.terminate()
    if (!this.#open) return
    if (now - this.#pinged >= this.#options.limit.heartbeat_ms) {
      this.#pinged = now
      this.#ws.ping()
    }
    if (this.#begun === 0 || this.#inbox.held) return
    if (now - this.#begun > this.#options.limit.read_ms) this.#lose({ kind: "broken", code: "bad_json" })
  }

  #data(): void {
    this.#heard = performance.now()
    if (this.#deaf) return
    if (!midMessage(this.#ws)) this.#begun = 0
    else if (this.#begun === 0) this.#begun = this.#heard
  }

  #message(data: RawData, binary: boolean): void {
    this.#begun = 0
    if (!this.#open || this.#deaf) return
    const text = binary ? textOf(data) : (data as Buffer).toString()
    if (text === undefined) this.#lose({ kind: "broken", code: "bad_utf8" })
    else this.#inbox.push({ kind: "frame", text })
  }

  #lose(inbound: Inbound): void {
    this.#deaf = true
    this.#begun = 0
    this.#inbox.push(inbound)
  }

  /** Nothing is read any more: we wait for the peer's end no longer than for any. */
  #broken(code: string | undefined): void {
    this.#cutAt = Math.min(this.#cutAt, performance.now() + this.#options.limit.write_ms)
    const broken = brokenBy(code)
    if (broken !== undefined) return this.#lose(broken)
    if (code?.startsWith("WS_ERR_") === true) this.#inbox.finish({ kind: "end", by: "server" })
  }

  #resume(): void {
    if (this.#begun !== 0) this.#begun = performance.now()
    this.#heard = performance.now()
    this.#ws.resume()
  }

  #uncork(): void {
    this.#corked = false
    this.#socket.uncork()
  }

  #written(bytes: number): void {
    this.#buffered = Math.max(0, this.#buffered - bytes)
    if (this.#buffered === 0) this.#drained?.()
  }

  #end({ code, reason }: Ending): void {
    if (!this.#open) return
    this.#open = false
    this.#cutAt = performance.now() + this.#options.limit.write_ms
    this.#inbox.finish({ kind: "end", by: "server" })
    this.#ws.close(code, short(reason))
    this.#ws.resume()
  }

  #gone(): void {
    this.#options.ticker.remove(this)
    // Without a close frame, too: a process that was killed sends none.
    const went = this.#silent ? "dead" : "peer"
    this.#inbox.finish({ kind: "end", by: this.#open ? went : "server" })
    this.#open = false
    this.#buffered = 0
    this.#drained = undefined
    const closed = this.#closed ?? []
    this.#closed = undefined
    for (const done of closed) done()
  }
}
