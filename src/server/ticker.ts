/**
 * One clock for all connections: thousands of peers cost one timer. Owns: who is asked, how often.
 * Invariant: a member that left is not asked again; the last tick happens before the scope ends.
 */
import { Effect } from "effect"

export interface Timed {
  /** `now` in milliseconds of the monotonic clock. */
  readonly tick: (now: number) => void
}

export interface Ticker {
  readonly add: (member: Timed) => void
  readonly remove: (member: Timed) => void
  readonly size: () => number
}

/** Often enough for the shortest of these, and never more than once in five milliseconds. */
export const periodFor = (...spans: ReadonlyArray<number>): number =>
  Math.min(1000, Math.max(5, Math.min(...spans) / 4))

export const makeTicker = (periodMs: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const members = new Set<Timed>()
        const timer = setInterval(() => {
          const now = performance.now()
          for (const member of members) member.tick(now)
        }, periodMs)
        timer.unref()
        return { members, timer }
      }),
      ({ members, timer }) =>
        Effect.sync(() => {
          clearInterval(timer)
          members.clear()
        })
    ),
    ({ members }): Ticker => ({
      add: (member) => void members.add(member),
      remove: (member) => void members.delete(member),
      size: () => members.size
    })
  )
