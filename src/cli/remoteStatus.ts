/** The status of a server's session, of what it told last and of its facts. Pure. */
import type { SessionId } from "../domain/Ids.ts"
import { localOwner } from "../domain/Principal.ts"
import { pendingApprovals, type SessionState } from "../domain/Session.ts"
import type { Told } from "../protocol/Client.ts"
import type { SessionStatus } from "../runtime/SessionRuntime.ts"

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
