/**
 * Everything that can happen in a session, in three families (PROTOCOL §2, SETTLED 4–13).
 * `DurableBody`: facts, committed before anyone sees them, numbered by `seq` without gaps.
 * `LiveBody`: positions and states; they may be merged or missed and are rebuilt from facts.
 * `PrivateBody`: what only the machine needs; numbered by `pos` alone and never sent.
 * Names on the wire are these names.
 */
import { Schema } from "effect"
import { Answer, ApprovalRequest, Grant, Risk, Via } from "./Approval.ts"
import { compactedFields } from "./Compacted.ts"
import { ErrorBody } from "./ErrorCode.ts"
import { CallId, EventId, GrantId, PromptId, RequestId, SessionId, StreamId, TaskId } from "./Ids.ts"
import { Usage } from "./Usage.ts"

const optional = Schema.optionalKey
const event = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

export const PROTOCOL_VERSION = 1

export const FinishReason = Schema.Literals(["stop", "tool_calls", "length", "content_filter", "cancelled", "other"])
export type FinishReason = typeof FinishReason.Type

export const ToolStatus = Schema.Literals(["ok", "error", "denied", "cancelled", "timeout", "uncertain"])
export type ToolStatus = typeof ToolStatus.Type

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
const turn = { task_id: TaskId, turn: Schema.Int }
const prompt = { prompt_id: PromptId, content: Schema.String }

export const TaskStarted = event("task_started", {
  ...task,
  ...prompt,
  idempotency_key: optional(Schema.String),
  command: optional(Schema.Literal("compact"))
})
export const PromptQueued = event("prompt_queued", {
  ...prompt,
  mode: Schema.Literals(["queue", "steer"]),
  idempotency_key: optional(Schema.String)
})
export const PromptUnqueued = event("prompt_unqueued", prompt)
export const PromptSteered = event("prompt_steered", { ...turn, ...prompt })
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
  result: Schema.String,
  status: ToolStatus,
  is_error: Schema.Boolean,
  exit_code: optional(Schema.Int),
  signal: optional(Schema.String),
  truncated: optional(Schema.Boolean),
  duration_ms: Schema.Int
})
/** The running total of the task after a model call. */
/** `charged`: what a call that failed, or a summary, was counted; else the totals grew by the newest answer's usage. */
export const UsageCounted = event("usage", { ...turn, usage: Usage, session_usage: Usage, charged: optional(Usage) })
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
  Compacted,
  Cleared,
  CheckpointSkipped,
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
export const StateChanged = event("state", { state: StateName, task_id: optional(TaskId) })
export const Retrying = event("retrying", {
  ...task,
  attempt: Schema.Int,
  delay_ms: Schema.Int,
  code: Schema.String,
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

export const ProcessStarted = event("process_started", {
  ...task,
  call_id: CallId,
  pid: Schema.Int,
  start_time: Schema.String
})
export const CancelRequested = event("cancel_requested", task)
/** A request to the model: the SHA-256 of it as `engine/RequestDigest` writes it down, and which head it had. */
export const ModelRequested = event("model_request", { ...turn, digest: Schema.String, head: optional(Schema.String) })
/** What requests begin with, until another one is stored; `tools` is canonical JSON. */
export const ModelHead = event("model_head", {
  digest: Schema.String,
  model: Schema.String,
  system: Schema.String,
  tools: Schema.String,
  max_output_tokens: optional(Schema.Int)
})
/** The raw text of arguments that do not parse (SETTLED 15). */
export const RawArguments = event("raw_arguments", { ...turn, call_id: CallId, raw: Schema.String })
/**
 * What a call that names its file is to make of it, SHA-256 of the whole content; `before` absent: there is no file.
 * Stored with its `tool_started`, so that a look at the file tells later whether it happened.
 */
export const FileIntended = event("file_intended", {
  ...task,
  call_id: CallId,
  before: optional(Schema.String),
  after: Schema.String
})
/** What a call did to the files; `step` names it in the store of checkpoints. */
export const Checkpoint = event("checkpoint", {
  ...task,
  call_id: CallId,
  step: Schema.String,
  /** The call was cut off by a crash: others may have changed files before this was looked at. */
  uncertain: optional(Schema.Boolean)
})
/** A host that a call asked for, and whether it got there: the audit has it (SECURITY T7). */
export const HostVisited = event("host_visited", {
  ...turn,
  call_id: CallId,
  host: Schema.String,
  port: Schema.Int,
  times: Schema.Int,
  refused: optional(Schema.Literals(["not_listed", "private_address", "not_found"]))
})
/** Committed before the first file is touched; `files_restored` follows. `plan` names what is done. */
export const RestoreStarted = event("restore_started", {
  direction: Schema.Literals(["undo", "redo"]),
  restored_task_id: TaskId,
  plan: Schema.String
})
export const PrivateBody = Schema.Union([
  ProcessStarted,
  CancelRequested,
  ModelRequested,
  ModelHead,
  RawArguments,
  FileIntended,
  Checkpoint,
  HostVisited,
  RestoreStarted
])
export type PrivateBody = typeof PrivateBody.Type

/** What the engine may report: facts for everyone, and records for the machine, in one append. */
export type ReportBody = DurableBody | PrivateBody

const privateTypes: ReadonlySet<string> = new Set<PrivateBody["type"]>([
  "process_started",
  "cancel_requested",
  "model_request",
  "model_head",
  "raw_arguments",
  "file_intended",
  "checkpoint",
  "host_visited",
  "restore_started"
])
export const isPrivate = (body: ReportBody): body is PrivateBody => privateTypes.has(body.type)

export const isTerminal = (
  body: ReportBody
): body is Durable<"task_completed"> | Durable<"task_canceled"> | Durable<"task_failed"> =>
  body.type === "task_completed" || body.type === "task_canceled" || body.type === "task_failed"
