/**
 * A pair without a socket, for tests and for programs that embed a server. Owns: both ends of one conversation.
 * Invariants: the same contract as a socket's form: at most `INBOUND` messages wait, then `send` of the client does;
 * a client that stalls lets `buffered` grow, and taking up again drains it.
 */
import { Effect, Queue } from "effect"
import type { Principal } from "../domain/Principal.ts"
import type { Connection, Ending, Inbound } from "./Connection.ts"

/** The client's end. */
export interface MemoryClient {
  /** One message; waits while the server has not taken earlier ones. Nothing happens after the end. */
  readonly send: (text: string) => Effect.Effect<void>
  /** What comes from the peer's system rather than from the peer: over-long lines and the like. */
  readonly push: (inbound: Inbound) => Effect.Effect<void>
  /** Called with each message, in order; earlier ones come at once. Replaces an earlier reader. */
  readonly onText: (read: (text: string) => void) => void
  /** Called once with the server's ending. */
  readonly onClose: (closed: (ending: Ending) => void) => void
  /** Reads no more until `resume`: what is sent to it is buffered. */
  readonly stall: () => void
  readonly resume: () => void
}

export interface MemoryOptions {
  readonly principal?: Principal
  readonly locale?: Connection["locale"]
  readonly address?: string
}

const INBOUND = 64

interface Wire {
  readonly texts: Array<string>
  bytes: number
  heardAt: number
  stalled: boolean
  /** A delivery is on its way: as with a socket, no reader runs within `send`. */
  scheduled: boolean
  ending: Ending | undefined
  drained: () => void
  read: ((text: string) => void) | undefined
  closed: ((ending: Ending) => void) | undefined
}

const deliver = (wire: Wire): void => {
  const before = wire.bytes
  wire.scheduled = false
  while (!wire.stalled && wire.read !== undefined && wire.texts.length > 0) {
    const text = wire.texts.shift() ?? ""
    wire.bytes -= Buffer.byteLength(text)
    wire.read(text)
  }
  if (before > 0 && wire.bytes === 0) wire.drained()
}

const clientOf = (wire: Wire, inbound: Queue.Queue<Inbound>): MemoryClient => {
  const push = (given: Inbound) =>
    Effect.suspend(() => {
      wire.heardAt = Date.now()
      return wire.ending === undefined ? Effect.asVoid(Queue.offer(inbound, given)) : Effect.void
    })
  return {
    push,
    send: (text) => push({ kind: "frame", text }),
    onText: (read) => {
      wire.read = read
      deliver(wire)
    },
    onClose: (closed) => {
      wire.closed = closed
      if (wire.ending !== undefined) closed(wire.ending)
    },
    stall: () => void (wire.stalled = true),
    resume: () => {
      wire.stalled = false
      deliver(wire)
    }
  }
}

/** The end that the peer or the server made is given again and again; `half` is followed by another. */
const receiving = (inbound: Queue.Queue<Inbound>) => {
  let end: Inbound | undefined
  return Effect.suspend(() =>
    end !== undefined
      ? Effect.succeed(end)
      : Effect.map(Queue.take(inbound), (given) => {
          if (given.kind === "end" && given.by !== "half") end = given
          return given
        })
  )
}

const serverOf = (wire: Wire, inbound: Queue.Queue<Inbound>, options: MemoryOptions): Connection => ({
  transport: "memory",
  address: options.address ?? "127.0.0.1",
  principal: options.principal,
  locale: options.locale ?? "en",
  receive: receiving(inbound),
  send: (text) => {
    if (wire.ending !== undefined) return
    wire.texts.push(text)
    wire.bytes += Buffer.byteLength(text)
    if (wire.scheduled) return
    wire.scheduled = true
    queueMicrotask(() => deliver(wire))
  },
  buffered: () => wire.bytes,
  onDrain: (drained) => void (wire.drained = drained),
  silentMs: () => Date.now() - wire.heardAt,
  close: (ending) =>
    Effect.suspend(() => {
      if (wire.ending !== undefined) return Effect.void
      wire.ending = ending
      deliver(wire)
      wire.closed?.(ending)
      return Effect.asVoid(Queue.offer(inbound, { kind: "end", by: "server" }))
    })
})

export const make = (
  options: MemoryOptions = {}
): Effect.Effect<{
  readonly connection: Connection
  readonly client: MemoryClient
}> =>
  Effect.map(Queue.bounded<Inbound>(INBOUND), (inbound) => {
    const wire: Wire = {
      texts: [],
      bytes: 0,
      heardAt: Date.now(),
      stalled: false,
      scheduled: false,
      ending: undefined,
      drained: () => undefined,
      read: undefined,
      closed: undefined
    }
    return { connection: serverOf(wire, inbound, options), client: clientOf(wire, inbound) }
  })
