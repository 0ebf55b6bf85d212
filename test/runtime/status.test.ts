/** What a session says of itself, read from its folded state alone. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { answer, turns } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"

it.effect("tells its waiting prompts, whether they are paused, its tasks and what they used (R056)", () => {
  const [shown, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const held = Stream.concat(
    Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(shown, undefined), Deferred.await(go))),
    answer("held")
  )
  return Effect.gen(function* () {
    const session = yield* create("s1")
    const seen = yield* watch(session)
    const first = yield* session.prompt({ content: "first" })
    yield* first.task!.await
    yield* session.prompt({ content: "second" })
    yield* Deferred.await(shown)
    const queued = yield* session.prompt({ content: "third", when_busy: "queue", idempotency_key: "k" })
    const steered = yield* session.prompt({ content: "fourth", when_busy: "steer" })
    const running = yield* session.status
    assert.deepStrictEqual(running.queue, [
      { prompt_id: queued.prompt_id, content: "third", mode: "queue" },
      { prompt_id: steered.prompt_id, content: "fourth", mode: "steer" }
    ])
    assert.deepStrictEqual([running.queue_paused, running.tasks], [false, 2])
    assert.deepStrictEqual(running.usage, { input_tokens: 10, output_tokens: 5 })
    yield* session.interrupt()
    const paused = yield* session.status
    assert.deepStrictEqual([paused.queue_paused, paused.queue.map(({ mode }) => mode)], [true, ["queue", "queue"]])
    assert.include(seen.types(), "task_canceled")
  }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("one"), held) })))
})

it.effect("bypass ends with the process that was given it: who comes back has the configured mode (R273)", () =>
  Effect.gen(function* () {
    const manager = yield* RuntimeManager
    const id = "s1" as SessionId
    const modeOf = (session: SessionRuntime) => Effect.map(session.status, ({ mode }) => mode)
    const given = yield* manager.create(id, { workspace: "/", mode: "bypass" })
    assert.strictEqual(yield* modeOf(given), "bypass")
    yield* given.rename("kept")
    assert.strictEqual(yield* modeOf(given), "bypass")
    yield* manager.destroy(id)
    const back = yield* manager.open(id)
    assert.strictEqual(yield* modeOf(back), "ask")
    yield* back.setMode("plan")
    yield* back.setMode("bypass")
    assert.strictEqual(yield* modeOf(back), "bypass")
    yield* manager.destroy(id)
    assert.strictEqual(yield* modeOf(yield* manager.open(id)), "ask")
  }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("one")) })))
)
