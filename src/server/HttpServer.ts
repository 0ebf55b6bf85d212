/**
 * One port for HTTP, WebSocket and console (R174). Owns: the gate in front of both, places for connections, the end of
 * accepting. Does not own: routes; `HttpRoutes` is whatever answers what is no upgrade.
 * Invariants: nothing behind the gate sees a request of an unknown name or a foreign page; a connection that has no
 * place is told `too_many_connections` where it asks at once, and is gone soon; a connection has one request under way;
 * what is no HTTP is answered with a problem, too.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Context, Effect, Layer } from "effect"
import type { Release } from "../channel/Places.ts"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import { counts } from "../observability/ServerMetrics.ts"
import { Admission } from "./Admission.ts"
import { Drain } from "./Drain.ts"
import { type Handlers, HttpListener } from "./HttpListener.ts"
import { makeInTurn } from "./inTurn.ts"
import { plainAddress } from "./Listening.ts"
import { answer, type Refusal, refuseUpgrade } from "./problem.ts"
import { proxiesOf } from "./Proxies.ts"
import { corsHeaders, isPreflight, judge, originForm, preflightHeaders } from "./requestGate.ts"
import { makeWebSockets } from "./webSockets.ts"

/** Answers every request that is no upgrade. */
export class HttpRoutes extends Context.Service<
  HttpRoutes,
  { readonly handle: (request: IncomingMessage, response: ServerResponse) => void }
>()("claw/server/HttpRoutes") {}

/** Nothing is here. */
export const layerNothing = Layer.succeed(
  HttpRoutes,
  HttpRoutes.of({
    handle: (_, response) => answer(response, { code: "not_found" })
  })
)

/** The client's address, behind trusted proxies. */
export const addressOf = ({ server }: Pick<ConfigShape, "server">) => {
  const proxies = proxiesOf(server.trusted_proxies)
  return (request: IncomingMessage): string =>
    proxies.address(plainAddress(request.socket.remoteAddress), request.headers)
}

export class HttpServer extends Context.Service<
  HttpServer,
  { readonly address: { readonly host: string; readonly port: number }; readonly url: string }
>()("claw/server/HttpServer") {}

const FULL: Refusal = { code: "too_many_connections", retry_after_ms: 1000 }
/** Within this a connection without a place says what it wants and is told, or is cut off. */
const GRACE_MS = 2000

/** What node's own refusals mean; anything else is the line's or the handshake's failure, and is owed nothing. */
const refusalOf = (code: string): Refusal | undefined => {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { code: "too_large", status: 431, detail: "The request's headers are too large." }
  }
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") {
    return { code: "too_large", detail: "The body's chunk extensions are too large." }
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { code: "handshake_timeout", detail: "The request took too long to arrive." }
  }
  return code.startsWith("HPE_") ? { code: "bad_message", detail: "That is not a valid HTTP/1.1 request." } : undefined
}

const UNKNOWN: Refusal = { code: "bad_message", status: 417, detail: "Only `Expect: 100-continue` is known here." }

/** Something of an answer has gone out: another one would end up in its middle. */
const isAnswering = (socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true

/** Which sockets have a place. One that has none is answered once and ended. */
const placing = Effect.gen(function* () {
  const admission = yield* Admission
  const config = yield* AppConfig
  const { own } = yield* HttpListener
  const proxies = proxiesOf(config.server.trusted_proxies)
  const placed = new WeakSet<object>()
  const keep = (socket: Socket, place: Release | undefined): boolean => {
    if (place !== undefined) socket.once("close", place)
    return place !== undefined
  }
  return {
    connection: (socket: Socket) => {
      const peer = plainAddress(socket.remoteAddress)
      // A proxy's connections are everybody's; an upgrade is judged by the address that it names.
      if (keep(socket, admission.connection(proxies.trusts(peer) ? undefined : peer))) return void placed.add(socket)
      if (!keep(socket, admission.refusal(peer)))
        return own.direct === "http" ? refuseUpgrade(socket, FULL) : void socket.destroy()
      const grace = setTimeout(() => socket.destroy(), GRACE_MS)
      socket.once("close", () => clearTimeout(grace))
    },
    address: addressOf(config),
    refused: (request: IncomingMessage): Refusal | undefined => (isPlaced(placed, request.socket) ? undefined : FULL),
    upgrade: (request: IncomingMessage, address: string): Refusal | undefined => {
      if (!proxies.trusts(plainAddress(request.socket.remoteAddress))) return undefined
      return keep(request.socket, admission.address(address)) ? undefined : FULL
    }
  }
})

/** A TLS socket stands on the one that was accepted. */
const isPlaced = (placed: WeakSet<object>, socket: Socket & { readonly _parent?: Socket }): boolean =>
  placed.has(socket) || (socket._parent !== undefined && socket._parent !== null && placed.has(socket._parent))

const broken =
  (told: (code: string) => void): Handlers["broken"] =>
  (code, socket) => {
    const refusal = refusalOf(code)
    if (refusal === undefined || isAnswering(socket)) return void socket.destroy()
    told(refusal.code)
    refuseUpgrade(socket, refusal)
  }

/** Nobody is asked for a body that is refused as soon as it is looked at. */
const isTaken = ({ headers }: IncomingMessage, { limit }: ConfigShape): boolean =>
  Number(headers["content-length"] ?? 0) <= limit.http_body_bytes

type Expects = Parameters<Handlers["request"]>[2]

const make = Effect.gen(function* () {
  const [listener, routes, drain] = [yield* HttpListener, yield* HttpRoutes, yield* Drain]
  const [config, webSockets] = [yield* AppConfig, yield* makeWebSockets]
  const places = yield* placing
  const { told } = yield* counts
  const refuse = (response: ServerResponse, refusal: Refusal) => {
    told(refusal.code)
    answer(response, refusal)
  }
  const inTurn = makeInTurn()
  const take = (request: IncomingMessage, response: ServerResponse, expects?: Expects) => {
    const refusal =
      places.refused(request) ?? judge(listener.own, request) ?? (expects === "unknown" ? UNKNOWN : undefined)
    if (refusal !== undefined) return refuse(response, refusal)
    if (expects === "continue" && isTaken(request, config)) response.writeContinue()
    request.url = originForm(request.url)
    for (const [name, value] of Object.entries(corsHeaders(request))) response.setHeader(name, value)
    if (isPreflight(request)) return void response.writeHead(204, preflightHeaders).end()
    routes.handle(request, response)
  }
  listener.handle({
    connection: places.connection,
    request: (request, response, expects) => inTurn(request, response, () => take(request, response, expects)),
    broken: broken(told),
    upgrade: (request, socket: Duplex, head) => {
      socket.on("error", () => undefined)
      const address = places.address(request)
      const refusal =
        places.refused(request) ??
        judge(listener.own, request) ??
        (drain.draining() ? ({ code: "server_draining" } as const) : undefined) ??
        places.upgrade(request, address)
      if (refusal !== undefined) {
        told(refusal.code)
        return refuseUpgrade(socket, refusal)
      }
      request.url = originForm(request.url)
      webSockets({ request, socket, head, address })
    }
  })
  return HttpServer.of({ address: listener.address, url: listener.url })
})

export const layer = Layer.effect(HttpServer, make)
