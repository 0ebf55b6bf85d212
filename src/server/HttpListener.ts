/**
 * The port of HTTP, WebSocket and console (R174, R236). Owns: the listening node server, its limits of time and size,
 * its TLS, the names under which it may be asked. Does not own: what is answered; `HttpServer` hands that in.
 * Invariants: slow handshakes, headers and bodies are cut off; what is no HTTP is the handlers' to answer; only a
 * WebSocket is an upgrade, any other offer is ignored (RFC 9110 §7.8); what came before the handlers did waits for them;
 * with the scope every socket is gone, whether or not its peer reads.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { networkInterfaces } from "node:os"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Context, Effect, Layer } from "effect"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import { TELLING } from "./Admission.ts"
import { listen } from "./Listening.ts"
import { type Own, ownOrigins } from "./Origins.ts"
import { Tls } from "./Tls.ts"

export interface Handlers {
  /** `expects`: the client waits to be told that it may send the body; or what it waits for is not known here. */
  readonly request: (request: IncomingMessage, response: ServerResponse, expects?: "continue" | "unknown") => void
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** A connection, before anything came on it. */
  readonly connection: (socket: Socket) => void
  /** What came is no HTTP, or did not come in time; `code` is node's. */
  readonly broken: (code: string, socket: Duplex) => void
}

export class HttpListener extends Context.Service<
  HttpListener,
  {
    readonly address: { readonly host: string; readonly port: number }
    /** `http://127.0.0.1:8081`: for people on this machine. */
    readonly url: string
    /** Names and pages that count as this server's own. */
    readonly own: Own
    /** Once. */
    readonly handle: (handlers: Handlers) => void
    /** No new connections from now on; idle ones end. */
    readonly stop: Effect.Effect<void>
    /** Whoever is still connected is cut off. */
    readonly cut: Effect.Effect<void>
  }
>()("claw/server/HttpListener") {}

/** Beyond what has a place or is told that there is none: what was accepted in the same moment. */
const SPARE = 256
const MAX_HEADER_BYTES = 16_384
const KEEP_ALIVE_MS = 30_000

const everyAddress = (host: string) => host === "0.0.0.0" || host === "::" || host === ""

const addressesOf = (host: string): ReadonlyArray<string> =>
  everyAddress(host)
    ? [host, ...Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))]
    : [host]

const urlOf = (host: string, port: number, tls: boolean): string => {
  const name = everyAddress(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return `${tls ? "https" : "http"}://${name}:${port}`
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket"

const optionsOf = ({ limit }: ConfigShape) => ({
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: limit.handshake_ms,
  handshakeTimeout: limit.handshake_ms,
  shouldUpgradeCallback: isWebSocket,
  // Refused by the gate, like any other name that is not ours.
  requireHostHeader: false,
  requestTimeout: Math.max(limit.read_ms, limit.handshake_ms),
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: Math.min(1000, Math.max(10, Math.floor(limit.handshake_ms / 4)))
})

/** Hands on to the handlers, which come once the rest of the program is built. */
const wire = (server: Server) => {
  let handlers: Handlers | undefined
  const waiting: Array<(ready: Handlers) => void> = []
  const later = (use: (ready: Handlers) => void) => (handlers === undefined ? void waiting.push(use) : use(handlers))
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => void sockets.delete(socket))
    socket.on("error", () => undefined)
    later((ready) => ready.connection(socket))
  })
  server.on("request", (request, response) => later((ready) => ready.request(request, response)))
  server.on("checkContinue", (request, response) => later((ready) => ready.request(request, response, "continue")))
  server.on("checkExpectation", (request, response) => later((ready) => ready.request(request, response, "unknown")))
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) =>
    later((ready) => ready.broken(code ?? "", socket))
  )
  server.on("upgrade", (request, socket, head) => later((ready) => ready.upgrade(request, socket, head)))
  // Nothing is tunnelled here; unasked, node closes such a connection without a word.
  server.on("connect", (request, socket, head) => later((ready) => ready.upgrade(request, socket, head)))
  return {
    sockets,
    handle: (given: Handlers) => {
      handlers = given
      for (const use of waiting.splice(0)) use(given)
    }
  }
}

const make = Effect.gen(function* () {
  const tls = yield* Tls
  const config = yield* AppConfig
  const { host, http_port } = config.server
  const pair = tls.current()
  const options = optionsOf(config)
  const server = pair === undefined ? createServer(options) : createTlsServer({ ...options, ...pair })
  server.maxConnections = config.limit.connections + TELLING + SPARE
  const { sockets, handle } = wire(server)
  yield* tls.follow(server)
  const { port } = yield* listen(server, { host, port: http_port, what: "HTTP" })
  return HttpListener.of({
    address: { host, port },
    url: urlOf(host, port, pair !== undefined),
    own: ownOrigins({ addresses: addressesOf(host), port, tls: pair !== undefined }, config.server),
    handle,
    stop: Effect.sync(() => void (server.listening && server.close())),
    cut: Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  })
})

export const layer = Layer.effect(HttpListener, make)
