/**
 * The decisions about a session, pure: (state, command) → events or a rejection (STYLE, Decisions are pure).
 * Owns: what a prompt becomes, whether an answer counts, and the one way a task is closed on every path.
 * Invariant: `close` leaves every call with exactly one result and every approval resolved, then one terminal event.
 */
import { Result } from "effect"
import type { Answer } from "./Approval.ts"
import {
  closeAnswer,
  closeCalls,
  closeSubagents,
  cutSubagents,
  type Outcome,
  type Shown,
  terminal,
  unfinished
} from "./closing.ts"
import { errorBody, type ErrorCode } from "./ErrorCode.ts"
import type { Durable, DurableBody } from "./Event.ts"
import { newPromptId, type PromptId, type RequestId, type TaskId } from "./Ids.ts"
import { type CallState, type EndedTask, isUncertain, type SessionState, lastCalls } from "./Session.ts"

export interface PromptCommand {
  readonly content: string
  readonly prompt_id: PromptId
  readonly task_id: TaskId
  readonly idempotency_key?: string
  readonly when_busy: "reject" | "queue" | "steer"
}

/** What may wait in one session. */
export interface QueueLimit {
  readonly prompts: number
  /** Of their contents, as UTF-8. */
  readonly bytes: number
}

export const unlimited: QueueLimit = { prompts: Infinity, bytes: Infinity }

/** Bytes of UTF-8 of a well-formed text; the domain knows no Buffer. */
const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).byteLength

const isFull = ({ queue }: SessionState, content: string, most: QueueLimit): boolean => {
  if (queue.length >= most.prompts) return true
  if (most.bytes === Infinity) return false
  return queue.reduce((sum, waiting) => sum + bytesOf(waiting.content), bytesOf(content)) > most.bytes
}

export type PromptDecision =
  | { readonly kind: "start"; readonly event: Durable<"task_started"> }
  | { readonly kind: "wait"; readonly event: Durable<"prompt_queued"> }
  | { readonly kind: "duplicate"; readonly prompt_id: PromptId; readonly task_id?: TaskId }

const keyOf = (command: PromptCommand) =>
  command.idempotency_key === undefined ? {} : { idempotency_key: command.idempotency_key }

/** Sent before, under the same key. */
export const isRepeated = ({ keys }: SessionState, { idempotency_key: key }: Pick<PromptCommand, "idempotency_key">) =>
  key !== undefined && keys.has(key)

/** What becomes of a prompt now. */
export const prompt = (
  state: SessionState,
  command: PromptCommand,
  most: QueueLimit = unlimited
): Result.Result<PromptDecision, ErrorCode> => {
  if (command.content.trim() === "" || !command.content.isWellFormed()) return Result.fail("bad_message")
  const used = command.idempotency_key === undefined ? undefined : state.keys.get(command.idempotency_key)
  if (used !== undefined) {
    if (used.content !== command.content) return Result.fail("idempotency_conflict")
    // A late repetition of what was taken back must neither run nor be told that it is taken.
    if (used.withdrawn === true) return Result.fail("prompt_not_found")
    const task = used.task_id === undefined ? {} : { task_id: used.task_id }
    return Result.succeed({ kind: "duplicate", prompt_id: used.prompt_id, ...task })
  }
  const { content, prompt_id, task_id, when_busy } = command
  if (state.task === undefined) {
    const event = { type: "task_started", task_id, prompt_id, content, ...keyOf(command) } as const
    return Result.succeed({ kind: "start", event })
  }
  if (when_busy === "reject") return Result.fail("session_busy")
  if (isFull(state, content, most)) return Result.fail("queue_full")
  const event = { type: "prompt_queued", prompt_id, content, mode: when_busy, ...keyOf(command) } as const
  return Result.succeed({ kind: "wait", event })
}

/** The next waiting prompt as a new task, where one may start now; `resume` lifts the pause after an interrupt. */
export const nextQueued = (
  state: SessionState,
  task_id: TaskId,
  resume = false
): Durable<"task_started"> | undefined => {
  const next = state.queue[0]
  if (state.task !== undefined || next === undefined || (state.queue_paused && !resume)) return undefined
  const { prompt_id, content, idempotency_key: key } = next
  return { type: "task_started", task_id, prompt_id, content, ...(key === undefined ? {} : { idempotency_key: key }) }
}

export const unqueue = (state: SessionState, id: PromptId): Result.Result<Durable<"prompt_unqueued">, ErrorCode> => {
  const found = state.queue.find((waiting) => waiting.prompt_id === id)
  // What a subagent says is for the model that began it.
  return found === undefined || found.from !== undefined
    ? Result.fail("prompt_not_found")
    : Result.succeed({ type: "prompt_unqueued", prompt_id: id, content: found.content })
}

/** Prompts that want to reach the running task at its next turn. */
export const steers = (state: SessionState, turn: number): ReadonlyArray<Durable<"prompt_steered">> => {
  const task = state.task
  if (task === undefined) return []
  return state.queue
    .filter((waiting) => waiting.mode === "steer")
    .map(({ content, from, prompt_id }) => ({
      type: "prompt_steered",
      task_id: task.task_id,
      turn,
      prompt_id,
      content,
      ...(from === undefined ? {} : { from })
    }))
}

const findCall = (state: SessionState, id: RequestId): CallState | undefined => {
  const of = ({ history }: SessionState) => history.flatMap((item) => (item.kind === "answer" ? item.calls : []))
  const isIt = ({ before, request }: CallState) => request?.request_id === id || before?.includes(id) === true
  return (
    of(state).find(isIt) ??
    Array.from(state.subagents.values())
      .flatMap((one) => of(one.state))
      .find(isIt)
  )
}

const decisionsOf = {
  tool: ["allow_once", "allow_session", "deny"],
  recovery: ["retry", "skip", "stop", "allow_once", "deny"]
}

/** Whether an answer counts: `undefined` when it does, the reason when not. `now` in milliseconds; absent: a timer watches it. */
export const checkAnswer = (
  state: SessionState,
  answer: { readonly request_id: RequestId; readonly decision: Answer; readonly grant_option?: string },
  now?: number
): ErrorCode | undefined => {
  const call = findCall(state, answer.request_id)
  const request = call?.request
  if (call?.before?.includes(answer.request_id) === true) return "approval_already_resolved"
  if (call === undefined || request === undefined) return "approval_not_found"
  if (call.resolved?.via === "timeout") return "approval_expired"
  if (call.resolved !== undefined || call.result !== undefined || state.task === undefined) {
    return "approval_already_resolved"
  }
  if (now !== undefined && request.expires_at !== undefined && Date.parse(request.expires_at) <= now) {
    return "approval_expired"
  }
  if (!decisionsOf[request.kind].includes(answer.decision)) return "bad_decision"
  const known = (id: string) => request.grant_options.some((option) => option.id === id)
  return answer.grant_option !== undefined && !known(answer.grant_option) ? "bad_decision" : undefined
}

export const clear = (state: SessionState): Result.Result<Durable<"cleared">, ErrorCode> =>
  state.task === undefined ? Result.succeed({ type: "cleared", up_to_seq: state.seq }) : Result.fail("session_busy")

/** The conversation becomes a summary: a task of its own, so that it is stopped, waited for and charged as any other. */
export const compact = (
  state: SessionState,
  { focus, ...ids }: Pick<PromptCommand, "prompt_id" | "task_id"> & { readonly focus: string }
): Result.Result<Durable<"task_started">, ErrorCode> => {
  if (state.task !== undefined) return Result.fail("session_busy")
  if (!focus.isWellFormed()) return Result.fail("bad_message")
  if (!state.history.some(({ kind }) => kind === "answer")) return Result.fail("nothing_to_compact")
  return Result.succeed({ type: "task_started", ...ids, content: `/compact ${focus}`.trim(), command: "compact" })
}

export { closeSubagent, cutSubagents, type Outcome, type Shown, uncertainText } from "./closing.ts"

/**
 * Everything that ends the running task, to be committed as one append; empty where none runs. `crashed`: what ran
 * when the program died is uncertain, not cancelled.
 */
export const close = (
  state: SessionState,
  outcome: Outcome,
  options: { readonly shown?: Shown; readonly crashed?: boolean } = {}
): ReadonlyArray<DurableBody> => {
  if (state.task === undefined) return []
  return [
    ...closeSubagents(state, outcome, options.crashed === true),
    ...closeAnswer(state, outcome, options.shown),
    ...closeCalls(state, options.crashed === true ? "uncertain" : "cancelled", outcome),
    terminal(state.task.task_id, state, outcome)
  ]
}

/**
 * What is stored of a task that stops without an end: the results of calls that were stopped in the middle. Everything
 * else goes on where it is: the open stream, the open question, the calls that had not begun or died before.
 */
export const suspend = (state: SessionState): ReadonlyArray<DurableBody> => {
  const task = state.task
  if (task === undefined) return []
  const calls = lastCalls(state).flatMap((call): ReadonlyArray<DurableBody> => {
    if (call.result !== undefined || call.started === 0 || isUncertain(call)) return []
    const { call_id, tool_name } = call
    const at = { task_id: task.task_id, turn: task.turn, call_id, tool_name }
    const result = { status: "cancelled", result: unfinished.suspended, is_error: true, duration_ms: 0 } as const
    return [{ type: "tool_result", ...at, ...result }]
  })
  return [...cutSubagents(state, false, newPromptId), ...calls]
}

/** What whoever waits for such a task is told; the journal has no end of it. */
export const suspendedEnd = (state: SessionState, task_id: TaskId): EndedTask | undefined =>
  state.task?.task_id === task_id
    ? { task_id, status: "failed", error: { ...errorBody("server_draining"), task_id }, usage: state.task.usage }
    : undefined
