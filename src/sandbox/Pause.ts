/**
 * A wait on the real clock, whatever clock the program holds: deaths of processes and deadlines of threads have to
 * come also where a test has stopped the time.
 */
import { Effect } from "effect"

export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })
