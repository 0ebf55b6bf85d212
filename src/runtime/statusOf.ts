/** What a running session says of itself. Pure. */
import type { Mode } from "../approval/ApprovalGate.ts"
import type { BudgetUse } from "../domain/Budget.ts"
import type { Usage } from "../domain/Usage.ts"
import type { Caps } from "../engine/EngineLimits.ts"
import { pendingApprovals } from "../domain/Session.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { Parts } from "./RuntimeFactory.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { SessionStatus } from "./SessionRuntime.ts"

/** Limits that somebody set, each with what it is of. */
const KEYS = [
  ["task_tokens", "task", "tokens"],
  ["task_cost_usd", "task", "usd"],
  ["session_tokens", "session", "tokens"],
  ["session_cost_usd", "session", "usd"]
] as const

/** As the next task will find them: what somebody set since the last one stands in the place of what held for that. */
const upcoming = (budgets: ReadonlyArray<BudgetUse>, caps: Caps, usage: Usage): ReadonlyArray<BudgetUse> => {
  const set = KEYS.filter(([key]) => caps[key] !== undefined)
  const others = budgets.filter(({ budget, unit }) => !set.some(([, b, u]) => b === budget && u === unit))
  const used = { tokens: usage.input_tokens + usage.output_tokens, usd: usage.cost_usd ?? 0 }
  const made = set.map(([key, budget, unit]) => ({
    budget,
    unit,
    used: budget === "task" ? 0 : used[unit],
    limit: caps[key] ?? 0
  }))
  const order = ["turn", "task", "session", "tenant"]
  return [...made.filter(({ limit }) => limit > 0), ...others].toSorted(
    (a, b) => order.indexOf(a.budget) - order.indexOf(b.budget)
  )
}

interface Shown {
  readonly log: SessionLog
  readonly parts: Parts
  readonly settings: { readonly meta: SessionMeta; readonly mode: Mode | undefined; readonly caps: Caps }
}

export const statusOf = (live: Shown, running: ReadonlyArray<BudgetUse>): SessionStatus => {
  const { log, settings, parts } = live
  const { task, seq, queue, queue_paused, tasks, usage } = log.state()
  const budgets = task === undefined ? upcoming(running, settings.caps, usage) : running
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
