/**
 * How late the event loop is (RELIABILITY 3.4: one loop serves everybody). Owns: the measurement, which costs a timer
 * and so runs only where a server asks for it. Invariant: looking begins a new measurement.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"

const RESOLUTION_MS = 20

/** Seconds beyond what was asked for. */
export interface Lag {
  readonly p99: number
  readonly max: number
}

// What is measured is the time between two ticks of a timer, its own period included.
const beyond = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) / 1000

/** How late it was since the last look; ends with the scope. */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      delays.enable()
      return delays
    }),
    (delays) => Effect.sync(() => delays.disable())
  ),
  (delays) =>
    Effect.sync((): Lag => {
      const lag =
        delays.count === 0 ? { p99: 0, max: 0 } : { p99: beyond(delays.percentile(99)), max: beyond(delays.max) }
      delays.reset()
      return lag
    })
)
