/**
 * Named points before, inside and after every commit and every effect on the outside, for tests that kill the process
 * there (issue 5, RELIABILITY 3.3). Owns: the one place where a test's process puts who looks.
 * Invariants: no environment, file, flag or message reaches `watch`, and nothing in src calls it (test/house holds
 * that); where nobody looks a point is one comparison, and no name is made.
 */
import { Effect } from "effect"

type Look = (point: string) => void

let look: Look | undefined

/** For the entry of a test's process, before anything starts; `undefined` ends it. */
export const watch = (next: Look | undefined): void => {
  look = next
}

/** Whether a name is worth making. */
export const isWatched = (): boolean => look !== undefined

export const reach = (point: string): void => look?.(point)

/** The same as a step of an effect. */
export const at = (point: string): Effect.Effect<void> => Effect.sync(() => look?.(point))

/** `… before` and, where it succeeded, `… after`. The name is made only for somebody. */
export const around = <A, E, R>(name: () => string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    if (look === undefined) return effect
    const point = name()
    look(`${point} before`)
    return Effect.tap(effect, () => Effect.sync(() => look?.(`${point} after`)))
  })
