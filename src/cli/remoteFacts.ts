/**
 * A session as the wire told it: its facts, what is open of its streams, its fold. Owns: replaying that to whoever
 * watches here, as a local session does (SessionRuntime). Invariants: a watcher gets each fact behind its position once
 * and in order, and each open stream whole; what is kept of a stream goes with its last fact.
 */
import { type DurableEvent, isTerminal, type SessionEvent } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { type EndedTask, initial, type SessionState } from "../domain/Session.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { Told } from "../protocol/ClientContract.ts"
import type { Position } from "../runtime/SessionRuntime.ts"

type Delta = Extract<SessionEvent, { readonly offset: number }>
type Status = Told<"status">
type Sink = (events: ReadonlyArray<SessionEvent>) => void

export interface Facts {
  readonly state: () => SessionState
  readonly see: (event: SessionEvent) => void
  /** A state of a running task is no fact and is not repeated: whoever comes back has it from the status, which it gives. */
  readonly told: (status: Status) => Status
  /** Gives what is there behind the position at once, then what comes; ends by the function it returns. */
  readonly watch: (after: Position | undefined, sink: Sink) => () => void
  readonly ended: (id: TaskId) => EndedTask | undefined
}

const endOf = (event: DurableEvent): EndedTask | undefined => {
  if (!isTerminal(event)) return undefined
  const { task_id, usage } = event
  if (event.type === "task_failed") return { task_id, status: "failed", error: event.error, usage }
  return { task_id, status: event.type === "task_completed" ? "completed" : "canceled", usage }
}

/** Of an open stream, what a watcher does not have yet. */
const missing = (delta: Delta, after: Position): ReadonlyArray<Delta> => {
  const offset = delta.stream_id === after.stream_id ? (after.offset ?? 0) : 0
  const content = delta.content.slice(offset)
  return content === "" ? [] : [{ ...delta, offset, content }]
}

export const makeFacts = (): Facts => {
  const facts: Array<DurableEvent> = []
  const open = new Map<string, Delta>()
  const ends = new Map<TaskId, EndedTask>()
  const watchers = new Set<Sink>()
  let state = initial
  let standing: SessionEvent | undefined

  const seeFact = (event: DurableEvent): void => {
    facts.push(event)
    state = fold(state, event)
    if (event.type === "text_completed" || event.type === "stream_reset") open.clear()
    if (event.type === "tool_result") open.delete(event.call_id)
    const end = endOf(event)
    if (end === undefined) return
    ends.set(end.task_id, end)
    standing = undefined
  }
  const seeDelta = (delta: Delta): void => {
    const before = open.get(delta.stream_id)
    const content = (before?.content ?? "") + delta.content
    open.set(delta.stream_id, { ...delta, offset: 0, content })
  }
  const see = (event: SessionEvent): void => {
    if ("seq" in event) seeFact(event)
    else if ("offset" in event) seeDelta(event)
    else if (event.type === "state") standing = event
    for (const sink of watchers) sink([event])
  }
  return {
    state: () => state,
    see,
    told: (status) => {
      const { session_id, state: name, task, ts, v } = status
      if (task !== undefined && session_id !== undefined)
        see({ v, session_id, ts, type: "state", state: name, task_id: task.task_id })
      return status
    },
    watch: (after, sink) => {
      if (after !== undefined) {
        const known = facts.filter(({ seq }) => seq > after.seq)
        const streams = Array.from(open.values()).flatMap((delta) => missing(delta, after))
        const now = standing === undefined ? [] : [standing]
        const all = [...known, ...streams, ...now]
        if (all.length > 0) sink(all)
      }
      watchers.add(sink)
      return () => void watchers.delete(sink)
    },
    ended: (id) => ends.get(id)
  }
}
