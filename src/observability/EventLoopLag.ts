/**
 * How late the event loop is (RELIABILITY 3.4: one loop serves everybody). Owns: the measurement, which costs a timer
 * and so runs only where a server asks for it. Invariant: looking begins a new measurement.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"

const RESOLUTION_MS = 20

/** Seconds beyond what was asked for, the 99th percentile since the last look; ends with the scope. */
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
    Effect.sync(() => {
      // What is measured is the time between two ticks of a timer, its own period included.
      const late = delays.count === 0 ? 0 : delays.percentile(99) / 1e6 - RESOLUTION_MS
      delays.reset()
      return Math.max(0, late) / 1000
    })
)
