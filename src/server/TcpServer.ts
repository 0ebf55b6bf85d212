/**
 * JSON lines over TCP (PROTOCOL, head). Owns: the listening socket, and a served Connection for each peer it lets in.
 * Does not own: conversations (channel), how many may connect (Admission).
 * Invariants: a peer that is not let in is told `too_many_connections`; `stop` refuses new peers at once and leaves the
 * others; with the scope every socket is gone, whether or not its peer reads. A place is taken before anything is read,
 * so that a TLS handshake has one; a handshake ends within its time, and with its peer.
 */
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import { Context, Effect, FiberSet, Layer } from "effect"
import { Authenticator } from "../channel/Authenticator.ts"
import { Channels } from "../channel/Channels.ts"
import { Places } from "../channel/Places.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { counts } from "../observability/ServerMetrics.ts"
import { closing } from "../protocol/WireError.ts"
import { Admission, TELLING, tellInPassing } from "./Admission.ts"
import { listen, plainAddress } from "./Listening.ts"
import { makeTicker, periodFor } from "./ticker.ts"
import { TcpConnection } from "./tcpConnection.ts"
import { type Pair, Tls } from "./Tls.ts"
import { errorEvent } from "./wireError.ts"

export class TcpServer extends Context.Service<
  TcpServer,
  {
    readonly address: { readonly host: string; readonly port: number }
    /** No new peers from now on. */
    readonly stop: Effect.Effect<void>
    /** Whoever is still connected is cut off. */
    readonly cut: Effect.Effect<void>
  }
>()("claw/server/TcpServer") {}

/** Beyond what has a place or is told that there is none: what was accepted in the same moment. */
const SPARE = 256

/** Called once with the socket that speaks, and the one that was accepted. */
type Secured = (socket: Socket, accepted: Socket) => void

const plain = () => {
  const server = createServer({ allowHalfOpen: true, noDelay: true })
  return { server, onReady: (ready: Secured) => void server.on("connection", (socket) => ready(socket, socket)) }
}

const secured = (pair: Pair, handshakeTimeout: number) => {
  // Half-closed only once it speaks: one whose peer ends during the handshake would stay for ever.
  const server = createTlsServer({ ...pair, allowHalfOpen: false, noDelay: true, handshakeTimeout })
  server.on("tlsClientError", (_, socket) => void socket.destroy())
  const onReady = (ready: Secured) =>
    server.on("secureConnection", (socket: TLSSocket & { readonly _parent?: Socket | null }) => {
      socket.allowHalfOpen = true
      ready(socket, socket._parent ?? socket)
    })
  return { server, onReady }
}

const open = Effect.gen(function* () {
  const tls = yield* Tls
  const { limit, server: where } = yield* AppConfig
  const pair = tls.current()
  const { server, onReady } = pair === undefined ? plain() : secured(pair, limit.handshake_ms)
  server.maxConnections = limit.connections + TELLING + SPARE
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => void sockets.delete(socket))
    // A peer that leaves during the handshake is its own business.
    socket.on("error", () => undefined)
  })
  yield* tls.follow(server)
  const { port } = yield* listen(server, { host: where.host, port: where.tcp_port, what: "TCP" })
  return { server, port, onReady, cut: Effect.sync(() => sockets.forEach((socket) => socket.destroy())) }
})

/** Places, from the first moment on; whoever has none and is not told so at length is told in passing. */
const placing = Effect.gen(function* () {
  const [admission, { told }, { locale }] = [yield* Admission, yield* counts, yield* AppConfig]
  const isPlain = (yield* Tls).current() === undefined
  const placed = new WeakSet<Socket>()
  return {
    placed,
    connection: (socket: Socket) => {
      const address = plainAddress(socket.remoteAddress)
      const place = admission.connection(address)
      if (place !== undefined) placed.add(socket)
      else told("too_many_connections")
      const stay = place ?? admission.refusal(address)
      if (stay === undefined) {
        const text = `${errorEvent({ code: "too_many_connections" }, locale)}\n`
        return isPlain ? tellInPassing(socket, text) : void socket.destroy()
      }
      socket.once("close", stay)
      if (socket.destroyed) stay()
    }
  }
})

const make = Effect.gen(function* () {
  const { limit, locale, server: where } = yield* AppConfig
  const [channels, places] = [yield* Channels, yield* Places]
  const principal = (yield* Authenticator).anonymous
  const { server, port, onReady, cut } = yield* open
  const { placed, connection } = yield* placing
  const ticker = yield* makeTicker(periodFor(limit.read_ms, limit.write_ms))
  const run = yield* FiberSet.makeRuntime()
  const { told } = yield* counts
  const refuse = (peer: TcpConnection) => {
    peer.send(errorEvent({ code: "too_many_connections" }, locale))
    run(peer.close({ code: closing.too_many_connections ?? 1013, reason: "too_many_connections" }))
  }
  server.on("connection", connection)
  onReady((socket, accepted) => {
    if (socket.destroyed || socket.writableEnded) return
    const address = plainAddress(socket.remoteAddress)
    const peer = new TcpConnection(socket, { address, principal, locale, limit, ticker })
    if (!placed.has(accepted)) return refuse(peer)
    // Who is known without a word has a place among those of its principal, too; who says a token is counted then.
    const own = principal === undefined ? () => undefined : places.take(principal)
    if (own === undefined) {
      told("too_many_connections")
      return refuse(peer)
    }
    socket.once("close", own)
    run(channels.serve(peer))
  })
  return TcpServer.of({
    address: { host: where.host, port },
    stop: Effect.sync(() => void (server.listening && server.close())),
    cut
  })
})

export const layer = Layer.effect(TcpServer, make)
