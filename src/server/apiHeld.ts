/**
 * A session that another living process holds (SETTLED 16), read here. Owns: what is told of it, from what is stored,
 * and who has it. Does not own: writing to it, which is that process's. Invariant: nothing is claimed or changed.
 */
import { Clock, Effect } from "effect"
import { statusBody } from "../channel/Status.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { isPrivate } from "../domain/Event.ts"
import { foldAll } from "../domain/Fold.ts"
import type { SessionId } from "../domain/Ids.ts"
import { initial, lastCalls, pendingApprovals, type SessionState } from "../domain/Session.ts"
import type { SessionRuntime, SessionStatus } from "../runtime/SessionRuntime.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { CallerShape } from "./apiCaller.ts"
import { type Coded, holderIn, refuse } from "./apiProblem.ts"
import { indexOf, readFacts } from "./apiScope.ts"

export interface Here {
  readonly kind: "here"
  readonly session: SessionRuntime
}

export interface Elsewhere {
  readonly kind: "elsewhere"
  readonly meta: SessionMeta
  readonly held_by: string
}

/** The session, or that somebody else has it. */
export const orHeld = <E extends Coded, R>(
  caller: CallerShape,
  id: SessionId,
  opened: Effect.Effect<SessionRuntime, E, R>
) =>
  opened.pipe(
    Effect.map((session): Here | Elsewhere => ({ kind: "here", session })),
    Effect.catchIf(
      ({ code }: E) => code === "session_moved",
      (error) =>
        Effect.flatMap(indexOf(caller), (index) => index.get(id)).pipe(
          Effect.map((meta): Here | Elsewhere => ({ kind: "elsewhere", meta, held_by: holderIn(error) }))
        )
    )
  )

/** Also where it was removed and made again: that is another one. */
export const isStillThere = (caller: CallerShape, { meta }: Elsewhere) =>
  Effect.flatMap(indexOf(caller), (index) => index.get(meta.session_id)).pipe(
    Effect.map(({ created_at }) => created_at === meta.created_at),
    Effect.catchIf(
      ({ code }) => code === "session_not_found",
      () => Effect.succeed(false)
    )
  )

export const notAhead = Effect.fnUntraced(function* (caller: CallerShape, id: SessionId, after: number) {
  if (after === 0) return
  const { records } = yield* readFacts(caller, id, after - 1, 1)
  if (records.length === 0) return yield* refuse("position_ahead")
})

const PAGE = 1000

const stored = Effect.fnUntraced(function* (caller: CallerShape, id: SessionId) {
  let [state, damaged]: [SessionState, number] = [initial, 0]
  for (let [after, more] = [0, true]; more;) {
    const page = yield* readFacts(caller, id, after, PAGE)
    const facts = page.records.flatMap(({ body, seq }) => (seq === undefined || isPrivate(body) ? [] : [{ seq, body }]))
    state = foldAll(state, facts)
    damaged += page.damaged.length
    after = page.records.at(-1)?.seq ?? after
    more = page.more
  }
  return { state, damaged }
})

/** As far as the facts tell. */
export const nameOf = (state: SessionState): SessionStatus["state"] => {
  if (state.task === undefined) return "idle"
  if (pendingApprovals(state).length > 0) return "waiting_approval"
  return lastCalls(state).some(({ result }) => result === undefined) ? "executing_tools" : "waiting_response"
}

/** The wire's `status`, and who has it. */
export const heldStatus = Effect.fnUntraced(function* (caller: CallerShape, { meta, held_by }: Elsewhere) {
  const config = yield* AppConfig
  const { state, damaged } = yield* stored(caller, meta.session_id)
  const { task, seq, queue, queue_paused, tasks, usage } = state
  const status: SessionStatus = {
    meta,
    mode: (meta.mode ?? config.mode) as SessionStatus["mode"],
    model: meta.model ?? config.model ?? "",
    state: nameOf(state),
    ...(task === undefined ? {} : { task: { task_id: task.task_id, turn: task.turn } }),
    pending_approvals: pendingApprovals(state),
    queue: queue.map(({ prompt_id, content, mode }) => ({ prompt_id, content, mode })),
    queue_paused,
    tasks,
    usage,
    position: seq,
    damaged
  }
  const ts = new Date(yield* Clock.currentTimeMillis).toISOString()
  return { v: 1 as const, session_id: meta.session_id, ts, ...statusBody(status, 0), held_by }
})
