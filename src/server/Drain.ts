/**
 * The server's orderly end (R240, R295, SETTLED 1, RELIABILITY 3.7). Owns: that it is ending, and the order of it.
 * Does not own: what is told to whom (Channels), how a task stops (RuntimeManager).
 * Invariants: from the first moment nobody new is let in; no task is cancelled; the end comes within the deadline and
 * five seconds, whoever does not read.
 */
import { Context, Effect, Layer } from "effect"
import * as Points from "../observability/Points.ts"

export class Drain extends Context.Service<
  Drain,
  {
    readonly draining: () => boolean
    /** Not ready from now on. */
    readonly begin: Effect.Effect<void>
  }
>()("claw/server/Drain") {}

export const layer = Layer.sync(Drain, () => {
  let draining = false
  return Drain.of({ draining: () => draining, begin: Effect.sync(() => void (draining = true)) })
})

export interface Listener {
  readonly stop: Effect.Effect<void>
  readonly cut: Effect.Effect<void>
}

export interface Draining {
  readonly drain_ms: number
  readonly listeners: ReadonlyArray<Listener>
  /** Tells every client the deadline (epoch milliseconds). */
  readonly announce: (deadline: number) => Effect.Effect<void>
  /** Every task stops at a safe point; tools get this long. */
  readonly suspend: (graceMs: number) => Effect.Effect<void>
  /** What was sent goes out, then 1001. */
  readonly closeAll: Effect.Effect<void>
  /** Times of the last two steps beyond the deadline. */
  readonly suspend_slack_ms?: number
  readonly close_ms?: number
}

const SUSPEND_SLACK_MS = 2500
const CLOSE_MS = 2000

/** All of it, in order; returns when nobody is connected any more. */
export const drain = (work: Draining) =>
  Effect.gen(function* () {
    const { drain_ms, listeners } = work
    const state = yield* Drain
    const began = Date.now()
    yield* state.begin
    Points.reach("drain began")
    yield* Effect.forEach(listeners, ({ stop }) => stop, { discard: true })
    yield* work.announce(began + drain_ms)
    Points.reach("drain announced")
    yield* Effect.logInfo("The server drains.", { drain_ms })
    const slack = work.suspend_slack_ms ?? SUSPEND_SLACK_MS
    const suspended = yield* Effect.timeoutOption(work.suspend(drain_ms), drain_ms + slack)
    if (suspended._tag === "None") yield* Effect.logWarning("Tasks did not stop in time.")
    Points.reach("drain suspended")
    yield* Effect.timeoutOption(work.closeAll, work.close_ms ?? CLOSE_MS)
    yield* Effect.forEach(listeners, ({ cut }) => cut, { discard: true })
    Points.reach("drain ended")
    yield* Effect.logInfo("The server has drained.", { ms: Date.now() - began })
  })
