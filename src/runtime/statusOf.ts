/** What a running session says of itself. Pure. */
import type { Mode } from "../approval/ApprovalGate.ts"
import type { BudgetUse } from "../domain/Budget.ts"
import { pendingApprovals } from "../domain/Session.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { Parts } from "./RuntimeFactory.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { SessionStatus } from "./SessionRuntime.ts"

interface Shown {
  readonly log: SessionLog
  readonly parts: Parts
  readonly settings: { readonly meta: SessionMeta; readonly mode: Mode | undefined }
}

export const statusOf = (live: Shown, budgets: ReadonlyArray<BudgetUse>): SessionStatus => {
  const { log, settings, parts } = live
  const { task, seq, queue, queue_paused, tasks, usage } = log.state()
  return {
    meta: settings.meta,
    mode: settings.mode ?? parts.mode,
    model: settings.meta.model ?? parts.model,
    state: log.stateName(),
    ...(task === undefined ? {} : { task: { task_id: task.task_id, turn: task.turn } }),
    pending_approvals: pendingApprovals(log.state()),
    queue: queue.map(({ prompt_id, content, mode }) => ({ prompt_id, content, mode })),
    queue_paused,
    tasks,
    usage,
    ...(budgets.length === 0 ? {} : { budgets }),
    position: seq,
    damaged: log.damaged.length,
    ...(log.isReadOnly ? { read_only: true } : {})
  }
}
