/** An interrupt in the very moment in which a task starts: it ends, once, and nobody waits for ever (LESSONS 33). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { answer } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"

/** Interrupts a session of one running and two waiting prompts so many turns of the event loop behind a task's end. */
const interrupted = (turns: number) =>
  Effect.gen(function* () {
    const session = yield* create("s1")
    const seen = yield* watch(session)
    yield* session.prompt({ content: "a" })
    for (const content of ["b", "c"]) yield* session.prompt({ content, when_busy: "queue" })
    yield* seen.until("task_completed")
    for (let i = 0; i < turns; i++) yield* Effect.yieldNow
    const ended = yield* Effect.timeoutOption(Effect.exit(session.interrupt()), "2 seconds")
    return ended._tag === "Some"
  }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => answer("ok") })))

describe("interrupt", () => {
  it.live("returns, whenever it comes between two tasks", () =>
    Effect.forEach(
      Array.from({ length: 30 }, (_, i) => i),
      (turns) =>
        Effect.map(interrupted(turns), (returned) => assert.isTrue(returned, `${turns} turns after the first task`))
    )
  )

  it.live("right behind a prompt ends that task as canceled", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const { task } = yield* session.prompt({ content: "a" })
      yield* session.interrupt()
      assert.strictEqual(yield* task!.status, "canceled")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => Stream.never })))
  )
})
