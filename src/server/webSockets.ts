/**
 * Upgrades to WebSocket (R172, SECURITY T9). Owns: who may upgrade, and a served Connection for each who does.
 * Does not own: names and origins (requestGate), who somebody is (Auth), framing (`ws`).
 * Invariants: a refusal is an HTTP problem and a closed socket; recognising somebody takes at most `handshake_ms`.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, FiberSet, Result } from "effect"
import { WebSocket, WebSocketServer } from "ws"
import { Channels } from "../channel/Channels.ts"
import { Places } from "../channel/Places.ts"
import { AppConfig } from "../config/AppConfig.ts"
import type { Principal } from "../domain/Principal.ts"
import { counts } from "../observability/ServerMetrics.ts"
import { attributes } from "../observability/Telemetry.ts"
import { Auth } from "./Auth.ts"
import { localeOf } from "./locale.ts"
import { type Refusal, refuseUpgrade } from "./problem.ts"
import { pathOf } from "./requestGate.ts"
import { makeTicker, periodFor } from "./ticker.ts"
import { WsConnection } from "./wsConnection.ts"

/** Parts of one message, and reads of the socket that one may be kept in: each costs more than its bytes. */
const MAX_PARTS = 1024
const NOT_FOUND: Refusal = { code: "not_found", detail: "WebSockets are at /ws." }
/** Refused for who they are. */
const nobody = { unauthenticated: true, forbidden: true, rate_limited: true }

/** What the library closes with where it cannot read on: a message that is no UTF-8, too long, or in too many parts. */
const LOST: ReadonlySet<number | undefined> = new Set([1007, 1008, 1009])

/** Where the library cannot read on, it closes without a reason, and at once; here the error is said first (PROTOCOL §1). */
class Closing extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    const isOurs = data !== undefined || this.readyState !== this.OPEN
    if (isOurs || !LOST.has(code)) super.close(code, data)
  }
}

export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  /** The client's address, behind trusted proxies. */
  readonly address: string
}

const recognise = (upgrade: Upgrade) =>
  Effect.gen(function* () {
    const { limit } = yield* AppConfig
    const auth = yield* Auth
    const { address, request } = upgrade
    return yield* auth.recognise({ headers: request.headers, address }).pipe(
      Effect.mapError(({ code, retry_after_ms }): Refusal => ({
        code,
        ...(retry_after_ms === undefined ? {} : { retry_after_ms })
      })),
      Effect.timeoutOrElse({
        duration: limit.handshake_ms,
        orElse: () => Effect.fail<Refusal>({ code: "handshake_timeout" })
      }),
      Effect.result
    )
  })

/** The handshake is not one of WebSocket: its key, its version, its method. */
const refuseHandshake =
  (told: (code: string) => void) =>
  ({ message }: Error, socket: Duplex): void => {
    told("bad_message")
    refuseUpgrade(socket, { code: "bad_message", detail: `${message}.` })
  }

/** Takes an upgrade that the gate let through. */
export const makeWebSockets = Effect.gen(function* () {
  const { limit, locale } = yield* AppConfig
  const [channels, places] = [yield* Channels, yield* Places]
  const ticker = yield* makeTicker(periodFor(limit.read_ms, limit.write_ms, limit.heartbeat_ms))
  const run = yield* FiberSet.makeRuntime<AppConfig | Auth>()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    WebSocket: Closing,
    perMessageDeflate: false,
    maxPayload: limit.message_bytes,
    maxFragments: MAX_PARTS,
    maxBufferedChunks: MAX_PARTS
  })
  const { told, refused } = yield* counts
  const refuse = ({ socket, address }: Upgrade, refusal: Refusal) => {
    told(refusal.code)
    if (refusal.code in nobody) refused()
    refuseUpgrade(socket, refusal)
    const log = refusal.code in nobody ? Effect.logWarning : Effect.logInfo
    return log("an upgrade was refused", { [attributes.transport]: "ws", [attributes.code]: refusal.code, address })
  }
  server.on("wsClientError", refuseHandshake(told))
  const serve = (upgrade: Upgrade, principal: Principal | undefined) => {
    const { request, socket, head, address } = upgrade
    const place = principal === undefined ? () => undefined : places.take(principal)
    if (place === undefined) return refuse(upgrade, { code: "too_many_connections" })
    socket.once("close", place)
    server.handleUpgrade(request, socket, head, (ws) => {
      const spoken = localeOf(request.headers["accept-language"], locale)
      run(channels.serve(new WsConnection(ws, socket, { address, principal, locale: spoken, limit, ticker })))
    })
    return Effect.void
  }
  return (upgrade: Upgrade): void => {
    if (pathOf(upgrade.request.url) !== "/ws") return void run(refuse(upgrade, NOT_FOUND))
    const decided = Effect.flatMap(recognise(upgrade), (found) =>
      Result.isSuccess(found) ? serve(upgrade, found.success) : refuse(upgrade, found.failure)
    )
    run(Effect.onInterrupt(decided, () => Effect.sync(() => void upgrade.socket.destroy())))
  }
})
