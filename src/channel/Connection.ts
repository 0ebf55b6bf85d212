/**
 * One peer, on any transport (R185, DESIGN §2). Owns: the contract; TCP and WebSocket forms live in `server`, the
 * in-memory form here. Above this nothing knows which transport it is.
 * Invariants: inbound frames come in order and are pulled, so that a slow session holds its peer back; `send` never
 * waits and never throws; after `close` nothing is sent; the end comes once and says who ended it.
 */
import type { Effect } from "effect"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { Principal } from "../domain/Principal.ts"

export type Transport = "memory" | "tcp" | "ws"

/**
 * What the peer sent: the text of one message, or why the framing is lost (the connection must then be closed), or the
 * end. `half`: the peer sends no more but still reads (TCP half-close). `peer`: it went, in order or not (a reset, a
 * killed process, a socket without a close frame). `dead`: its system no longer answers. `server`: we closed it.
 */
export type Inbound =
  | { readonly kind: "frame"; readonly text: string }
  | { readonly kind: "broken"; readonly code: Extract<ErrorCode, "too_large" | "bad_utf8" | "bad_json"> }
  /** The peer sends no more, and its last line is none: an answer of its own, and no end. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "end"; readonly by: "half" | "peer" | "dead" | "server" }

export interface Connection {
  readonly transport: Transport
  /** For logs and limits: the address the peer speaks from, behind trusted proxies. */
  readonly address: string
  /** Recognised before the first message (headers, cookie, or a server that needs no one to be); else `hello` tells. */
  readonly principal: Principal | undefined
  /** Language of sentences for people. */
  readonly locale: "en" | "zh-CN"
  /** The next thing from the peer; after an `end` it gives that end again, except that `half` is followed by another. */
  readonly receive: Effect.Effect<Inbound>
  /** One message, without its frame. Buffers; nothing is kept of what comes after the end. */
  readonly send: (text: string) => void
  /** Bytes that `send` took and the peer's system has not: the transport's own buffers included. */
  readonly buffered: () => number
  /** Called when `buffered` has fallen to zero after it was not; replaces an earlier one. */
  readonly onDrain: (drained: () => void) => void
  /** Milliseconds since the peer was last heard of, also below messages (pong frames). */
  readonly silentMs: () => number
  /** Orderly: what was sent goes out first, within the write time; then the peer is cut off. */
  readonly close: (end: Ending) => Effect.Effect<void>
}

export interface Ending {
  /** WebSocket close code; 1000 for an orderly end. */
  readonly code: number
  /** At most 123 bytes of UTF-8; the stable error code where there is one. */
  readonly reason: string
}
