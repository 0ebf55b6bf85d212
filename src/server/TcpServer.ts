/**
 * JSON lines over TCP (PROTOCOL, head). Owns: the listening socket, and a served Connection for each peer it lets in.
 * Does not own: conversations (channel), how many may connect (Admission).
 * Invariants: a peer that is not let in is told `too_many_connections`; `stop` refuses new peers at once and leaves the
 * others; with the scope every socket is gone, whether or not its peer reads.
 */
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { Context, Effect, FiberSet, Layer } from "effect"
import { Authenticator } from "../channel/Authenticator.ts"
import { Channels } from "../channel/Channels.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { counts } from "../observability/ServerMetrics.ts"
import { closing } from "../protocol/WireError.ts"
import { Admission } from "./Admission.ts"
import { listen, plainAddress } from "./Listening.ts"
import { makeTicker, periodFor } from "./ticker.ts"
import { TcpConnection } from "./tcpConnection.ts"
import { Tls } from "./Tls.ts"
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

/** Beyond what is admitted: peers that are being told so, and TLS handshakes under way. */
const SPARE = 256

const open = Effect.gen(function* () {
  const tls = yield* Tls
  const { limit, server: where } = yield* AppConfig
  const options = { allowHalfOpen: true, noDelay: true }
  const server: Server =
    tls.current() === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...tls.current(), handshakeTimeout: limit.handshake_ms })
  server.maxConnections = limit.connections + SPARE
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => void sockets.delete(socket))
    // A peer that leaves during the handshake is its own business.
    socket.on("error", () => undefined)
  })
  yield* tls.follow(server)
  const { port } = yield* listen(server, { host: where.host, port: where.tcp_port, what: "TCP" })
  return { server, port, cut: Effect.sync(() => sockets.forEach((socket) => socket.destroy())) }
})

const make = Effect.gen(function* () {
  const { limit, locale, server: where } = yield* AppConfig
  const [channels, admission] = [yield* Channels, yield* Admission]
  const principal = (yield* Authenticator).anonymous
  const { server, port, cut } = yield* open
  const ticker = yield* makeTicker(periodFor(limit.read_ms, limit.write_ms))
  const run = yield* FiberSet.makeRuntime()
  const { told } = yield* counts
  const refuse = (connection: TcpConnection) => {
    told("too_many_connections")
    connection.send(errorEvent({ code: "too_many_connections" }, locale))
    run(connection.close({ code: closing.too_many_connections ?? 1013, reason: "too_many_connections" }))
  }
  const accept = (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress)
    const place = admission.connection(address)
    const connection = new TcpConnection(socket, { address, principal, locale, limit, ticker })
    if (place === undefined) return refuse(connection)
    socket.once("close", place)
    run(channels.serve(connection))
  }
  server.on((yield* Tls).current() === undefined ? "connection" : "secureConnection", accept)
  return TcpServer.of({
    address: { host: where.host, port },
    stop: Effect.sync(() => void (server.listening && server.close())),
    cut
  })
})

export const layer = Layer.effect(TcpServer, make)
