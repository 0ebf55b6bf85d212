/**
 * Clients of a channel on any transport, for scenarios: in memory, and over the real servers' sockets. A transport
 * gives raw peers; everything a scenario reads is a parsed event.
 */
import { connect as connectTcp, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { WebSocket } from "ws"
import type { Principal } from "../../src/domain/Principal.ts"
import type { Ending } from "../../src/channel/Connection.ts"
import { Channels } from "../../src/channel/Channels.ts"
import * as MemoryConnection from "../../src/channel/MemoryConnection.ts"
import { Doors } from "./doors.ts"

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
  /** The peer sends no more but reads on; nothing happens where the transport has no such thing (`halves`). */
  readonly halfClose: Effect.Effect<void>
  /** The peer goes without a word: a reset, a socket without a close frame. */
  readonly cut: Effect.Effect<void>
}

export interface Transport<R = Doors> {
  readonly name: "memory" | "tcp" | "ws"
  /** Whether its peers can end one direction alone. */
  readonly halves: boolean
  /** Connects to the Channels of the context; `principal` is what the transport recognised. */
  readonly connect: (principal?: Principal) => Effect.Effect<RawPeer, never, Scope.Scope | Channels | R>
}

export const memory: Transport<never> = {
  name: "memory",
  halves: true,
  connect: Effect.fnUntraced(function* (principal?: Principal) {
    const channels = yield* Channels
    const { connection, client } = yield* MemoryConnection.make(principal === undefined ? {} : { principal })
    yield* Effect.forkScoped(channels.serve(connection), { startImmediately: true })
    const ending = (by: "peer" | "half") => client.push({ kind: "end", by })
    return {
      send: client.send,
      onText: client.onText,
      onClose: client.onClose,
      stall: Effect.sync(client.stall),
      resume: Effect.sync(client.resume),
      hangUp: ending("peer"),
      halfClose: ending("half"),
      cut: ending("peer")
    }
  })
}

/** What came before somebody listened is kept for whoever does. */
const heard = () => {
  const texts: Array<string> = []
  let read: ((text: string) => void) | undefined
  let ending: Partial<Ending> | undefined
  let closed: ((ending: Partial<Ending>) => void) | undefined
  return {
    text: (text: string) => (read === undefined ? void texts.push(text) : read(text)),
    close: (given: Partial<Ending>) => {
      ending = given
      closed?.(given)
    },
    onText: (given: (text: string) => void) => {
      read = given
      texts.splice(0).forEach(given)
    },
    onClose: (given: (ending: Partial<Ending>) => void) => {
      closed = given
      if (ending !== undefined) given(ending)
    }
  }
}

const socketTo = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connectTcp({ host: "127.0.0.1", port, noDelay: true, allowHalfOpen: false })
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.once("error", (error) => resume(Effect.die(error)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const tcp: Transport = {
  name: "tcp",
  halves: true,
  connect: Effect.fnUntraced(function* (principal?: Principal) {
    const socket = yield* socketTo(yield* (yield* Doors).port("tcp", principal))
    const { text, close, onText, onClose } = heard()
    let pieces: Array<string> = []
    socket.on("error", () => undefined).on("close", () => close({}))
    socket.setEncoding("utf8").on("data", (data) => {
      const [rest = "", ...others] = String(data).split("\n")
      pieces.push(rest)
      for (const other of others) {
        text(pieces.join(""))
        pieces = [other]
      }
    })
    return {
      send: (message) => Effect.sync(() => void (socket.writable && socket.write(`${message}\n`))),
      onText,
      onClose,
      stall: Effect.sync(() => void socket.pause()),
      resume: Effect.sync(() => void socket.resume()),
      // What a program does that closes its socket: the end of what it sent goes out before the rest is torn down.
      hangUp: Effect.sync(() => void (socket.destroyed || socket.end(() => socket.destroy()))),
      halfClose: Effect.sync(() => {
        socket.allowHalfOpen = true
        socket.end()
      }),
      cut: Effect.sync(() => void socket.resetAndDestroy())
    }
  })
}

/** Answers no pings: a peer whose system still lives is not what scenarios are about. */
const webSocketTo = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false, autoPong: false })
      // Where the first messages come with the upgrade itself, nobody would hear them.
      socket.once("open", () => {
        socket.pause()
        resume(Effect.succeed(socket))
      })
      socket.once("error", (error) => resume(Effect.die(error)))
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

const ws: Transport = {
  name: "ws",
  halves: false,
  connect: Effect.fnUntraced(function* (principal?: Principal) {
    const socket = yield* webSocketTo(yield* (yield* Doors).port("ws", principal))
    const { text, close, onText, onClose } = heard()
    socket.on("error", () => undefined)
    socket.on("message", (data) => text((data as Buffer).toString()))
    socket.on("close", (code, reason) => close({ code, reason: String(reason) }))
    socket.resume()
    const open = () => socket.readyState === socket.OPEN
    return {
      send: (message) => Effect.sync(() => void (open() && socket.send(message))),
      onText,
      onClose,
      stall: Effect.sync(() => socket.pause()),
      resume: Effect.sync(() => socket.resume()),
      hangUp: Effect.sync(() => {
        socket.resume()
        socket.close(1000)
      }),
      halfClose: Effect.void,
      cut: Effect.sync(() => socket.terminate())
    }
  })
}

/** Every scenario runs over each. */
export const transports: ReadonlyArray<Transport> = [memory, tcp, ws]
