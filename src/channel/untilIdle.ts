/** Waits until a session has nothing to do (no task, and no prompt that will become one), or asks nothing any more. */
import { Effect, Latch } from "effect"
import { isTerminal, type SessionEvent } from "../domain/Event.ts"
import { pendingApprovals, type SessionState } from "../domain/Session.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"

export const isIdle = (state: SessionState): boolean =>
  state.task === undefined && (state.queue.length === 0 || state.queue_paused)

const changes = (event: SessionEvent): boolean =>
  "seq" in event && (isTerminal(event) || event.type === "prompt_unqueued" || event.type === "approval_resolved")

const until = (runtime: SessionRuntime, reached: (state: SessionState) => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const changed = yield* Latch.make(false)
    const sink = (events: ReadonlyArray<SessionEvent>) => {
      if (events.some(changes)) Latch.openUnsafe(changed)
    }
    yield* Effect.ignore(runtime.subscribe({ sink }))
    for (;;) {
      Latch.closeUnsafe(changed)
      if (reached(yield* runtime.state)) return
      yield* changed.await
    }
  }).pipe(Effect.scoped)

export const untilIdle = (runtime: SessionRuntime): Effect.Effect<void> => until(runtime, isIdle)

export const untilUnasked = (runtime: SessionRuntime): Effect.Effect<void> =>
  until(runtime, (state) => pendingApprovals(state).length === 0)
