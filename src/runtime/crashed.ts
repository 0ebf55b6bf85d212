/**
 * What is left of a task whose process ended under it. Owns: the end of its child processes, its close.
 * Invariant: a call that was running and of whose end nothing is stored is `uncertain`, never repeated here.
 */
import { Effect } from "effect"
import { close, type Outcome } from "../domain/Decide.ts"
import { fold } from "../domain/Fold.ts"
import { errorBody } from "../domain/ErrorCode.ts"
import * as Points from "../observability/Points.ts"
import { endLeftover } from "../sandbox/Leftover.ts"
import { ended } from "./recover.ts"
import type { SessionLog } from "./sessionLog.ts"

const LEFTOVER_GRACE_MS = 2_000

/** Processes of calls that were running when the process died. */
export const endLeftovers = Effect.fnUntraced(function* (log: SessionLog) {
  const ended = Effect.forEach(log.marks.processes(), (leftover) => endLeftover(leftover, LEFTOVER_GRACE_MS), {
    concurrency: 8
  })
  Points.reach("recovery before")
  if ((yield* ended).includes(false)) yield* Effect.logWarning("a process of an interrupted call is still alive")
  Points.reach("recovery leftovers ended")
})

/**
 * A task that cannot go on is closed: a call whose end is stored has it as its result, others are uncertain, its end is `interrupted_by_restart`, or what somebody
 * had asked for before.
 */
export const closeCrashed = (log: SessionLog) => {
  const { task } = log.state()
  const canceled = task !== undefined && log.marks.canceled(task.task_id)
  const outcome: Outcome = canceled
    ? { status: "canceled" }
    : { status: "failed", error: errorBody("interrupted_by_restart") }
  const known = ended(log.state(), log.marks.endOf)
  return log.commit([...known, ...close(known.reduce(fold, log.state()), outcome, { crashed: true })])
}
