/**
 * What is known of one connection, and how it is spoken to. Owns: the envelope of a connection's own events, the one
 * end. Invariants: `end` counts once; every event says its session as soon as there is one.
 */
import { Deferred, Effect, type Latch, type Scope } from "effect"
import type { ConfigShape } from "../config/AppConfig.ts"
import { type ErrorBody, type ErrorCode, errorBody } from "../domain/ErrorCode.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Principal } from "../domain/Principal.ts"
import { attributes } from "../observability/Telemetry.ts"
import type { Counts } from "../observability/ServerMetrics.ts"
import type { Detach } from "../protocol/ClientMessage.ts"
import type { ConnectionBody, ConnectionEvent } from "../protocol/ServerEvent.ts"
import { closing, localised } from "../protocol/WireError.ts"
import type { RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { Attachments, Hold, Leaving } from "./Attachments.ts"
import type { Authenticator } from "./Authenticator.ts"
import type { Beside } from "./beside.ts"
import type { Connection, Ending } from "./Connection.ts"
import { textOf } from "./eventText.ts"
import type { Outbox } from "./Outbox.ts"
import type { Places, Release } from "./Places.ts"
import type { PromptRate } from "./PromptRate.ts"

/** What all connections of a process share. */
export interface Shared {
  readonly config: ConfigShape
  readonly attachments: Attachments["Service"]
  readonly authenticator: Authenticator["Service"]
  readonly manager: RuntimeManager["Service"]
  readonly promptRate: PromptRate["Service"]
  readonly places: Places["Service"]
  readonly now: () => number
  readonly counts: Counts
  /** Lives longer than any connection. */
  readonly scope: Scope.Scope
  readonly peers: Set<Peer>
  /** Epoch milliseconds; present: no new work. */
  deadline: number | undefined
}

/** `client`: it went, the disconnect rule counts. `server`: we ended it, or nothing is heard of it; its task runs on. */
export interface End extends Ending {
  readonly by: "client" | "server"
  /** Who it was may no longer be here, nor answer what it was asked. */
  readonly revoked?: true
  /** Whether it may still read what we send. */
  readonly reads: boolean
}

export interface Attached {
  readonly hold: Hold
  readonly runtime: SessionRuntime
  /** The subscription's. */
  readonly scope: Scope.Closeable
  readonly detach: Detach
}

/** What needs a session is refused likewise, until a `hello` or `resume` succeeds. */
export interface Refused {
  readonly code: ErrorCode
  /** It may succeed later: what needs the session tries it first. */
  readonly again?: Effect.Effect<void, RuntimeError>
}

export interface Peer {
  readonly shared: Shared
  readonly connection: Connection
  readonly outbox: Outbox
  /** Of what the connection does; closed before its session is left. */
  readonly scope: Scope.Scope
  readonly ended: Deferred.Deferred<End>
  /** Done when nothing is left of it. */
  readonly gone: Deferred.Deferred<void>
  /** Open while something waits for the reader. */
  readonly waits: Latch.Latch
  principal: Principal | undefined
  /** Its place among its principal's, where the transport took none. */
  place: Release | undefined
  /** It said `hello`: heartbeats are answered. */
  greeted: boolean
  /** Its input has ended (TCP half-close): it cannot answer heartbeats. */
  halved: boolean
  /** Why its last `hello` or `resume` was refused, or that its session was removed. */
  refused: Refused | undefined
  /** What it asked for and waits for. */
  readonly beside: Beside
  session_id: SessionId | undefined
  attached: Attached | undefined
  /** When it last said something that is no heartbeat, or was last told of its session. */
  activeAt: number
}

export const send = <T extends ConnectionEvent["type"]>(
  peer: Peer,
  body: Extract<ConnectionBody, { readonly type: T }>,
  paced?: "paced"
): void => {
  peer.outbox.send(envelope(peer, body), paced)
}

const envelope = (peer: Peer, body: ConnectionBody): ConnectionEvent => {
  const session = peer.session_id === undefined ? {} : { session_id: peer.session_id }
  return { v: 1, ...session, ts: new Date(peer.shared.now()).toISOString(), ...body }
}

/** What an answer is about; an absent one is left out. */
export interface Context {
  readonly request_id?: string
  readonly task_id?: string
  readonly idempotency_key?: string
  readonly retry_after_ms?: number
  /** A sentence of its own. */
  readonly detail?: string
}

const bodyOf = (peer: Peer, code: ErrorCode, { detail, ...context }: Context): ErrorBody =>
  localised({ ...errorBody(code, detail), ...context }, peer.connection.locale)

export const complain = (peer: Peer, code: ErrorCode, context: Context = {}): void => {
  peer.shared.counts.told(code)
  send(peer, { type: "error", error: bodyOf(peer, code, context) })
}

export const end = (peer: Peer, given: End): void => {
  Deferred.doneUnsafe(peer.ended, Effect.succeed(given))
}

const WRONG = 1011

/** We end it: the error, then the close with the error's code. */
export const endWith = (peer: Peer, code: ErrorCode, context: Context = {}): void => {
  complain(peer, code, context)
  end(peer, { by: "server", reads: true, code: closing[code] ?? WRONG, reason: code })
}

/** Its token no longer counts. */
export const endRevoked = (peer: Peer): void => {
  complain(peer, "unauthenticated")
  const code = closing.unauthenticated ?? WRONG
  end(peer, { by: "server", revoked: true, reads: true, code, reason: "unauthenticated" })
}

/** It may not be here, for who it is. */
export const endUnknown = (peer: Peer, code: ErrorCode = "unauthenticated", context: Context = {}): void => {
  peer.shared.counts.refused()
  endWith(peer, code, context)
}

/** It did not say who it is. */
export const endNobody = (peer: Peer): Effect.Effect<void> =>
  // In this order: with its end, whatever it still does is over.
  Effect.andThen(
    Effect.logWarning("a connection did not sign in", {
      address: peer.connection.address,
      [attributes.code]: "unauthenticated"
    }),
    Effect.sync(() => endUnknown(peer))
  )

/** The outbox has given up on its reader: the error goes past it, for what it is worth. */
export const endSlow = (peer: Peer): void => {
  const error = bodyOf(peer, "slow_consumer", {})
  const { counts } = peer.shared
  counts.slow()
  counts.told("slow_consumer")
  counts.sent(peer.connection.transport, 1)
  peer.connection.send(textOf(envelope(peer, { type: "error", error })))
  end(peer, { by: "server", reads: true, code: 4008, reason: "slow_consumer" })
}

export const leavingOf = ({ by, revoked }: End, { detach }: Attached): Leaving => {
  if (by === "server") return revoked === true ? "revoked" : "run_on"
  if (detach === "until_done") return "run_on"
  return detach ? "detach" : "cancel"
}
