/** The status of a server's session, of what it told last and of its facts. Pure. */
import type { SessionId } from "../domain/Ids.ts"
import { localOwner } from "../domain/Principal.ts"
import { pendingApprovals, type SessionState } from "../domain/Session.ts"
import type { Told } from "../protocol/ClientContract.ts"
import type { SessionRuntime, SessionStatus } from "../runtime/SessionRuntime.ts"

type Caps = Parameters<NonNullable<SessionRuntime["setBudget"]>>[0]

export const statusOf = (
  state: SessionState,
  told: Told<"status"> | undefined,
  session_id: SessionId
): SessionStatus => {
  const { budgets, title = "", workspace = "", mode = "ask", model = "", state: name = "idle", counters } = told ?? {}
  return {
    meta: { session_id, owner: localOwner, workspace, title, created_at: "", updated_at: "" },
    mode: mode as SessionStatus["mode"],
    model,
    state: name,
    ...(state.task === undefined ? {} : { task: { task_id: state.task.task_id, turn: state.task.turn } }),
    pending_approvals: pendingApprovals(state),
    queue: state.queue,
    queue_paused: state.queue_paused,
    tasks: state.tasks,
    usage: state.usage,
    ...(budgets === undefined ? {} : { budgets }),
    position: state.seq,
    damaged: counters?.damaged ?? 0,
    ...(told?.read_only === true ? { read_only: true } : {})
  }
}

/** What holds of limits that were asked for: the operator's may be stricter. While a task runs, the status is its own. */
export const heldOf = (caps: Caps, { task }: SessionState, told: Told<"status"> | undefined): Caps => {
  if (task !== undefined || told === undefined) return caps
  const limitOf = (key: string): number => {
    const [budget, unit] = [key.startsWith("task") ? "task" : "session", key.endsWith("tokens") ? "tokens" : "usd"]
    return told.budgets?.find((one) => one.budget === budget && one.unit === unit)?.limit ?? 0
  }
  return Object.fromEntries(Object.keys(caps).map((key) => [key, limitOf(key)]))
}
