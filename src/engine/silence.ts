/** What was put off for the next append is not put off for ever. Owns: how long a silence may be. */
import { Effect, Fiber } from "effect"
import type { Reporter } from "./Reporter.ts"

/** So long a turn's beginning waits for the model's first word, to be stored with what comes then. */
const SILENCE = "50 millis"

/** Runs `ask`; what was put off is stored after a while of silence, so that watchers see that the turn began. */
export const whileSilent = <A, E>(reporter: Reporter["Service"], ask: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.forkChild(Effect.delay(Effect.ignore(reporter.report([])), SILENCE), { startImmediately: true }),
    (timer) => Effect.onExit(ask, () => Fiber.interrupt(timer))
  )
