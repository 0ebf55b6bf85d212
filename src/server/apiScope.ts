/**
 * What belongs to the caller (SETTLED 23): its sessions, its index, its journals' names. Owns: the way from a caller to
 * them. Invariant: no handler reaches a session but through here, so that none reaches another owner's.
 */
import { Effect } from "effect"
import type { Channels } from "../channel/Channels.ts"
import type { SessionId } from "../domain/Ids.ts"
import { sessionKey } from "../domain/Principal.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionStatus } from "../runtime/SessionRuntime.ts"
import { Journal } from "../store/Journal.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import type { CallerShape } from "./apiCaller.ts"

export const sessionsOf = (caller: CallerShape) => Effect.map(RuntimeManager, (manager) => manager.for(caller.owner))

export const indexOf = (caller: CallerShape) => Effect.map(SessionIndex, (index) => index.for(caller.owner))

/** The running session, or the stored one brought back. */
export const openSession = (caller: CallerShape, id: SessionId) =>
  Effect.flatMap(sessionsOf(caller), (sessions) => sessions.open(id, { recover: true }))

/** Public records behind `after`, of a session that the caller has. */
export const readFacts = (caller: CallerShape, id: SessionId, after: number, limit: number) =>
  Effect.flatMap(Journal, (journal) => journal.readPublic(sessionKey(caller.owner, id), after, limit))

/** The wire's `status` event. */
export const statusBody = (status: SessionStatus, attached: number) => ({
  type: "status" as const,
  v: 1 as const,
  session_id: status.meta.session_id,
  ts: new Date().toISOString(),
  title: status.meta.title,
  workspace: status.meta.workspace,
  mode: status.mode,
  model: status.model,
  state: status.state,
  ...(status.task === undefined ? {} : { task: status.task }),
  pending_approvals: status.pending_approvals,
  queue: status.queue,
  queue_paused: status.queue_paused,
  position: status.position,
  counters: { tasks: status.tasks, usage: status.usage, attached, damaged: status.damaged }
})

export const showStatus = Effect.fnUntraced(function* (
  caller: CallerShape,
  id: SessionId,
  channels: Channels["Service"]
) {
  const session = yield* openSession(caller, id)
  return statusBody(yield* session.status, yield* channels.attached(caller.owner, id))
})
