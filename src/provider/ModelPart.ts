/**
 * What comes out of a model: parts of one answer. Invariant: a stream of parts ends with exactly one `completed`,
 * or fails with one `ProviderError`; nothing follows either (R097, LESSONS 5).
 */
import type { FinishReason } from "../domain/Event.ts"
import type { AssistantMessage } from "../domain/Message.ts"
import type { Usage } from "../domain/Usage.ts"

export interface TextDelta {
  readonly type: "text_delta"
  readonly text: string
}

export interface ReasoningDelta {
  readonly type: "reasoning_delta"
  readonly text: string
}

/** A call is being written; for display only, never acted on. `bytes`: argument characters so far. */
export interface ToolCallProgress {
  readonly type: "tool_call_progress"
  readonly index: number
  readonly tool_name: string
  readonly bytes: number
}

/** A complete call whose arguments are not a JSON object: kept raw, never repaired, never run (SETTLED 15). */
export interface BadCall {
  readonly call_id: string
  readonly raw: string
  readonly complaint: string
}

export interface Completed {
  readonly type: "completed"
  /** Arguments of a call named in `bad_calls` are `{}` here. */
  readonly message: AssistantMessage
  readonly bad_calls: ReadonlyArray<BadCall>
  readonly finish_reason: FinishReason
  readonly usage?: Usage
  /** The model that answered, as the server names it. */
  readonly model?: string
}

export type ModelPart = TextDelta | ReasoningDelta | ToolCallProgress | Completed
