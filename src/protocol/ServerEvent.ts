/**
 * What a server may say (PROTOCOL §2): the session's events as the domain has them, and what concerns one connection
 * alone. Owns: the latter. Invariant: events of a connection are never numbered and never stored.
 * `session_id` is on every event as soon as the connection has a session.
 */
import { Schema } from "effect"
import { ApprovalRequest } from "../domain/Approval.ts"
import { BudgetUse } from "../domain/Budget.ts"
import { ErrorBody } from "../domain/ErrorCode.ts"
import { PROTOCOL_VERSION, type SessionEvent, StateName } from "../domain/Event.ts"
import { PromptId, SessionId, TaskId } from "../domain/Ids.ts"
import { Role, Owner } from "../domain/Principal.ts"
import { Usage } from "../domain/Usage.ts"

const optional = Schema.optionalKey
const event = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({
    type: Schema.Literal(type),
    v: Schema.Literal(PROTOCOL_VERSION),
    session_id: optional(SessionId),
    /** RFC 3339 with milliseconds. */
    ts: Schema.String,
    ...fields
  })

/** What a client has to keep to. Bytes, counts, milliseconds. */
export const WireLimits = Schema.Struct({
  message_bytes: Schema.Int,
  message_depth: Schema.Int,
  idle_ms: Schema.Int,
  heartbeat_ms: Schema.Int,
  detach_ms: Schema.Int
})
export type WireLimits = typeof WireLimits.Type

export const Hello = event("hello", {
  server: Schema.Struct({ name: Schema.String, version: Schema.String }),
  principal: optional(Schema.Struct({ ...Owner.fields, role: Role, name: Schema.String })),
  limits: WireLimits,
  /** `seq` of the session's newest fact. */
  position: Schema.Int
})

/** To the sender of a prompt with a key, once the prompt is durable. */
export const Accepted = event("accepted", {
  idempotency_key: Schema.String,
  prompt_id: PromptId,
  task_id: optional(TaskId),
  duplicate: optional(Schema.Boolean)
})

export const Queued = Schema.Struct({
  prompt_id: PromptId,
  content: Schema.String,
  mode: Schema.Literals(["queue", "steer"])
})

export const Status = event("status", {
  title: Schema.String,
  workspace: Schema.String,
  mode: Schema.String,
  model: Schema.String,
  state: StateName,
  task: optional(Schema.Struct({ task_id: TaskId, turn: Schema.Int })),
  pending_approvals: Schema.Array(ApprovalRequest),
  queue: Schema.Array(Queued),
  queue_paused: Schema.Boolean,
  position: Schema.Int,
  /** Records are damaged that may count still: everything that would change the session gets `session_damaged`. */
  read_only: optional(Schema.Literal(true)),
  /** Limits of spending in force, and what was used of each; absent: there is none. */
  budgets: optional(Schema.Array(BudgetUse)),
  counters: Schema.Struct({ tasks: Schema.Int, usage: Usage, attached: Schema.Int, damaged: Schema.Int })
})

export const ErrorEvent = event("error", { error: ErrorBody })
export const Ping = event("ping", { nonce: optional(Schema.String) })
export const Pong = event("pong", { nonce: optional(Schema.String) })
/** The server ends: no new work; the connection closes at `deadline` (RFC 3339) at the latest. */
export const Draining = event("draining", { deadline: Schema.String })

/** To whoever sent `diff`: a unified diff, bounded; `hidden`: files that it has no place for; of so many `tasks`. */
export const Difference = event("difference", {
  text: Schema.String,
  files: Schema.Int,
  hidden: Schema.Int,
  tasks: Schema.Int
})

export const ConnectionEvent = Schema.Union([Hello, Accepted, Status, ErrorEvent, Ping, Pong, Draining, Difference])
export type ConnectionEvent = typeof ConnectionEvent.Type
export type ConnectionEventType = ConnectionEvent["type"]
/** Without what every one of them has. */
export type ConnectionBody = {
  readonly [T in ConnectionEventType]: Omit<Extract<ConnectionEvent, { readonly type: T }>, "v" | "session_id" | "ts">
}[ConnectionEventType]

export type ServerEvent = SessionEvent | ConnectionEvent
