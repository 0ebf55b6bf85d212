/**
 * The newest facts of a session, kept while readers catch up, so that a thousand of them read the journal once (a
 * server that comes back meets all its clients at the same moment). Owns: which facts are kept, and for how long.
 * Invariants: what it holds is contiguous; it is at most `MOST` facts and `MOST_UNITS` of text, and nothing once nobody
 * has caught up for a while.
 */
import type { DurableEvent } from "../domain/Event.ts"

export const MOST = 4_096
/** UTF-16 units. */
export const MOST_UNITS = 2_097_152
/** Milliseconds after the last replay. */
export const KEPT_MS = 10_000
/** Of an event's envelope and short fields. */
const ENVELOPE_UNITS = 300

export interface ReplayWindow {
  /** Facts with `seq` in (after, upTo], where all of them are here. */
  readonly take: (after: number, upTo: number) => ReadonlyArray<DurableEvent> | undefined
  /** What a replay read: contiguous facts. */
  readonly fill: (events: ReadonlyArray<DurableEvent>) => void
  /** What was committed just now. */
  readonly push: (events: ReadonlyArray<DurableEvent>) => void
  readonly size: () => number
}

const unitsOf = (event: DurableEvent): number => {
  const content = "content" in event ? event.content.length : 0
  return ENVELOPE_UNITS + content + ("result" in event ? event.result.length : 0)
}

const isContiguous = (events: ReadonlyArray<DurableEvent>): boolean =>
  events.every((event, i) => event.seq === (events[0]?.seq ?? 0) + i)

/** The newest of them that fit. */
const fitting = (events: ReadonlyArray<DurableEvent>): Array<DurableEvent> => {
  let units = 0
  let from = events.length
  while (from > 0 && events.length - from < MOST) {
    const event = events[from - 1]
    units += event === undefined ? 0 : unitsOf(event)
    if (units > MOST_UNITS) break
    from -= 1
  }
  return events.slice(from)
}

/** Makes one that forgets by the real clock: a test that holds the time may leave it be. */
export const make = (): ReplayWindow => {
  let kept: Array<DurableEvent> = []
  /** Units that came since the window was last cut. */
  let pushed = 0
  let timer: NodeJS.Timeout | undefined

  const first = () => kept[0]?.seq ?? 0
  const last = () => kept.at(-1)?.seq ?? -1
  const used = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      kept = []
      timer = undefined
    }, KEPT_MS).unref()
  }
  const joined = (events: ReadonlyArray<DurableEvent>): ReadonlyArray<DurableEvent> => {
    const [head, tail] = [events[0]?.seq ?? 0, events.at(-1)?.seq ?? 0]
    if (kept.length === 0 || head > last() + 1 || tail < first() - 1) return events
    const before = events.filter(({ seq }) => seq < first())
    const behind = events.filter(({ seq }) => seq > last())
    return [...before, ...kept, ...behind]
  }
  return {
    take: (after, upTo) => {
      if (kept.length === 0 || after + 1 < first() || upTo > last()) return undefined
      used()
      return kept.slice(after + 1 - first(), upTo + 1 - first())
    },
    fill: (events) => {
      if (events.length === 0 || !isContiguous(events)) return
      used()
      kept = fitting(joined(events))
    },
    push: (events) => {
      if (kept.length === 0 || events.length === 0) return
      if (events[0]?.seq !== last() + 1) kept = []
      else {
        kept.push(...events)
        pushed += events.reduce((units, event) => units + unitsOf(event), 0)
        // Seldom, so that a long answer does not copy the window for each of its facts.
        if (kept.length > 2 * MOST || pushed > MOST_UNITS) {
          kept = fitting(kept)
          pushed = 0
        }
      }
    },
    size: () => kept.length
  }
}
