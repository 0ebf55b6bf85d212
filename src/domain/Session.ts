/**
 * A session's state as a fold of its public events. Owns: the shape; `Fold.ts` folds, `Decide.ts` decides,
 * `History.ts` makes messages of it.
 * Invariants, for any prefix of any sequence of events: folding is total; `messages` is a history that a strict
 * model API accepts; at most one task runs. The console folds with this same function.
 */
import type { ApprovalRequest, Risk } from "./Approval.ts"
import type { Durable, FinishReason, PromptOrigin, ToolStatus } from "./Event.ts"
import type { CallId, PromptId, RequestId, StreamId, TaskId } from "./Ids.ts"
import type { ErrorBody } from "./ErrorCode.ts"
import * as Usage from "./Usage.ts"

export interface CallResult {
  readonly result: string
  readonly status: ToolStatus
  readonly exit_code?: number
  readonly signal?: string
  readonly truncated?: boolean
  readonly duration_ms: number
  /** Of `result`, what is the tool's own; absent: all. */
  readonly own_chars?: number
}

/** One tool call and what became of it so far. */
export interface CallState {
  readonly call_id: CallId
  readonly tool_name: string
  readonly arguments: string
  readonly risk: Risk
  /** Open while `resolved` is absent. */
  readonly request?: ApprovalRequest
  /** Questions about it that were asked anew, since what it would run changed. */
  readonly before?: ReadonlyArray<RequestId>
  readonly resolved?: Pick<Durable<"approval_resolved">, "decision" | "via">
  /** Attempts begun; 0: not started. */
  readonly started: number
  readonly result?: CallResult
}

/** `seq`: the event that put it there; items behind a `compacted` or `cleared` are told apart by it. */
export type HistoryItem =
  | { readonly kind: "prompt"; readonly seq: number; readonly prompt_id: PromptId; readonly content: string }
  | {
      readonly kind: "answer"
      readonly seq: number
      readonly stream_id: StreamId
      readonly content: string
      readonly reasoning?: string
      readonly reasoning_state?: string
      readonly partial: boolean
      readonly finish_reason: FinishReason
      readonly calls: ReadonlyArray<CallState>
    }
  | { readonly kind: "summary"; readonly seq: number; readonly content: string }
  /** What the model has to know of what happened outside of it. */
  | { readonly kind: "note"; readonly seq: number; readonly content: string }

export type AnswerItem = Extract<HistoryItem, { readonly kind: "answer" }>

export interface RunningTask {
  readonly task_id: TaskId
  readonly prompt_id: PromptId
  /** Model turns begun; 0: none yet. */
  readonly turn: number
  /** Not a prompt for the model: what it is to do is in its text. */
  readonly command?: { readonly name: "compact"; readonly focus: string }
  /** Streams that `thinking` opened and no `text_completed` closed yet. */
  readonly stream?: { readonly stream_id: StreamId; readonly reasoning_stream_id: StreamId }
  readonly usage: Usage.Usage
}

export interface QueuedPrompt {
  readonly prompt_id: PromptId
  readonly content: string
  readonly mode: "queue" | "steer"
  readonly idempotency_key?: string
  /** Not the person: it reaches the task that it is meant for, or is a note of the conversation. */
  readonly from?: PromptOrigin
}

export type TaskStatus = "running" | "completed" | "canceled" | "failed"

export interface EndedTask {
  readonly task_id: TaskId
  readonly status: Exclude<TaskStatus, "running">
  readonly error?: ErrorBody
  readonly usage: Usage.Usage
}

/** What an idempotency key was used for. */
export interface KeyUse {
  readonly prompt_id: PromptId
  readonly task_id?: TaskId
  readonly content: string
  /** It was taken back before it ran: it never will. */
  readonly withdrawn?: true
}

/** A run inside a call: its own state, of which only the running task's part means anything. */
export interface Subagent {
  readonly title: string
  readonly background: boolean
  readonly state: SessionState
}

export interface SessionState {
  /** Public events folded so far. */
  readonly seq: number
  readonly history: ReadonlyArray<HistoryItem>
  readonly task: RunningTask | undefined
  readonly last: EndedTask | undefined
  readonly queue: ReadonlyArray<QueuedPrompt>
  /** True after an interrupt or a failure, until the next prompt or `resume_queue` (SETTLED 11). */
  readonly queue_paused: boolean
  /** Everything ever spent in this session; `/clear` does not reset it. */
  readonly usage: Usage.Usage
  readonly tasks: number
  readonly keys: ReadonlyMap<string, KeyUse>
  /** Those that run, by the call that began them. */
  readonly subagents: ReadonlyMap<CallId, Subagent>
}

export const initial: SessionState = {
  seq: 0,
  history: [],
  task: undefined,
  last: undefined,
  queue: [],
  queue_paused: false,
  usage: Usage.none,
  tasks: 0,
  keys: new Map(),
  subagents: new Map()
}

/** It was running when its process died, and a person has not yet said what becomes of it. */
export const isUncertain = ({ request, resolved, result }: CallState): boolean =>
  request?.kind === "recovery" && resolved === undefined && result === undefined

const openRequests = (state: SessionState): ReadonlyArray<ApprovalRequest> =>
  lastCalls(state).flatMap((call) =>
    call.request !== undefined && call.resolved === undefined && call.result === undefined ? [call.request] : []
  )

/** Approvals that wait for an answer, oldest first; those of subagents behind. */
export const pendingApprovals = (state: SessionState): ReadonlyArray<ApprovalRequest> =>
  state.task === undefined
    ? []
    : [...openRequests(state), ...Array.from(state.subagents.values()).flatMap((one) => openRequests(one.state))]

/** What the running task added so far, its prompt left out; all of the history where that was replaced meanwhile. */
export const itemsOfTask = ({ task, history }: SessionState): ReadonlyArray<HistoryItem> =>
  history.slice(history.findLastIndex((item) => item.kind === "prompt" && item.prompt_id === task?.prompt_id) + 1)

/** The calls of the newest answer: the only ones that can still be open. */
export const lastCalls = (state: SessionState): ReadonlyArray<CallState> => {
  const answer = state.history.findLast((item) => item.kind === "answer")
  return answer?.kind === "answer" ? answer.calls : []
}
