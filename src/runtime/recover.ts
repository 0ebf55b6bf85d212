/**
 * What becomes of a stored session's task that nobody runs: the table of DESIGN §7 as pure functions.
 * Invariant: an effect that may have happened is repeated only where its tool says that this is harmless, its look at
 * the world that it did not happen, or a person that it shall be.
 */
import type { ApprovalRequest } from "../domain/Approval.ts"
import { cutSubagents, uncertainText } from "../domain/Decide.ts"
import type { Durable, DurableBody, ReportBody } from "../domain/Event.ts"
import { type CallId, newPromptId, newRequestId, type TaskId } from "../domain/Ids.ts"
import type { CallStep, Ended, Look, Place } from "../engine/Resumption.ts"
import {
  type AnswerItem,
  type CallState,
  isUncertain,
  itemsOfTask,
  lastCalls,
  type SessionState
} from "../domain/Session.ts"
import { cutWork } from "./cutSubagent.ts"

export interface Known {
  /** Of calls that were started and have no result: by their tools' word the call may run again. */
  readonly looks: ReadonlyMap<CallId, Look>
  /** Calls whose arguments did not parse. */
  readonly broken: ReadonlySet<CallId>
}

export type Recovery =
  /** No task runs, or it has ended. */
  | { readonly kind: "idle" }
  | { readonly kind: "resume"; readonly place: Place }
  /** A person gave it up; its end is missing. */
  | { readonly kind: "stopped" }

/** Calls that ran when their process died, and of which nobody has said anything yet. */
export const cutOff = (state: SessionState): ReadonlyArray<CallState> =>
  state.task === undefined
    ? []
    : lastCalls(state).filter(
        (call) =>
          call.result === undefined &&
          call.started > 0 &&
          !isUncertain(call) &&
          call.resolved?.decision !== "retry" &&
          call.resolved?.decision !== "stop"
      )

const REASON = "claw stopped while this call ran, and nobody knows whether it did what it was to do"

const questionOf = (
  state: SessionState,
  { call_id, tool_name, arguments: content, risk, request }: CallState
): ApprovalRequest => {
  const { preview, content_digest, shown } = request ?? {}
  return {
    request_id: newRequestId(),
    kind: "recovery",
    call_id,
    tool_name,
    content,
    risk,
    reason: REASON,
    grant_options: [],
    ...(preview === undefined ? {} : { preview }),
    ...(content_digest === undefined ? {} : { content_digest }),
    ...(shown === undefined ? {} : { shown }),
    ...cutWork(state, call_id)
  }
}

const endOf = (
  at: { readonly task_id: TaskId; readonly turn: number },
  { call_id, tool_name }: CallState,
  { duration_ms = 0, result, status, exit_code, own_chars, signal, truncated }: Ended
): Durable<"tool_result"> => ({
  type: "tool_result",
  ...at,
  call_id,
  tool_name,
  result,
  status,
  is_error: status !== "ok",
  ...(exit_code === undefined ? {} : { exit_code }),
  ...(signal === undefined ? {} : { signal }),
  ...(truncated === undefined ? {} : { truncated }),
  ...(own_chars === undefined ? {} : { own_chars }),
  duration_ms
})

/** The results of calls whose ends are stored: nothing is asked about these, and none runs again. */
export const ended = (
  state: SessionState,
  endOfCall: (call: CallId) => Ended | undefined
): ReadonlyArray<DurableBody> => {
  const { task } = state
  if (task === undefined) return []
  return lastCalls(state).flatMap((call) => {
    const end = call.result === undefined ? endOfCall(call.call_id) : undefined
    return end === undefined ? [] : [endOf({ task_id: task.task_id, turn: task.turn }, call, end)]
  })
}

/**
 * What is to be stored before the task goes on: the result of what turned out to have happened, the question about
 * what nobody can know. `ask` false: nobody is ever asked, and the model is told that the outcome is unknown.
 */
export const found = (state: SessionState, looks: Known["looks"], ask: boolean): ReadonlyArray<ReportBody> => {
  const { task } = state
  if (task === undefined) return []
  const at = { task_id: task.task_id, turn: task.turn }
  const cut = cutSubagents(state, true, newPromptId)
  const calls = cutOff(state).flatMap((call): ReadonlyArray<ReportBody> => {
    const look = looks.get(call.call_id) ?? { kind: "unknown" }
    if (look.kind === "again") return []
    if (look.kind === "done") return [endOf(at, call, look)]
    if (ask) return [{ type: "approval_request", ...at, ...questionOf(state, call) }]
    return [endOf(at, call, { status: "uncertain", result: uncertainText() })]
  })
  return [...cut, ...calls]
}

const stepOf = (call: CallState, { looks, broken }: Known): CallStep => {
  const attempt = call.started + 1
  if (call.resolved?.decision === "retry") return { do: "run", call, attempt }
  if (isUncertain(call) && call.request !== undefined) return { do: "ask", call, request: call.request, attempt }
  if (broken.has(call.call_id)) return { do: "reject", call }
  if (call.resolved === undefined) return { do: "check", call, attempt }
  const allowed = call.resolved.decision === "allow_once" || call.resolved.decision === "allow_session"
  // What was started and is no question by now may run again.
  const mayRun = call.started === 0 || looks.get(call.call_id)?.kind === "again"
  if (!allowed || !mayRun) return { do: "deny", call, attempt }
  // A person's word holds. Rules, the mode and grants may be others by now: they are looked at again (C9, SECURITY P12).
  return call.resolved.via === "user" ? { do: "run", call, attempt } : { do: "check", call, attempt }
}

const at = (kind: "turn" | "ask" | "finish"): Recovery => ({ kind: "resume", place: { kind } })

/** Once what `found` says is stored. */
export const recover = (state: SessionState, known: Known): Recovery => {
  if (state.task === undefined) return { kind: "idle" }
  if (state.task.stream !== undefined) return at("ask")
  const answer = itemsOfTask(state).findLast((item): item is AnswerItem => item.kind === "answer")
  if (answer === undefined) return at("turn")
  const open = answer.calls.filter((call) => call.result === undefined)
  if (open.some(({ resolved }) => resolved?.decision === "stop")) return { kind: "stopped" }
  if (open.length > 0) {
    return { kind: "resume", place: { kind: "calls", steps: open.map((call) => stepOf(call, known)) } }
  }
  return at(answer.calls.length > 0 ? "turn" : "finish")
}
