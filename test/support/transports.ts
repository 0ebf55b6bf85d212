/**
 * Clients of a channel on any transport, for scenarios. A transport gives raw peers; everything a scenario reads is a
 * parsed event. TCP and WebSocket give `Transport`s of their own: what they must be able to do is here.
 */
import { Effect, type Scope } from "effect"
import type { Principal } from "../../src/domain/Principal.ts"
import type { Ending } from "../../src/channel/Connection.ts"
import { Channels } from "../../src/channel/Channels.ts"
import * as MemoryConnection from "../../src/channel/MemoryConnection.ts"

/** One connection, from the client's side. */
export interface RawPeer {
  readonly send: (text: string) => Effect.Effect<void>
  /** Each message, as text, in order. */
  readonly onText: (read: (text: string) => void) => void
  /** The server's ending; a transport without codes (TCP) gives `undefined` for what it cannot say. */
  readonly onClose: (closed: (ending: Partial<Ending>) => void) => void
  /** Reads no more until `resume`. */
  readonly stall: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Orderly: the peer goes. */
  readonly hangUp: Effect.Effect<void>
  /** The peer sends no more but reads on; absent where the transport has no such thing. */
  readonly halfClose: Effect.Effect<void> | undefined
  /** The peer is gone without a word (a reset). */
  readonly cut: Effect.Effect<void>
}

export interface Transport {
  readonly name: "memory" | "tcp" | "ws"
  /** Connects to the Channels of the context; `principal` is what the transport recognised. */
  readonly connect: (principal?: Principal) => Effect.Effect<RawPeer, never, Scope.Scope | Channels>
}

export const memory: Transport = {
  name: "memory",
  connect: Effect.fnUntraced(function* (principal?: Principal) {
    const channels = yield* Channels
    const { connection, client } = yield* MemoryConnection.make(principal === undefined ? {} : { principal })
    yield* Effect.forkScoped(channels.serve(connection), { startImmediately: true })
    const ending = (by: "peer" | "half" | "dead") => client.push({ kind: "end", by })
    return {
      send: client.send,
      onText: client.onText,
      onClose: client.onClose,
      stall: Effect.sync(client.stall),
      resume: Effect.sync(client.resume),
      hangUp: ending("peer"),
      halfClose: ending("half"),
      cut: ending("dead")
    }
  })
}

/** The integrator adds TCP and WebSocket here; every scenario then runs over them too. */
export const transports: ReadonlyArray<Transport> = [memory]
