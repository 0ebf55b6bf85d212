/**
 * One TCP peer as a Connection: JSON lines in, JSON lines out. Owns: the socket's two directions, its times, its end.
 * Does not own: what a message means, or who may connect.
 * Invariants: a first line that is an HTTP request cuts the peer off before anything is served (SETTLED 21); a peer that
 * closed its half is still written to; nothing is read after the framing was lost; the socket is gone, at the latest,
 * `write_ms` and a second after `close`.
 */
import type { Socket } from "node:net"
import { Effect } from "effect"
import type { Connection, Ending, Inbound } from "../channel/Connection.ts"
import type { Principal } from "../domain/Principal.ts"
import * as Framing from "../protocol/Framing.ts"
import { Inbox } from "./inbox.ts"
import { isSilence } from "./silence.ts"
import type { Ticker } from "./ticker.ts"

export interface TcpOptions {
  readonly address: string
  readonly principal: Principal | undefined
  readonly locale: "en" | "zh-CN"
  readonly limit: { readonly message_bytes: number; readonly read_ms: number; readonly write_ms: number }
  readonly ticker: Ticker
}

/** A peer that still sends when we end would get a reset, and with it lose our last words; so we listen a little. */
const LINGER_MS = 1000
const HTTP_REQUEST = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/\d/

type Phase = "open" | "ending" | "lingering" | "gone"

export class TcpConnection implements Connection {
  readonly transport = "tcp"
  readonly address: string
  readonly principal: Principal | undefined
  readonly locale: "en" | "zh-CN"
  readonly receive: Connection["receive"]
  readonly #socket: Socket
  readonly #options: TcpOptions
  readonly #framing: Framing.Framing
  readonly #inbox: Inbox
  #phase: Phase = "open"
  #cutAt = Number.POSITIVE_INFINITY
  #first = true
  #deaf = false
  #silent = false
  /** When the message that is arriving began; 0: none is. */
  #begun = 0
  #heard = performance.now()
  #out: Array<string> = []
  #flushing = false
  #buffered = 0
  #drained: (() => void) | undefined
  #flushed: Array<() => void> = []

  constructor(socket: Socket, options: TcpOptions) {
    this.#socket = socket
    this.#options = options
    this.address = options.address
    this.principal = options.principal
    this.locale = options.locale
    this.#framing = Framing.make({ bytes: options.limit.message_bytes })
    this.#inbox = new Inbox({ hold: () => void socket.pause(), release: () => this.#resume() })
    this.receive = this.#inbox.receive
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on("error", ({ code }: NodeJS.ErrnoException) => void (this.#silent = isSilence(code)))
    socket.on("data", (chunk: Buffer) => this.#data(chunk))
    socket.on("end", () => this.#half())
    socket.on("finish", () => this.#finished())
    socket.on("close", () => this.#gone())
    options.ticker.add(this)
    // It may have gone before anybody listened.
    if (socket.destroyed) this.#gone()
  }

  readonly send = (text: string): void => {
    if (this.#phase !== "open" || this.#socket.destroyed) return
    this.#out.push(text)
    this.#buffered += Buffer.byteLength(text) + 1
    if (this.#flushing) return
    this.#flushing = true
    process.nextTick(() => this.#flush())
  }

  readonly buffered = (): number => this.#buffered

  readonly onDrain = (drained: () => void): void => void (this.#drained = drained)

  /** A peer that is held back is not silent. */
  readonly silentMs = (): number => (this.#inbox.held ? 0 : performance.now() - this.#heard)

  readonly close = (_: Ending): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.#end()
      if (this.#phase !== "ending") return Effect.void
      return Effect.callback<void>((resume) => void this.#flushed.push(() => resume(Effect.void)))
    })

  readonly tick = (now: number): void => {
    if (now > this.#cutAt) return void this.#socket.destroy()
    if (this.#phase !== "open" || this.#begun === 0 || this.#inbox.held) return
    if (now - this.#begun > this.#options.limit.read_ms) this.#lose({ kind: "broken", code: "bad_json" })
  }

  #data(chunk: Buffer): void {
    this.#heard = performance.now()
    if (this.#phase !== "open" || this.#deaf) return
    const frames = this.#framing.push(chunk)
    for (const frame of frames) {
      if (this.#first && frame.kind === "line" && HTTP_REQUEST.test(frame.text)) return this.#refuse()
      this.#first = false
      if (frame.kind === "broken") return this.#lose(frame)
      this.#inbox.push({ kind: "frame", text: frame.text })
    }
    if (this.#framing.pending() === 0) this.#begun = 0
    else if (frames.length > 0 || this.#begun === 0) this.#begun = this.#heard
  }

  /** What comes behind lost framing means nothing; it is read and dropped until we end. */
  #lose(broken: Extract<Inbound, { readonly kind: "broken" }>): void {
    this.#deaf = true
    this.#begun = 0
    this.#inbox.push(broken)
  }

  #refuse(): void {
    this.#phase = "gone"
    this.#inbox.finish({ kind: "end", by: "server" })
    this.#socket.destroy()
  }

  #resume(): void {
    // The time in which we did not read is not the peer's.
    if (this.#begun !== 0) this.#begun = performance.now()
    this.#heard = performance.now()
    this.#socket.resume()
  }

  #half(): void {
    this.#begun = 0
    if (this.#phase !== "open") return
    if (!this.#deaf && this.#framing.end().length > 0) this.#inbox.push({ kind: "unfinished" })
    this.#inbox.push({ kind: "end", by: "half" })
  }

  #flush(): void {
    this.#flushing = false
    if (this.#out.length === 0 || this.#socket.destroyed) return
    const lines = `${this.#out.join("\n")}\n`
    this.#out = []
    const bytes = Buffer.from(lines)
    this.#socket.write(bytes, () => this.#written(bytes.length))
  }

  #written(bytes: number): void {
    this.#buffered -= bytes
    if (this.#buffered === 0) this.#drained?.()
  }

  #end(): void {
    if (this.#phase !== "open") return
    this.#flush()
    this.#phase = "ending"
    this.#cutAt = performance.now() + this.#options.limit.write_ms
    this.#inbox.finish({ kind: "end", by: "server" })
    if (this.#socket.destroyed) return
    this.#socket.end()
    this.#socket.resume()
  }

  #finished(): void {
    if (this.#phase !== "ending") return
    this.#phase = "lingering"
    this.#cutAt = performance.now() + LINGER_MS
    this.#release()
  }

  #gone(): void {
    this.#options.ticker.remove(this)
    // A reset, or the end of a process that was killed, is the peer's close as much as an orderly end.
    const went = this.#silent ? "dead" : "peer"
    this.#inbox.finish({ kind: "end", by: this.#phase === "open" ? went : "server" })
    this.#phase = "gone"
    this.#out = []
    this.#buffered = 0
    this.#drained = undefined
    this.#release()
  }

  #release(): void {
    const flushed = this.#flushed
    this.#flushed = []
    for (const done of flushed) done()
  }
}
