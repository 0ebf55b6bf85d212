/**
 * What only the machine needs of a session: the bodies of private records, numbered by `pos` alone and never sent.
 * Owns: their shapes. `Event.ts` is the door.
 */
import { Schema } from "effect"
import { CallId, TaskId } from "./Ids.ts"

const optional = Schema.optionalKey

export const ToolStatus = Schema.Literals(["ok", "error", "denied", "cancelled", "timeout", "uncertain"])
export type ToolStatus = typeof ToolStatus.Type

/** What is known of a call that ended. */
export const endFields = {
  result: Schema.String,
  status: ToolStatus,
  exit_code: optional(Schema.Int),
  signal: optional(Schema.String),
  truncated: optional(Schema.Boolean),
  duration_ms: Schema.Int,
  /** UTF-16 code units of `result` that are the tool's own; absent: all. What hooks said stands behind them. */
  own_chars: optional(Schema.Int)
}

export const event = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const task = { task_id: TaskId }
/** `parent_call_id`: of a subagent, whose call that is. */
const turn = { task_id: TaskId, turn: Schema.Int, parent_call_id: optional(CallId) }

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
  parent_call_id: optional(CallId),
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
/**
 * Whether somebody who asked for the newest restore may still not know what came of it: stored with `files_restored`, and
 * again behind the answer.
 */
export const RestoreOwed = event("restore_owed", { owed: Schema.Boolean })
/** Stored before a hook is told of the end: the call's `tool_result` follows, also where the process dies meanwhile. */
export const ToolEnded = event("tool_ended", { ...turn, call_id: CallId, ...endFields })
/** A hook's program, stored before it begins; `mark` stands in the environment of all that it starts. */
export const HookStarted = event("hook_started", {
  ...task,
  mark: Schema.String,
  pid: Schema.Int,
  start_time: Schema.String,
  /** Whose program it is, where it is told of the task's end: it is told once. */
  after_task: optional(Schema.String)
})
/** Nothing of it lives any more. */
export const HookEnded = event("hook_ended", { ...task, mark: Schema.String })
/**
 * Limits of spending that somebody set for the session; what is not named stays as it was. `within`: somebody who may not
 * set looser ones than the server's own.
 */
export const BudgetSet = event("budget_set", {
  task_tokens: optional(Schema.Finite),
  task_cost_usd: optional(Schema.Finite),
  session_tokens: optional(Schema.Finite),
  session_cost_usd: optional(Schema.Finite),
  within: optional(Schema.Literal(true))
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
  RestoreStarted,
  RestoreOwed,
  ToolEnded,
  HookStarted,
  HookEnded,
  BudgetSet
])
export type PrivateBody = typeof PrivateBody.Type

export const privateTypes: ReadonlySet<string> = new Set<PrivateBody["type"]>([
  "process_started",
  "cancel_requested",
  "model_request",
  "model_head",
  "raw_arguments",
  "file_intended",
  "checkpoint",
  "host_visited",
  "restore_started",
  "restore_owed",
  "tool_ended",
  "hook_started",
  "hook_ended",
  "budget_set"
])
