/** What was put off for the next append is not put off for ever. Owns: how long a silence may be. */
import { Effect, Fiber } from "effect"
import type { ReportError } from "./Reporter.ts"

/** So long a turn's beginning waits for the model's first word, and a look's for what it found, to be stored with it. */
const SILENCE = "50 millis"

/** One that sleeps has ended at once, and nobody is put to sleep for it. */
const halt = (timer: Fiber.Fiber<unknown>) =>
  Effect.suspend(() => {
    timer.interruptUnsafe()
    return timer.pollUnsafe() === undefined ? Effect.asVoid(Fiber.await(timer)) : Effect.void
  })

/** Runs `ask`; `store`, which stores what was put off, follows a while of silence, so that watchers see what began. */
export const whileSilent = <A, E>(
  store: Effect.Effect<unknown, ReportError>,
  ask: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkChild(Effect.delay(Effect.ignore(store), SILENCE), { startImmediately: true }), (timer) =>
    Effect.onExit(ask, () => halt(timer))
  )
