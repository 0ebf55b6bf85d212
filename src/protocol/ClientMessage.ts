/**
 * What a client may say (PROTOCOL §1, SETTLED 11–14). Owns: the schema of every message; unknown fields are ignored,
 * an unknown type is answered. Does not own: how text becomes one of these (`Decode`), or what is done with it.
 * Names here are the names on the wire.
 */
import { Schema } from "effect"
import { Answer } from "../domain/Approval.ts"
import { PROTOCOL_VERSION } from "../domain/Event.ts"
import { PromptId, RequestId, SessionId, TaskId } from "../domain/Ids.ts"

const optional = Schema.optionalKey
const message = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), v: optional(Schema.Literal(PROTOCOL_VERSION)), ...fields })

const text = Schema.String.check(
  Schema.makeFilter((value: string) => value.isWellFormed() || "Expected text without lone surrogates")
)
const shortText = text.check(Schema.isMaxLength(1024))
export const Key = text.check(Schema.isNonEmpty(), Schema.isMaxLength(256))
/** As much as anybody may spend; 0: no limit. */
const dollars = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** `seq`: the last fact the client has; `stream_id`, `offset`: the last of an open stream. */
export const Position = Schema.Struct({ seq: count, stream_id: optional(Key), offset: optional(count) })
export type Position = typeof Position.Type

export const modes = ["ask", "accept-edits", "plan", "never-ask"] as const

/** What a session that this `hello` makes shall be; each has a default of the server. */
export const Create = Schema.Struct({
  workspace: optional(text.check(Schema.isNonEmpty(), Schema.isMaxLength(4096))),
  mode: optional(Schema.Literals(modes)),
  model: optional(Key),
  title: optional(shortText)
})
export type Create = typeof Create.Type

export const Token = Schema.String.check(Schema.isMaxLength(16_384))

/** What becomes of the session's task when this connection goes: it ends, it has a while, or it goes on to its own end. */
export const Detach = Schema.Union([Schema.Boolean, Schema.Literal("until_done")])
export type Detach = typeof Detach.Type

export const Hello = message("hello", {
  token: optional(Token),
  client: optional(Schema.Struct({ name: shortText, version: optional(shortText) })),
  session_id: optional(SessionId),
  /** Replays facts behind this position; absent: live from now (SETTLED 12). */
  after: optional(Position),
  detach: optional(Detach),
  create: optional(Create)
})

export const Prompt = message("prompt", {
  content: text.check(Schema.makeFilter((value: string) => value.trim() !== "" || "Expected text that is not blank")),
  idempotency_key: optional(Key),
  when_busy: optional(Schema.Literals(["reject", "queue", "steer"]))
})

export const Unqueue = message("unqueue", { prompt_id: PromptId })
export const Interrupt = message("interrupt", { task_id: optional(TaskId) })

export const ApprovalResponse = message("approval_response", {
  request_id: RequestId,
  decision: Answer,
  grant_option: optional(Key),
  reason: optional(shortText)
})

export const Resume = message("resume", {
  session_id: SessionId,
  /** Absent: from the beginning (SETTLED 12). */
  after: optional(Position),
  detach: optional(Detach)
})

export const Status = message("status", {})
export const Ping = message("ping", { nonce: optional(shortText) })
export const Pong = message("pong", { nonce: optional(shortText) })
export const Close = message("close", {})

/** One message with a name, so that a new setting is not a new message (SETTLED 13). */
export const Command = Schema.Union([
  message("command", { name: Schema.Literals(["clear", "resume_queue"]) }),
  /** `focus`: what the summary is to keep above all. */
  message("command", { name: Schema.Literal("compact"), focus: optional(shortText) }),
  /** `to`: this task, and those before it on the way. */
  message("command", { name: Schema.Literal("redo"), to: optional(TaskId) }),
  message("command", { name: Schema.Literal("undo"), uncertain: optional(Schema.Boolean), to: optional(TaskId) }),
  message("command", { name: Schema.Literal("diff"), all: optional(Schema.Boolean), task_id: optional(TaskId) }),
  message("command", { name: Schema.Literal("set_mode"), mode: Schema.Literals(modes) }),
  message("command", { name: Schema.Literal("set_model"), model: Key }),
  /** Those that are named, from the next task on; 0: no limit, as far as the operator leaves that open. */
  message("command", {
    name: Schema.Literal("set_budget"),
    task_tokens: optional(count),
    task_cost_usd: optional(dollars),
    session_tokens: optional(count),
    session_cost_usd: optional(dollars)
  }),
  message("command", { name: Schema.Literal("rename"), title: shortText })
])

/** Type → schema; `Decode` looks a message's type up here before it judges its fields. */
export const messages = {
  hello: Hello,
  prompt: Prompt,
  unqueue: Unqueue,
  interrupt: Interrupt,
  approval_response: ApprovalResponse,
  resume: Resume,
  status: Status,
  command: Command,
  ping: Ping,
  pong: Pong,
  close: Close
} as const

export type ClientMessageType = keyof typeof messages
export type ClientMessage = { readonly [T in ClientMessageType]: (typeof messages)[T]["Type"] }[ClientMessageType]
export type Message<T extends ClientMessageType> = (typeof messages)[T]["Type"]
