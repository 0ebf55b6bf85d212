/**
 * A word for what a task waits for where no fact and no tool tells it: a summary that a model writes, hooks that are
 * asked. Owns: when it is said. Invariant: what is over in a moment is not told, and what was told is taken back.
 */
import { Effect, Fiber } from "effect"
import type { StateName, Waits } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { Reporter } from "./Reporter.ts"

export const MOMENT = "300 millis"

interface Waiting {
  readonly task_id: TaskId
  readonly reporter: Reporter["Service"]
}

/** `state`: the one that the task is in, before and after. */
export const during = <A, E, R>(
  { reporter, task_id }: Waiting,
  state: StateName,
  on: Waits,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let told = false
    const tell = Effect.sync(() => {
      told = true
      reporter.signal([{ type: "state", state, task_id, on }])
    })
    const untell = Effect.sync(() => {
      if (told) reporter.signal([{ type: "state", state, task_id }])
    })
    return Effect.flatMap(Effect.forkChild(Effect.delay(tell, MOMENT)), (telling) =>
      Effect.onExit(effect, (exit) =>
        Effect.andThen(Fiber.interrupt(telling), exit._tag === "Success" ? untell : Effect.void)
      )
    )
  })
