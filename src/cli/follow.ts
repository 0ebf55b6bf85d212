/**
 * A session's events for a reader that may be slow. Owns: what waits for it, and how much.
 * Invariants: the engine never waits; at most `MAX_WAITING` characters and one event more wait. When there are more,
 * watching ends, what waits is read, and watching begins again at the place that was reached: the journal is the
 * buffer. Every fact comes once and in order; a delta may be missing, then its stream's end holds the whole.
 */
import { Effect, Fiber, Latch } from "effect"
import type { SessionEvent } from "../domain/Event.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { Position, SessionRuntime } from "../runtime/SessionRuntime.ts"

/** Characters of text in waiting events. */
export const MAX_WAITING = 1_000_000
const EVENT_WEIGHT = 200

const isDelta = (event: SessionEvent) =>
  event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_output_delta"

const weigh = (event: SessionEvent): number =>
  Object.values(event).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    EVENT_WEIGHT
  )

/** Where the reader is: the last fact, and how far each open stream is known. */
interface Place {
  seq: number
  readonly offsets: Map<string, number>
}

const positionOf = ({ seq, offsets }: Place): Position => {
  const open = Array.from(offsets).at(-1)
  return open === undefined ? { seq } : { seq, stream_id: open[0], offset: open[1] }
}

/** What of an event is new at this place, which moves behind it. */
const advance = (place: Place, event: SessionEvent): SessionEvent | undefined => {
  if ("seq" in event) {
    place.seq = event.seq
    if (event.type === "text_completed" || event.type === "stream_reset") place.offsets.clear()
    if (event.type === "tool_result") place.offsets.delete(event.call_id)
    return event
  }
  if (!isDelta(event)) return event
  const known = place.offsets.get(event.stream_id) ?? 0
  const content = event.content.slice(Math.max(0, known - event.offset))
  if (content === "") return undefined
  const offset = event.offset + event.content.length - content.length
  place.offsets.set(event.stream_id, offset + content.length)
  return { ...event, offset, content }
}

/** The last waiting event and the new one as one, where they are neighbours of one stream. */
const merged = (last: SessionEvent | undefined, event: SessionEvent): SessionEvent | undefined => {
  if (last === undefined || last.type !== event.type || !isDelta(last) || !isDelta(event)) return undefined
  const next = last.stream_id === event.stream_id && last.offset + last.content.length === event.offset
  return next ? { ...last, content: last.content + event.content } : undefined
}

const makeWaiting = (place: Place) => {
  let events: Array<SessionEvent> = []
  let weight = 0
  let full = false
  const filled = Latch.makeUnsafe(false)
  const changed = Latch.makeUnsafe(false)
  const accept = (event: SessionEvent): void => {
    const both = merged(events.at(-1), event)
    if (both === undefined) events.push(event)
    else events[events.length - 1] = both
    weight += weigh(event)
  }
  return {
    sink: (more: ReadonlyArray<SessionEvent>): void => {
      for (const event of more) {
        if (full) return
        const fresh = advance(place, event)
        if (fresh === undefined) continue
        accept(fresh)
        full = weight > MAX_WAITING
      }
      if (full) filled.openUnsafe()
      changed.openUnsafe()
    },
    filled: filled.await,
    isFull: () => full,
    changed,
    take: (): ReadonlyArray<SessionEvent> => {
      const taken = events
      events = []
      weight = 0
      changed.closeUnsafe()
      return taken
    }
  }
}

interface End {
  over: boolean
  wake: () => void
  readonly began: Latch.Latch
}

/** One stretch of watching: until the end, the reader's end, or until too much waited (`undefined`). */
const stretch = Effect.fnUntraced(function* (
  session: SessionRuntime,
  place: Place,
  write: (events: ReadonlyArray<SessionEvent>) => Effect.Effect<boolean>,
  end: End
) {
  const waiting = makeWaiting(place)
  end.wake = () => waiting.changed.openUnsafe()
  yield* Effect.raceFirst(session.subscribe({ after: positionOf(place), sink: waiting.sink }), waiting.filled)
  end.began.openUnsafe()
  for (;;) {
    const over = end.over
    const events = waiting.take()
    if (events.length > 0) {
      if (!(yield* write(events))) return false
    } else if (waiting.isFull()) return undefined
    else if (over) return true
    else yield* waiting.changed.await
  }
}, Effect.scoped)

export interface Following {
  /** Ends with everything written, or false where the reader went away first. */
  readonly reading: Fiber.Fiber<boolean, RuntimeError>
  /** Nothing more will be told: reading ends when it has caught up. */
  readonly end: () => void
}

/** Watches in the caller's scope, from now on; returns when it watches, so that nothing told afterwards is missed. */
export const follow = Effect.fnUntraced(function* (
  session: SessionRuntime,
  write: (events: ReadonlyArray<SessionEvent>) => Effect.Effect<boolean>
) {
  const { position } = yield* session.status
  const place: Place = { seq: position, offsets: new Map() }
  const end: End = { over: false, wake: () => {}, began: Latch.makeUnsafe(false) }
  const stretches = Effect.gen(function* () {
    for (;;) {
      const found = yield* stretch(session, place, write, end)
      if (found !== undefined) return found
    }
  })
  const reading = yield* Effect.forkScoped(stretches, { startImmediately: true })
  yield* Effect.raceFirst(end.began.await, Fiber.join(reading))
  const stop = () => {
    end.over = true
    end.wake()
  }
  return { reading, end: stop } satisfies Following
})
