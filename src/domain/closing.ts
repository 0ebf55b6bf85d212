/**
 * The facts that close what is open: an answer, calls, questions, subagents. Pure. Owns: what each of them says; `Decide`
 * is the door. Invariant: each call gets exactly one result, each question is resolved, each subagent has an end.
 */
import type { ErrorBody } from "./ErrorCode.ts"
import type { DurableBody, ToolStatus } from "./Event.ts"
import { reportText, unreportedText } from "./FromClaw.ts"
import type { CallId, PromptId, TaskId } from "./Ids.ts"
import { type CallState, isUncertain, lastCalls, type SessionState } from "./Session.ts"
import { finishedText, hasFinished } from "./SubagentReport.ts"

/** How a task ends. */
export type Outcome =
  | { readonly status: "completed" }
  | { readonly status: "canceled"; readonly reason?: string }
  | { readonly status: "failed"; readonly error: ErrorBody }

/** What an open model answer had shown when it was cut. */
export interface Shown {
  readonly content: string
  readonly reasoning: string
}

export const unfinished: Record<"cancelled" | "uncertain" | "not_started" | "suspended", string> = {
  suspended:
    "Stopped while it ran, since claw was shutting down. Its effects may be partial; check before repeating it.",
  cancelled: "Cancelled by the user while it ran. Its effects may be partial; check before repeating it.",
  uncertain: "The program stopped while this call ran. Its outcome is unknown; check before repeating it.",
  not_started: "Not executed: the task was stopped first."
}

const stopped = (reason: string): string =>
  `Cancelled while it ran (${reason}). Its effects may be partial; check before repeating it.`

const resultOf = (call: CallState, running: "cancelled" | "uncertain", outcome: Outcome) => {
  const reason = outcome.status === "canceled" ? outcome.reason : undefined
  const ran = isUncertain(call) ? "uncertain" : running
  const status: ToolStatus = call.started > 0 ? ran : "cancelled"
  if (call.started > 0 && ran === "cancelled" && reason !== undefined) return { status, result: stopped(reason) }
  return { status, result: unfinished[call.started > 0 ? ran : "not_started"] }
}

/** What a model reads of a call whose outcome nobody knows; `note`: what a person said of it. */
export const uncertainText = (note = ""): string =>
  note.trim() === "" ? unfinished.uncertain : `${unfinished.uncertain} The user says: ${note.trim()}`

/** What becomes of an open question when its task ends without an answer. */
const withdrawn = (call: CallState) =>
  isUncertain(call) ? ({ decision: "skip", via: "recovery" } as const) : ({ decision: "deny", via: "cancel" } as const)

export const closeCalls = (
  state: SessionState,
  running: "cancelled" | "uncertain",
  outcome: Outcome
): ReadonlyArray<DurableBody> => {
  const task = state.task
  if (task === undefined) return []
  const at = { task_id: task.task_id, turn: task.turn }
  return lastCalls(state).flatMap((call): ReadonlyArray<DurableBody> => {
    if (call.result !== undefined) return []
    const request_id = call.request?.request_id
    const shown = call.request?.shown
    const denied = { ...withdrawn(call), tool_name: call.tool_name, ...(shown === undefined ? {} : { shown }) }
    const resolved: ReadonlyArray<DurableBody> =
      call.resolved !== undefined || request_id === undefined
        ? []
        : [{ type: "approval_resolved", ...at, call_id: call.call_id, request_id, ...denied }]
    const { call_id, tool_name } = call
    const made = { type: "tool_result", ...at, call_id, tool_name, is_error: true, duration_ms: 0 } as const
    return [...resolved, { ...made, ...resultOf(call, running, outcome) }]
  })
}

export const closeAnswer = (
  state: SessionState,
  outcome: Outcome,
  shown: Shown | undefined
): ReadonlyArray<DurableBody> => {
  const task = state.task
  if (task?.stream === undefined) return []
  const reasoning = shown === undefined || shown.reasoning === "" ? {} : { reasoning: shown.reasoning.toWellFormed() }
  return [
    {
      type: "text_completed",
      task_id: task.task_id,
      turn: task.turn,
      stream_id: task.stream.stream_id,
      content: (shown?.content ?? "").toWellFormed(),
      ...reasoning,
      partial: true,
      finish_reason: outcome.status === "canceled" ? "cancelled" : "other"
    }
  ]
}

/**
 * The end of a subagent whose state this is, to be committed as one append: its facts, and `subagent_ended` in the place
 * of a task's end. Empty where it has none.
 */
export const closeSubagent = (
  state: SessionState,
  parent_call_id: CallId,
  outcome: Outcome,
  options: { readonly shown?: Shown; readonly crashed?: boolean } = {}
): ReadonlyArray<DurableBody> => {
  const { task } = state
  if (task === undefined) return []
  const own = [
    ...closeAnswer(state, outcome, options.shown),
    ...closeCalls(state, options.crashed === true ? "uncertain" : "cancelled", outcome)
  ].map((body): DurableBody => ({ ...body, parent_call_id }) as DurableBody)
  const { status } = outcome
  const error = outcome.status === "failed" ? { error: outcome.error } : {}
  const { task_id, turn, usage } = task
  return [...own, { type: "subagent_ended", task_id, turn, parent_call_id, status, usage, ...error }]
}

/** All that run, ended by what ends the task or cuts it off. */
export const closeSubagents = (state: SessionState, outcome: Outcome, crashed: boolean): ReadonlyArray<DurableBody> =>
  Array.from(state.subagents).flatMap(([id, { state: inside }]) => closeSubagent(inside, id, outcome, { crashed }))

/**
 * What is stored of subagents that a stop of the process cut off, where their task goes on: their ends, and of those in
 * the background, whose calls have their results, a word for the model. One whose last answer is stored was done, and
 * says so. `ids`: of those words.
 */
export const cutSubagents = (
  state: SessionState,
  crashed: boolean,
  ids: () => PromptId
): ReadonlyArray<DurableBody> => {
  const ends = Array.from(state.subagents).flatMap(([id, { state: inside }]) =>
    closeSubagent(inside, id, { status: hasFinished(inside) ? "completed" : "canceled" }, { crashed })
  )
  const words = Array.from(state.subagents.values()).flatMap((one): ReadonlyArray<DurableBody> => {
    if (!one.background) return []
    const { state: inside, title } = one
    const content = hasFinished(inside)
      ? reportText({ title, failed: false, text: finishedText(inside) })
      : unreportedText(title)
    return [{ type: "prompt_queued", prompt_id: ids(), content, mode: "steer", from: "subagent" }]
  })
  return [...ends, ...words]
}

export const terminal = (task_id: TaskId, state: SessionState, outcome: Outcome): DurableBody => {
  const usage = state.task?.usage ?? { input_tokens: 0, output_tokens: 0 }
  switch (outcome.status) {
    case "completed":
      return { type: "task_completed", task_id, usage }
    case "canceled":
      return {
        type: "task_canceled",
        task_id,
        usage,
        ...(outcome.reason === undefined ? {} : { reason: outcome.reason })
      }
    case "failed":
      return { type: "task_failed", task_id, usage, error: { ...outcome.error, task_id } }
  }
}
