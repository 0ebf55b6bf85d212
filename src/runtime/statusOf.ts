/** What a running session says of itself. Pure. */
import type { Mode } from "../approval/ApprovalGate.ts"
import type { BudgetName, BudgetUse } from "../domain/Budget.ts"
import { pendingApprovals, type SessionState } from "../domain/Session.ts"
import * as Usage from "../domain/Usage.ts"
import type { Caps, Limits } from "../engine/EngineLimits.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { Parts } from "./RuntimeFactory.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { SessionStatus } from "./SessionRuntime.ts"

/** Limits that a next task begins with. */
export type BeginsWith = Partial<
  Pick<Limits, "turn_tokens" | "task_tokens" | "task_cost_usd" | "session_tokens" | "session_cost_usd">
>

const row = (budget: BudgetName, unit: "tokens" | "usd", limit = 0, used: Usage.Usage = Usage.none) => {
  const spent = unit === "usd" ? (used.cost_usd ?? 0) : used.input_tokens + used.output_tokens
  return limit === 0 ? [] : [{ budget, unit, used: spent, limit }]
}

/**
 * All limits in force. Of what runs the engine knows them; between two tasks they are those of the next one, of which
 * nothing is used yet.
 */
export const inForce = (
  budgets: ReadonlyArray<BudgetUse>,
  limits: BeginsWith,
  { task, usage }: Pick<SessionState, "task" | "usage">
): ReadonlyArray<BudgetUse> => {
  const turn = row("turn", "tokens", limits.turn_tokens)
  if (task !== undefined) return [...turn, ...budgets]
  return [
    ...turn,
    ...row("task", "tokens", limits.task_tokens),
    ...row("task", "usd", limits.task_cost_usd),
    ...row("session", "tokens", limits.session_tokens, usage),
    ...row("session", "usd", limits.session_cost_usd, usage),
    ...budgets.filter(({ budget }) => budget === "tenant")
  ]
}

interface Shown {
  readonly log: SessionLog
  readonly parts: Parts
  readonly settings: { readonly meta: SessionMeta; readonly mode: Mode | undefined }
  readonly caps: Caps
}

export const statusOf = (live: Shown, known: ReadonlyArray<BudgetUse>): SessionStatus => {
  const { caps, log, settings, parts } = live
  const budgets = inForce(known, { ...parts.limits, ...caps }, log.state())
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
