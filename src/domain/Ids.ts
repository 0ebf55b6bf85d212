/**
 * Ids of the things that outlive a call. Owns: their brands, their wire patterns and their making.
 * Invariant: made ids are time-ordered (UUIDv7 with a prefix), except `RequestId`, which is 128 random
 * bits because knowing one lets a client answer an approval. (PROTOCOL §4, SETTLED 23)
 */
import { Schema } from "effect"
import { v7 } from "uuid"

/** A part of addresses: `.` and `..` would lead elsewhere. */
export const SessionId = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, {
      expected: "1 to 128 letters, digits and . _ : - (not . or .. alone)"
    })
  ),
  Schema.brand("SessionId")
)
export type SessionId = typeof SessionId.Type

export const TaskId = Schema.NonEmptyString.pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type
export const EventId = Schema.NonEmptyString.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type
export const StreamId = Schema.NonEmptyString.pipe(Schema.brand("StreamId"))
export type StreamId = typeof StreamId.Type
export const PromptId = Schema.NonEmptyString.pipe(Schema.brand("PromptId"))
export type PromptId = typeof PromptId.Type
export const RequestId = Schema.NonEmptyString.pipe(Schema.brand("RequestId"))
export type RequestId = typeof RequestId.Type
export const GrantId = Schema.NonEmptyString.pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type
export const TokenId = Schema.NonEmptyString.pipe(Schema.brand("TokenId"))
/** Names an API token without being one. */
export type TokenId = typeof TokenId.Type
/** A tool call's id: the model's own where it gave a usable one, ours otherwise; unique in its session. */
export const CallId = Schema.NonEmptyString.pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

const POOL = new Uint8Array(4_096)
let used = POOL.length
let counter = 0

/** Sixteen fresh random bytes. One system call serves 256 ids: asking for each id cost an eighth of a tool turn. */
const random = (): Uint8Array => {
  if (used === POOL.length) {
    crypto.getRandomValues(POOL)
    used = 0
  }
  used += 16
  return POOL.slice(used - 16, used)
}

/** Ids of one process and millisecond stand in the order of their making. */
const uuid = (): string => {
  counter = (counter + 1) >>> 0
  return v7({ random: random(), seq: counter })
}

const make =
  <A extends string>(prefix: string) =>
  (): A =>
    `${prefix}_${uuid()}` as A

export const newTaskId = make<TaskId>("task")
export const newEventId = make<EventId>("evt")
export const newStreamId = make<StreamId>("str")
export const newPromptId = make<PromptId>("prompt")
export const newGrantId = make<GrantId>("grant")
export const newTokenId = make<TokenId>("tok")
export const newCallId = make<CallId>("call")
export const newSessionId = (prefix = "terminal"): SessionId => `${prefix}-${uuid()}` as SessionId

/** 128 random bits in hex. */
export const newRequestId = (): RequestId => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `req_${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}` as RequestId
}

/** Names the processes of one call. A call's id alone does not: some servers begin with `call_0` in every answer. */
export const processMark = (task_id: TaskId, call_id: CallId): string => `${task_id}/${call_id}`
