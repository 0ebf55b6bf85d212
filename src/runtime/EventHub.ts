/**
 * One session's events on their way to whoever watches (DESIGN §2). Owns: the watchers, the text of open streams, the
 * joint between replay and live. Does not own: commits; it is only told of facts that are committed.
 * Invariants: events reach each watcher in order, each once; a watcher that replays gets what happened meanwhile
 * after the replay, nothing twice and nothing missed; a watcher cannot make anyone wait.
 */
import {
  type Delta,
  type DurableEvent,
  isTerminal,
  type LiveEvent,
  type SessionEvent,
  isDelta
} from "../domain/Event.ts"
import type { Position } from "./SessionRuntime.ts"

export type Sink = (events: ReadonlyArray<SessionEvent>) => void

/** A watcher. While `waiting` is present its replay is not over and live events collect there. */
interface Watcher {
  readonly sink: Sink
  readonly answers: boolean
  /** Publications begun when it came: the one that brought it, it has in its replay. */
  readonly came: number
  waiting: Array<SessionEvent> | undefined
}

/** A stream that is not closed; its text grows in place, for nobody else holds it. */
interface OpenStream {
  readonly first: LiveEvent & Delta
  content: string
}

export interface Joining {
  /** Hands the replay's end to the watcher: catch-up deltas, then what collected, then live. */
  readonly join: () => void
  readonly leave: () => void
}

export interface EventHub {
  readonly publish: (events: ReadonlyArray<SessionEvent>) => void
  /** Begins watching; nothing reaches `sink` before `join`. */
  readonly add: (sink: Sink, options: { readonly answers: boolean; readonly after: Position | undefined }) => Joining
  readonly answerers: () => number
}

/** The streams that an event ends. */
const closes = (event: DurableEvent, open: ReadonlyMap<string, OpenStream>): Iterable<string> => {
  switch (event.type) {
    case "text_completed":
    case "stream_reset":
      return Array.from(open.values()).flatMap(({ first }) =>
        first.type === "tool_output_delta" ? [] : [first.stream_id]
      )
    case "tool_result":
      return [event.call_id]
    case "task_completed":
    case "task_canceled":
    case "task_failed":
      return open.keys()
    default:
      return []
  }
}

const track = (open: Map<string, OpenStream>, event: SessionEvent): void => {
  if (isDelta(event)) {
    const known = open.get(event.stream_id)
    if (known === undefined) open.set(event.stream_id, { first: event, content: event.content })
    else known.content += event.content
  } else if ("seq" in event) {
    for (const id of Array.from(closes(event, open))) open.delete(id)
  }
}

const endsWaiting = (event: SessionEvent): boolean => event.type === "state" || ("seq" in event && isTerminal(event))

export const make = (envelope: () => Pick<LiveEvent, "v" | "session_id" | "ts">): EventHub => {
  const watchers = new Set<Watcher>()
  const open = new Map<string, OpenStream>()
  /** The place of a task that waits for its turn to run. */
  let place: LiveEvent | undefined
  let published = 0

  const catchUp = (after: Position | undefined): ReadonlyArray<SessionEvent> =>
    Array.from(open.values()).flatMap(({ first, content: whole }) => {
      const offset = after?.stream_id === first.stream_id ? Math.min(after.offset ?? 0, whole.length) : 0
      const content = whole.slice(offset)
      return content === "" ? [] : [{ ...first, ...envelope(), offset, content }]
    })

  return {
    publish: (events) => {
      const current = ++published
      for (const event of events) {
        track(open, event)
        if (event.type === "task_waiting") place = event
        else if (place !== undefined && !isDelta(event) && endsWaiting(event)) place = undefined
      }
      for (const watcher of watchers) {
        // A watcher may bring another one: what is handed out just now is no news to that one.
        if (watcher.came >= current) continue
        if (watcher.waiting === undefined) watcher.sink(events)
        else watcher.waiting.push(...events)
      }
    },
    add: (sink, { answers, after }) => {
      const watcher: Watcher = { sink, answers, came: published, waiting: [] }
      const missed = place === undefined ? catchUp(after) : [{ ...place, ...envelope() }, ...catchUp(after)]
      watchers.add(watcher)
      return {
        join: () => {
          const collected = [...missed, ...(watcher.waiting ?? [])]
          watcher.waiting = undefined
          if (collected.length > 0) sink(collected)
        },
        leave: () => void watchers.delete(watcher)
      }
    },
    answerers: () => Array.from(watchers).filter((watcher) => watcher.answers).length
  }
}
