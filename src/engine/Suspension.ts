/**
 * How a running task is asked to stop without an end, so that another process can go on with it (SETTLED 1).
 * Owns: the wish, and which effects are under way. Whoever wishes then interrupts the task's fiber: at once where
 * nothing runs, after `quiet` or its own patience otherwise. Invariant: once asked, no further effect begins.
 */
import { Deferred, Effect } from "effect"

export interface Suspension {
  readonly ask: () => void
  /** A person ends the task meanwhile: the interruption is theirs. */
  readonly withdraw: () => void
  readonly asked: () => boolean
  /** Why the task is about to be cancelled, where nobody asked for it; the first reason counts. */
  readonly explain: (reason: string) => void
  readonly reason: () => string | undefined
  /** Ends when no effect is under way. */
  readonly quiet: Effect.Effect<void>
  /** Goes on; where the task was asked to stop, never. */
  readonly pass: Effect.Effect<void>
  /** An effect that is under way until its result is stored. Never begins where the task was asked to stop. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): Suspension => {
  let asked = false
  let why: string | undefined
  let under = 0
  let waiter: Deferred.Deferred<void> | undefined

  const begin = () => {
    under += 1
  }
  const end = () => {
    under -= 1
    if (under === 0 && waiter !== undefined) Deferred.doneUnsafe(waiter, Effect.void)
  }
  return {
    ask: () => {
      asked = true
    },
    withdraw: () => {
      asked = false
    },
    asked: () => asked,
    explain: (reason) => {
      why ??= reason
    },
    reason: () => why,
    quiet: Effect.suspend(() => {
      if (under === 0) return Effect.void
      waiter = Deferred.makeUnsafe()
      return Deferred.await(waiter)
    }),
    pass: Effect.suspend(() => (asked ? Effect.never : Effect.void)),
    during: (effect) =>
      Effect.suspend(() => {
        if (asked) return Effect.never
        begin()
        return Effect.ensuring(effect, Effect.sync(end))
      })
  }
}
