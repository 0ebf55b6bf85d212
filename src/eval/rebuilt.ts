/**
 * What a fact must be, given all that came before it. Pure. Owns: which fields of each fact follow from the state (ids,
 * turns, totals, attempts, what closes a task) and which come from outside (what a person typed, a model said, a tool
 * brought, a gate decided): those are taken as they stand.
 * Invariant: a fact of this program's own making is rebuilt as itself; one whose derived part was changed is not.
 */
import { clear, close } from "../domain/Decide.ts"
import type { Durable, DurableBody } from "../domain/Event.ts"
import type { CallId } from "../domain/Ids.ts"
import { type CallState, lastCalls, type SessionState } from "../domain/Session.ts"
import * as Usage from "../domain/Usage.ts"

/** What of the facts before is not in the state. */
export interface Context {
  /** Of the newest answer. */
  readonly usage: Usage.Usage | undefined
}

/** A sentence where no fact of this kind can stand here. */
export type Rebuilt = { readonly body: DurableBody } | { readonly impossible: string }

const as = (body: DurableBody): Rebuilt => ({ body })
const cannot = (impossible: string): Rebuilt => ({ impossible })

const callOf = (state: SessionState, id: CallId): CallState | undefined =>
  lastCalls(state).find((call) => call.call_id === id)

const isNone = (usage: Usage.Usage): boolean => usage.input_tokens === 0 && usage.output_tokens === 0

/** A copy leaves behind what its source spent: its totals begin with nothing. */
const usage = (state: SessionState, event: Durable<"usage">, context: Context): Rebuilt => {
  const { task } = state
  const spent = event.charged ?? context.usage ?? Usage.none
  if (task === undefined) return cannot("no task runs")
  const left = isNone(event.session_usage) && isNone(state.usage)
  const session_usage = left ? event.session_usage : Usage.add(state.usage, spent)
  const { task_id, turn } = task
  // What was left depends on limits that are not of the session.
  const { task_id: _task, turn: _turn, usage: _usage, session_usage: _session, type: _type, ...told } = event
  return as({ type: "usage", task_id, turn, usage: Usage.add(task.usage, spent), session_usage, ...told })
}

const ofCall = (state: SessionState, event: DurableBody): Rebuilt => {
  if (!("call_id" in event)) return as(event)
  const call = callOf(state, event.call_id)
  if (call === undefined) return cannot(`the newest answer has no call ${event.call_id}`)
  const { tool_name } = call
  switch (event.type) {
    case "approval_request":
      return as({ ...event, tool_name, content: call.arguments })
    case "approval_resolved": {
      const request_id =
        event.request_id === undefined ? {} : { request_id: call.request?.request_id ?? event.request_id }
      return as({ ...event, ...request_id, ...(event.tool_name === undefined ? {} : { tool_name }) })
    }
    case "tool_started":
      return as({ ...event, attempt: call.started + 1 })
    case "tool_result":
      return call.result === undefined ? as({ ...event, tool_name }) : cannot("the call has a result already")
    default:
      return as(event)
  }
}

/** Everything that the end of a task takes is stored before it: what is left to close is the end alone. */
const ended = (
  state: SessionState,
  event: Durable<"task_completed"> | Durable<"task_canceled"> | Durable<"task_failed">
): Rebuilt => {
  if (state.task === undefined) return cannot("no task runs")
  const reason = event.type === "task_canceled" && event.reason !== undefined ? { reason: event.reason } : {}
  const facts =
    event.type === "task_failed"
      ? close(state, { status: "failed", error: event.error })
      : close(state, event.type === "task_completed" ? { status: "completed" } : { status: "canceled", ...reason })
  const [first] = facts
  if (facts.length !== 1 || first === undefined) return cannot(`${facts.length - 1} open things are not closed yet`)
  return as(first)
}

const waiting = (state: SessionState, event: DurableBody & { readonly prompt_id: string }) =>
  state.queue.find((prompt) => prompt.prompt_id === event.prompt_id)

const rest = (state: SessionState, event: DurableBody, context: Context): Rebuilt => {
  switch (event.type) {
    case "task_started": {
      if (state.task !== undefined) return cannot("another task runs")
      const queued = waiting(state, event)
      if (queued === undefined) return as(event)
      const key = queued.idempotency_key === undefined ? {} : { idempotency_key: queued.idempotency_key }
      const { task_id, prompt_id } = event
      return as({ type: "task_started", task_id, prompt_id, content: queued.content, ...key })
    }
    case "prompt_unqueued":
    case "prompt_steered":
      return as({ ...event, content: waiting(state, event)?.content ?? event.content })
    case "usage":
      return usage(state, event, context)
    case "cleared": {
      const cleared = clear(state)
      return cleared._tag === "Success" ? as(cleared.success) : cannot("a task runs")
    }
    case "task_completed":
    case "task_canceled":
    case "task_failed":
      return ended(state, event)
    default:
      return as(event)
  }
}

/** Facts of a task carry its id, and those of a turn its number. */
const placed = (state: SessionState, event: DurableBody): Rebuilt => {
  const { task } = state
  if (!("turn" in event)) return as(event)
  if (task === undefined) return cannot("no task runs")
  const { task_id } = task
  const turn = event.type === "thinking" ? task.turn + 1 : task.turn
  const at = { ...event, task_id, turn }
  if (at.type === "text_completed" || at.type === "stream_reset")
    return as({ ...at, stream_id: task.stream?.stream_id ?? at.stream_id })
  // A prompt that steers is stored in front of the turn that it goes into.
  return as(at.type === "prompt_steered" ? { ...at, turn: event.turn === task.turn + 1 ? event.turn : task.turn } : at)
}

export const rebuild = (state: SessionState, event: DurableBody, context: Context): Rebuilt => {
  const at = placed(state, event)
  if ("impossible" in at) return at
  const of =
    "call_id" in at.body && at.body.type !== "tool_call" ? ofCall(state, at.body) : rest(state, at.body, context)
  return of
}

/** The same of a subagent's fact, given the state of that one. What it spent is told by it alone. */
export const rebuildNested = (state: SessionState, event: DurableBody): Rebuilt => {
  if (!("parent_call_id" in event) || event.parent_call_id === undefined) return cannot("it is nobody's")
  if (event.type === "subagent_started" || event.type === "subagent_ended" || event.type === "usage") return as(event)
  const { parent_call_id, ...own } = event
  const inside = state.subagents.get(parent_call_id)
  if (inside === undefined) return cannot("no such subagent runs")
  const made = rebuild(inside.state, own as DurableBody, { usage: undefined })
  return "impossible" in made ? made : as({ ...made.body, parent_call_id } as DurableBody)
}
