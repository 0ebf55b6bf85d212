/**
 * What time does to a connection: handshake, heartbeats, silence, slowness, revocation (R178, R181, R234–R239).
 * Owns: one fiber each, in the connection's scope, and only where there is something to watch.
 * Invariant: only a peer that owes an answer can be found dead; all of these ends are the server's own.
 */
import { Effect, Latch } from "effect"
import type { Principal } from "../domain/Principal.ts"
import { end, endRevoked, endWith, type Peer, send } from "./peer.ts"

const fork = (peer: Peer, watching: Effect.Effect<void>) => Effect.asVoid(Effect.forkIn(watching, peer.scope))

/** A connection that must sign in has this long. */
export const watchHandshake = (peer: Peer) =>
  fork(
    peer,
    Effect.andThen(
      Effect.sleep(peer.shared.config.limit.handshake_ms),
      Effect.sync(() => {
        if (peer.principal === undefined) endWith(peer, "handshake_timeout")
      })
    )
  )

export const watchRevocation = (peer: Peer, principal: Principal) =>
  fork(
    peer,
    Effect.andThen(
      peer.shared.authenticator.revoked(principal),
      Effect.sync(() => endRevoked(peer))
    )
  )

/**
 * JSON pings, to who said hello. The oldest unanswered one and the silence since decide; whoever ended its input owes
 * no answer, and is pinged so that a reset shows when it is gone altogether.
 */
export const watchHeartbeat = (peer: Peer) => {
  const { heartbeat_ms, dead_ms } = peer.shared.config.limit
  const { now } = peer.shared
  const beating = Effect.gen(function* () {
    let owedSince: number | undefined
    let pingAt = now() + heartbeat_ms
    for (;;) {
      const deadAt = owedSince === undefined ? Infinity : now() - peer.connection.silentMs() + dead_ms
      yield* Effect.sleep(Math.max(1, Math.min(pingAt, deadAt) - now()))
      const heardAt = now() - peer.connection.silentMs()
      if (peer.halved || (owedSince !== undefined && heardAt >= owedSince)) owedSince = undefined
      if (owedSince !== undefined && now() - heardAt >= dead_ms) {
        return end(peer, { by: "server", reads: false, code: 1001, reason: "dead" })
      }
      if (now() < pingAt) continue
      send(peer, { type: "ping" })
      if (!peer.halved) owedSince ??= now()
      pingAt += heartbeat_ms
    }
  })
  return fork(peer, beating)
}

/** Silent while nothing runs; heartbeats are no words. */
export const watchIdle = (peer: Peer) => {
  const { idle_ms } = peer.shared.config.limit
  if (idle_ms === 0) return Effect.void
  const { now } = peer.shared
  const idling = Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(Math.max(1, peer.activeAt + idle_ms - now()))
      const state = peer.attached === undefined ? undefined : yield* peer.attached.runtime.state
      if (state?.task !== undefined) peer.activeAt = now()
      else if (now() - peer.activeAt >= idle_ms) return endWith(peer, "idle_timeout")
    }
  })
  return fork(peer, idling)
}

/** Sleeps until something waits for the reader, then until it is too late: no event costs a fiber or a timer. */
export const watchReader = (peer: Peer) =>
  fork(
    peer,
    Effect.gen(function* () {
      for (;;) {
        yield* peer.waits.await
        Latch.closeUnsafe(peer.waits)
        for (let lateAt = peer.outbox.lateAt(); lateAt !== undefined; lateAt = peer.outbox.lateAt()) {
          yield* Effect.sleep(Math.max(1, lateAt - peer.shared.now()))
          peer.outbox.look()
        }
      }
    })
  )
