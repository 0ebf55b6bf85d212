/**
 * Everything that can happen in a session, in three families (PROTOCOL §2, SETTLED 4–13).
 * `DurableBody`: facts, committed before anyone sees them, numbered by `seq` without gaps.
 * `LiveBody`: positions and states; they may be merged or missed and are rebuilt from facts.
 * `PrivateBody`: what only the machine needs; numbered by `pos` alone and never sent.
 * Names on the wire are these names.
 */
import { Schema } from "effect"
import { Answer, ApprovalRequest, Grant, Risk, Via } from "./Approval.ts"
import { BudgetLeft } from "./Budget.ts"
import { compactedFields } from "./Compacted.ts"
import { ErrorBody } from "./ErrorCode.ts"
import { CallId, EventId, GrantId, PromptId, RequestId, SessionId, StreamId, TaskId } from "./Ids.ts"
import { endFields, event, type PrivateBody, privateTypes } from "./privateBodies.ts"
import { Usage } from "./Usage.ts"

export { PrivateBody, ToolStatus } from "./privateBodies.ts"

const optional = Schema.optionalKey
export const PROTOCOL_VERSION = 1

export const FinishReason = Schema.Literals(["stop", "tool_calls", "length", "content_filter", "cancelled", "other"])
export type FinishReason = typeof FinishReason.Type

export const StateName = Schema.Literals([
  "idle",
  "preparing",
  "waiting_response",
  "waiting_approval",
  "executing_tools",
  "appending",
  "cancelling",
  "suspended"
])
export type StateName = typeof StateName.Type

const task = { task_id: TaskId }
/** `parent_call_id`: it happened in the subagent of this call, and counts for its turns. */
const turn = { task_id: TaskId, turn: Schema.Int, parent_call_id: optional(CallId) }
const prompt = { prompt_id: PromptId, content: Schema.String }

export const TaskStarted = event("task_started", {
  ...task,
  ...prompt,
  idempotency_key: optional(Schema.String),
  command: optional(Schema.Literal("compact"))
})
/** Who says it, where it is not the person: what they said is no wish of theirs, and no rule. */
export const PromptOrigin = Schema.Literals(["subagent", "hook", "claw"])
export type PromptOrigin = typeof PromptOrigin.Type
const said = { ...prompt, from: optional(PromptOrigin) }

export const PromptQueued = event("prompt_queued", {
  ...said,
  mode: Schema.Literals(["queue", "steer"]),
  idempotency_key: optional(Schema.String)
})
export const PromptUnqueued = event("prompt_unqueued", prompt)
export const PromptSteered = event("prompt_steered", { ...turn, ...said })
/** A model turn begins; its text fills `stream_id`, its reasoning `reasoning_stream_id`. */
export const Thinking = event("thinking", { ...turn, stream_id: StreamId, reasoning_stream_id: StreamId })
/** The model's whole answer; its `tool_call`s are in the same append (SETTLED 7). */
export const TextCompleted = event("text_completed", {
  ...turn,
  stream_id: StreamId,
  content: Schema.String,
  reasoning: optional(Schema.String),
  /** What the server wants back of its reasoning; nobody else can read it. */
  reasoning_state: optional(Schema.String),
  partial: optional(Schema.Boolean),
  finish_reason: FinishReason,
  usage: optional(Usage),
  model: optional(Schema.String)
})
export const StreamReset = event("stream_reset", {
  ...turn,
  stream_id: StreamId,
  next_stream_id: StreamId,
  next_reasoning_stream_id: StreamId,
  reason: Schema.String,
  /** Another model is asked from now on. */
  model: optional(Schema.String)
})
export const ToolCallMade = event("tool_call", {
  ...turn,
  call_id: CallId,
  tool_name: Schema.String,
  content: Schema.String,
  risk: Risk
})
export const ApprovalRequested = event("approval_request", { ...turn, ...ApprovalRequest.fields })
/** One for every checked call, asked or not: also the audit record (SETTLED 8). */
export const ApprovalResolved = event("approval_resolved", {
  ...turn,
  call_id: CallId,
  request_id: optional(RequestId),
  decision: Answer,
  via: Via,
  rule: optional(Schema.String),
  reason: optional(Schema.String),
  grant_id: optional(GrantId),
  grant: optional(Grant),
  by: optional(Schema.String),
  tool_name: optional(Schema.String),
  /** Of tool name and canonical arguments: what was decided about. */
  digest: optional(Schema.String),
  /** The same for people, masked and cut short: the command, or the path within the workspace. */
  shown: optional(Schema.String)
})
/** Committed before the side effect begins. `attempt` counts from 1. */
export const ToolStarted = event("tool_started", { ...turn, call_id: CallId, attempt: Schema.Int })
export const ToolResult = event("tool_result", {
  ...turn,
  call_id: CallId,
  tool_name: Schema.String,
  is_error: Schema.Boolean,
  ...endFields
})
/** The running totals of the task and the session after a model call. */
export const UsageCounted = event("usage", {
  ...turn,
  usage: Usage,
  session_usage: Usage,
  /** The model that was asked; absent: an older claw wrote it. */
  model: optional(Schema.String),
  /** What was added, where no answer of the task tells it: by a call that failed or was cut off, or by a subagent. */
  charged: optional(Usage),
  /** What the limits in force leave; absent: there is none. */
  left: optional(BudgetLeft)
})
/** A call began a run of its own, with a history of its own; its facts carry the same `parent_call_id`. */
export const SubagentStarted = event("subagent_started", {
  task_id: TaskId,
  turn: Schema.Int,
  parent_call_id: CallId,
  title: Schema.String,
  /** Its prompt. */
  content: Schema.String,
  /** The call has its result already: its report comes as a prompt that steers. */
  background: optional(Schema.Literal(true))
})
export const SubagentEnded = event("subagent_ended", {
  task_id: TaskId,
  turn: Schema.Int,
  parent_call_id: CallId,
  status: Schema.Literals(["completed", "canceled", "failed"]),
  usage: Usage,
  error: optional(ErrorBody)
})
export const Compacted = event("compacted", { ...turn, ...compactedFields })
export const Cleared = event("cleared", { up_to_seq: Schema.Int })
/** What a call did to the files is not kept, so that it cannot be taken back; told once for each reason. */
export const CheckpointSkipped = event("checkpoint_skipped", {
  ...turn,
  reason: Schema.Literals(["no_git", "home", "too_many_files", "too_large", "too_slow", "failed"])
})
/** A file that was left alone, and why: it was changed meanwhile, or what it was is not known. */
export const KeptFile = Schema.Struct({
  path: Schema.String,
  reason: Schema.Literals(["changed", "uncertain", "not_recorded", "gone", "blocked"])
})
export type KeptFile = typeof KeptFile.Type
/** A program that is told of what happened did not do its work; once a task for each. Nothing else comes of it. */
export const HookFailed = event("hook_failed", {
  ...task,
  event: Schema.Literals(["after_tool", "after_task"]),
  /** As people are told of it: whose, where it is set, its program. */
  hook: Schema.String,
  /** The end of a sentence about it. */
  reason: Schema.String,
  call_id: optional(CallId)
})
/** Somebody took back what a task did to the files (`undo`), or took that back (`redo`). Lists hold at most 100. */
export const FilesRestored = event("files_restored", {
  direction: Schema.Literals(["undo", "redo"]),
  /** Whose changes; it has ended. */
  restored_task_id: TaskId,
  files: Schema.Array(Schema.String),
  /** All that were put back, also those that `files` has no place for. */
  count: Schema.Int,
  kept: Schema.Array(KeptFile)
})
export const TaskCompleted = event("task_completed", { ...task, usage: Usage })
export const TaskCanceled = event("task_canceled", { ...task, usage: Usage, reason: optional(Schema.String) })
export const TaskFailed = event("task_failed", { ...task, usage: Usage, error: ErrorBody })

export const DurableBody = Schema.Union([
  TaskStarted,
  PromptQueued,
  PromptUnqueued,
  PromptSteered,
  Thinking,
  TextCompleted,
  StreamReset,
  ToolCallMade,
  ApprovalRequested,
  ApprovalResolved,
  ToolStarted,
  ToolResult,
  UsageCounted,
  SubagentStarted,
  SubagentEnded,
  Compacted,
  Cleared,
  CheckpointSkipped,
  HookFailed,
  FilesRestored,
  TaskCompleted,
  TaskCanceled,
  TaskFailed
])
export type DurableBody = typeof DurableBody.Type
export type DurableType = DurableBody["type"]
export type Durable<T extends DurableType> = Extract<DurableBody, { readonly type: T }>

/** Session time is RFC 3339 with milliseconds; `seq` counts public events from 1, without gaps. */
export const Envelope = Schema.Struct({
  v: Schema.Literal(PROTOCOL_VERSION),
  session_id: SessionId,
  seq: Schema.Int,
  event_id: EventId,
  ts: Schema.String
})
export type Envelope = typeof Envelope.Type
export type DurableEvent = Envelope & DurableBody

const delta = { task_id: TaskId, stream_id: Schema.String, offset: Schema.Int, content: Schema.String }

/** `offset`: UTF-16 code units of the stream that came before. */
export const TextDelta = event("text_delta", delta)
export const ThinkingDelta = event("thinking_delta", delta)
/** Live output of a running tool; `stream_id` is its call id. */
export const ToolOutputDelta = event("tool_output_delta", { ...delta, call_id: CallId })
/** What takes so long, where the state alone does not tell: a model writes a summary; hooks are asked. */
export const Waits = Schema.Literals(["summary", "hooks"])
export type Waits = typeof Waits.Type
export const StateChanged = event("state", { state: StateName, task_id: optional(TaskId), on: optional(Waits) })
export const Retrying = event("retrying", {
  ...task,
  attempt: Schema.Int,
  delay_ms: Schema.Int,
  code: Schema.String,
  /** Why, in a sentence for a person. */
  message: optional(Schema.String),
  /** Another model is asked from now on. */
  model: optional(Schema.String)
})
/** The task is started and waits for its turn to run; `position` 1: next. Then it runs: `state`. */
export const TaskWaiting = event("task_waiting", { ...task, position: Schema.Int })
export const LiveBody = Schema.Union([TextDelta, ThinkingDelta, ToolOutputDelta, StateChanged, Retrying, TaskWaiting])
export type LiveBody = typeof LiveBody.Type
export type Delta = typeof TextDelta.Type | typeof ThinkingDelta.Type | typeof ToolOutputDelta.Type

export type LiveEvent = { readonly v: 1; readonly session_id: SessionId; readonly ts: string } & LiveBody
export type SessionEvent = DurableEvent | LiveEvent

/** A piece of a stream: it may be merged with the next one of the same stream. */
export const isDelta = (event: { readonly type: string }): event is LiveEvent & Delta =>
  event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_output_delta"

/** What the engine may report: facts for everyone, and records for the machine, in one append. */
export type ReportBody = DurableBody | PrivateBody

export const isPrivate = (body: ReportBody): body is PrivateBody => privateTypes.has(body.type)

export { isNested } from "./Nested.ts"

export const isTerminal = (
  body: ReportBody
): body is Durable<"task_completed"> | Durable<"task_canceled"> | Durable<"task_failed"> =>
  body.type === "task_completed" || body.type === "task_canceled" || body.type === "task_failed"
