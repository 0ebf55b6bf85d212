/**
 * Room for everybody else between transactions. Each blocks the event loop until it is on the disk, and a turn of
 * the loop accepts one connection of a port (libuv): transactions turn by turn would let newcomers wait for as many of
 * them as there are newcomers. Owns: when the next one may begin. Does not own: locks.
 * Invariants: what transactions took, the loop is owed, and time pays it; one that comes while less than `SHARE_MS` is
 * owed begins at once (a turn of a busy loop is long: one transaction in each was a queue of half a second beside 500
 * streams), but where a piece of work, a callback of the loop with its microtasks, goes on with transactions for
 * `LONG_PIECE_MS`, or a turn for `LONG_TURN_MS`, the next one waits: appends whose submitters append again would go on in
 * it for ever; one that waits begins, in order of arrival, when nothing is owed, or when the loop found nothing to do;
 * nobody waits for more than `TURNS` turns or `MOST_MS` at a time.
 */
import { Effect } from "effect"

export interface Breath {
  /** Runs a transaction when it may begin, and counts what it took. */
  readonly around: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const TURNS = 64
const SHARE_MS = 4
/** However long the disk takes, the journal goes on. */
const MOST_MS = 20
/** With 10, one append in a hundred beside 500 streams waited for a turn: p99 23 ms, and 3 to 6 with 25. */
const LONG_PIECE_MS = 25
/** Work that goes from tick to tick (`process.nextTick`) is many pieces, and one turn without an end. */
const LONG_TURN_MS = 100

/** What sockets and timers of the system brought so far. */
const events = (): number => performance.nodeTiming.uvMetricsInfo.events

/** Calls `over` when the loop has breathed: nothing is `owed` any more, or it found nothing to do. */
const breathe = (owed: () => number, over: () => void): void => {
  const latest = performance.now() + MOST_MS
  const turn = (left: number, seen: number): void => {
    setImmediate(() => {
      const all = events()
      if (left === 0 || all === seen || owed() <= 0 || performance.now() > latest) over()
      else turn(left - 1, all)
    })
  }
  turn(TURNS, -1)
}

/** What the loop is owed. */
const makeDebt = () => {
  /** When it will have been paid. */
  let until = 0
  /** When the piece of work that runs came to its first transaction. */
  let working: number | undefined
  /** When this turn of the loop came to it. */
  let turning: number | undefined
  const owed = (): number => {
    const now = performance.now()
    const long = now - (working ?? now) >= LONG_PIECE_MS || now - (turning ?? now) >= LONG_TURN_MS
    return Math.max(until - now, long ? SHARE_MS : 0)
  }
  const worked = (): void => {
    working = undefined
  }
  const turned = (): void => {
    turning = undefined
  }
  const begin = (): number => {
    const now = performance.now()
    if (turning === undefined) {
      turning = now
      setImmediate(turned)
    }
    if (working === undefined) {
      working = now
      // Called when no microtask is left.
      process.nextTick(worked)
    }
    return now
  }
  const end = (begun: number): void => {
    const now = performance.now()
    until = now + Math.min(MOST_MS, now - begun + Math.max(0, until - begun))
  }
  return { owed, begin, end }
}

export const make = (): Breath => {
  const waiting = new Set<() => void>()
  const { owed, begin, end } = makeDebt()
  const isFree = (): boolean => waiting.size === 0 && owed() < SHARE_MS
  let resting = false
  const rest = (): void => {
    if (resting) return
    resting = true
    breathe(owed, () => {
      resting = false
      // The first of them in any case; a transaction runs at once, and counts when it is over.
      for (const next of waiting) {
        waiting.delete(next)
        next()
        if (owed() >= SHARE_MS) break
      }
      if (waiting.size > 0) rest()
    })
  }
  const turn = Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (isFree()) return go()
    waiting.add(go)
    rest()
    return Effect.sync(() => void waiting.delete(go))
  })
  const around: Breath["around"] = (transaction) =>
    Effect.andThen(
      turn,
      Effect.suspend(() => {
        const begun = begin()
        return Effect.onExit(transaction, () => Effect.sync(() => end(begun)))
      })
    )
  return { around }
}
