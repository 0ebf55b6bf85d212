/**
 * What belongs to the caller (SETTLED 23): its sessions, its index, its journals' names. Owns: the way from a caller to
 * them. Invariant: no handler reaches a session but through here, so that none reaches another owner's.
 */
import { Clock, Effect } from "effect"
import { Authenticator } from "../channel/Authenticator.ts"
import { Attachments, type HoldRequest, type Leaving } from "../channel/Attachments.ts"
import { statusBody } from "../channel/Status.ts"
import type { SessionId } from "../domain/Ids.ts"
import { sessionKey } from "../domain/Principal.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { Journal } from "../store/Journal.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import type { CallerShape } from "./apiCaller.ts"

export const indexOf = (caller: CallerShape) => Effect.map(SessionIndex, (index) => index.for(caller.owner))

/** Presence at a session until the request ends; one that only looks leaves everything as it was. */
export const present = (caller: CallerShape, request: Omit<HoldRequest, "owner">, leaving: Leaving = "unchanged") =>
  Effect.flatMap(Attachments, (attachments) =>
    Effect.acquireRelease(attachments.hold({ ...request, owner: caller.owner }), (hold) => hold.leave(leaving))
  ).pipe(Effect.map((hold) => hold.runtime))

/**
 * Presence of a request that may start or steer work. Once it says `started`, somebody is present until that work's own
 * end, so that it is neither cancelled with the request nor left without anybody to ask (SETTLED 2, 5).
 */
export const working = Effect.fnUntraced(function* (caller: CallerShape, session_id: SessionId) {
  const [attachments, { revoked }] = [yield* Attachments, yield* Authenticator]
  let leaving: Leaving = "unchanged"
  const request = { owner: caller.owner, session_id, answers: true, counts: false }
  const { runtime } = yield* Effect.acquireRelease(
    attachments.hold({ ...request, revoked: revoked(caller.principal) }),
    (hold) => Effect.suspend(() => hold.leave(leaving))
  )
  return { runtime, started: Effect.sync(() => void (leaving = "when_idle")) }
})

/** The running session, or the stored one brought back. */
export const openSession = (caller: CallerShape, id: SessionId) =>
  present(caller, { session_id: id, answers: false, counts: false })

/** Public records behind `after`, of a session that the caller has. */
export const readFacts = (caller: CallerShape, id: SessionId, after: number, limit: number) =>
  Effect.flatMap(Journal, (journal) => journal.readPublic(sessionKey(caller.owner, id), after, limit))

/** The same in front of `before`, the newest `limit`. */
export const readFactsBack = (caller: CallerShape, id: SessionId, before: number, limit: number) =>
  Effect.flatMap(Journal, (journal) => journal.readPublicBack(sessionKey(caller.owner, id), before, limit))

/** The wire's `status` event. */
export const shown = Effect.fnUntraced(function* (caller: CallerShape, session: SessionRuntime) {
  const [attachments, status] = [yield* Attachments, yield* session.status]
  const { session_id } = status.meta
  const ts = new Date(yield* Clock.currentTimeMillis).toISOString()
  return { v: 1 as const, session_id, ts, ...statusBody(status, attachments.count(caller.owner, session_id)) }
})
