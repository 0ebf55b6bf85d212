/**
 * A session's state as a fold of its public events. Owns: the shape and `fold`; decisions stand in `Decide.ts`.
 * Invariants, for any prefix of any sequence of events: folding is total; `messages` is a history that a strict
 * model API accepts; at most one task runs. The console folds with this same function.
 */
import type { ApprovalRequest, Risk } from "./Approval.ts"
import type { Durable, FinishReason, ToolStatus } from "./Event.ts"
import type { CallId, PromptId, StreamId, TaskId } from "./Ids.ts"
import type { ErrorBody } from "./ErrorCode.ts"
import * as Usage from "./Usage.ts"

export interface CallResult {
  readonly result: string
  readonly status: ToolStatus
  readonly exit_code?: number
  readonly signal?: string
  readonly truncated?: boolean
  readonly duration_ms: number
}

/** One tool call and what became of it so far. */
export interface CallState {
  readonly call_id: CallId
  readonly tool_name: string
  readonly arguments: string
  readonly risk: Risk
  /** Open while `resolved` is absent. */
  readonly request?: ApprovalRequest
  readonly resolved?: Pick<Durable<"approval_resolved">, "decision" | "via">
  /** Attempts begun; 0: not started. */
  readonly started: number
  readonly result?: CallResult
}

export type HistoryItem =
  | { readonly kind: "prompt"; readonly task_id?: TaskId; readonly prompt_id: PromptId; readonly content: string }
  | {
      readonly kind: "answer"
      readonly stream_id: StreamId
      readonly content: string
      readonly reasoning?: string
      readonly partial: boolean
      readonly finish_reason: FinishReason
      readonly calls: ReadonlyArray<CallState>
    }
  | { readonly kind: "summary"; readonly content: string }

export interface RunningTask {
  readonly task_id: TaskId
  readonly prompt_id: PromptId
  /** Model turns begun; 0: none yet. */
  readonly turn: number
  /** Streams that `thinking` opened and no `text_completed` closed yet. */
  readonly stream?: { readonly stream_id: StreamId; readonly reasoning_stream_id: StreamId }
  readonly usage: Usage.Usage
}

export interface QueuedPrompt {
  readonly prompt_id: PromptId
  readonly content: string
  readonly mode: "queue" | "steer"
  readonly idempotency_key?: string
}

export type TaskStatus = "running" | "completed" | "canceled" | "failed"

export interface EndedTask {
  readonly task_id: TaskId
  readonly status: Exclude<TaskStatus, "running">
  readonly error?: ErrorBody
  readonly usage: Usage.Usage
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
}

export const initial: SessionState = {
  seq: 0,
  history: [],
  task: undefined,
  last: undefined,
  queue: [],
  queue_paused: false,
  usage: Usage.none,
  tasks: 0
}
