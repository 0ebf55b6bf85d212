/**
 * Room for everybody else between transactions. Each blocks the event loop until it is on the disk, and a turn of
 * the loop accepts one connection of a port (libuv): transactions turn by turn would let newcomers wait for as many of
 * them as there are newcomers. Owns: when the next one may begin. Does not own: locks.
 * Invariants: one that comes while none was lately begins at once; those that come behind it begin in the same turn of
 * the loop while they took no more than `SHARE_MS` together (a turn of a busy loop is long: one transaction in each was
 * a queue of half a second beside 500 streams); one that waits begins, in order of arrival, when the loop had as long as
 * the last ones took, or found nothing to do; nobody waits for more than `TURNS` turns at a time.
 */
import { Effect } from "effect"

const TURNS = 64
const SHARE_MS = 4
/** However long the disk takes, the journal goes on. */
const MOST_MS = 20

/** What sockets and timers of the system brought so far. */
const events = (): number => performance.nodeTiming.uvMetricsInfo.events

/** Calls `turned` when this turn of the loop is over, and `over` when the loop has breathed since now. */
const breathe = (turned: () => void, over: () => void): void => {
  const begun = performance.now()
  let until: number | undefined
  let seen = -1
  const turn = (left: number): void => {
    setImmediate(() => {
      const now = performance.now()
      turned()
      // What ran in this turn are the transactions.
      until ??= now + Math.min(MOST_MS, now - begun)
      const all = events()
      if (left === 0 || all === seen || now > until) return over()
      seen = all
      turn(left - 1)
    })
  }
  turn(TURNS)
}

/** An effect that ends when a transaction may begin. */
export const make = (): Effect.Effect<void> => {
  const waiting = new Set<() => void>()
  let breathing = false
  /** When this turn's first transaction began. */
  let begun: number | undefined
  const hasShare = (): boolean => begun !== undefined && performance.now() - begun < SHARE_MS
  const begin = (go: () => void): void => {
    breathing = true
    begun = performance.now()
    breathe(
      () => {
        begun = undefined
      },
      () => {
        const [next] = waiting
        if (next === undefined) {
          breathing = false
          return
        }
        waiting.delete(next)
        begin(next)
      }
    )
    go()
    for (const next of waiting) {
      if (!hasShare()) return
      waiting.delete(next)
      next()
    }
  }
  return Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (!breathing) return begin(go)
    if (waiting.size === 0 && hasShare()) return go()
    waiting.add(go)
    return Effect.sync(() => void waiting.delete(go))
  })
}
