/**
 * A session's status as it is told on every transport (PROTOCOL §2). Owns: what stands in it, for connections and HTTP
 * alike. Does not own: the envelope, which is the transport's.
 */
import type { ConnectionBody } from "../protocol/ServerEvent.ts"
import type { SessionStatus } from "../runtime/SessionRuntime.ts"

export type StatusBody = Extract<ConnectionBody, { readonly type: "status" }>

/** `attached`: clients that are present at it. */
export const statusBody = (status: SessionStatus, attached: number): StatusBody => {
  const { meta, tasks, usage, damaged, mode, model, state, task } = status
  const { pending_approvals, queue, queue_paused, position } = status
  return {
    type: "status",
    title: meta.title,
    workspace: meta.workspace,
    mode,
    model,
    state,
    ...(task === undefined ? {} : { task }),
    pending_approvals,
    queue,
    queue_paused,
    position,
    ...(status.budgets === undefined ? {} : { budgets: status.budgets }),
    ...(status.read_only === undefined ? {} : { read_only: status.read_only }),
    counters: { tasks, usage, attached, damaged }
  }
}
