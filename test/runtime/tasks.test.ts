/** A task: started at once, awaited by many, ended once, at most one in a session. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { answer, text, turns } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"

const hang = (shown: Deferred.Deferred<void>) =>
  Stream.concat(
    Stream.fromArray<ModelPart>(text("so far")),
    Stream.fromEffect(Effect.andThen(Deferred.succeed(shown, undefined), Effect.never))
  )

describe("Task", () => {
  it.effect("starts at once, ends once, and wakes everyone who waits with the whole end (R030–R039, R291)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const { task } = yield* session.prompt({ content: "hi" })
      const waiters = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkChild(task!.await))
      const ends = yield* Effect.forEach(waiters, Fiber.join)
      assert.strictEqual(new Set(ends).size, 1)
      assert.deepStrictEqual([ends[0]?.status, yield* task!.status], ["completed", "completed"])
      assert.strictEqual((yield* task!.cancel).status, "completed")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )

  it.effect("fails with the code of what failed (R038)", () => {
    const refused = Stream.fail(new ProviderError({ code: "provider_auth", detail: "no" }))
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const { task } = yield* session.prompt({ content: "hi" })
      const end = yield* task!.await
      assert.deepStrictEqual([end.status, end.error?.code, end.error?.retryable], ["failed", "provider_auth", false])
      const next = yield* session.prompt({ content: "again" })
      assert.strictEqual((yield* next.task!.await).status, "completed")
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => (_request, turn) => (turn === 0 ? refused : answer("ok")) }))
    )
  })

  it.effect("is the only one of its session; another session runs beside it (R055–R057, R133, R292)", () => {
    const shown = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const [a, b] = [yield* create("a"), yield* create("b")]
      const { task } = yield* a.prompt({ content: "long" })
      yield* Deferred.await(shown)
      assert.strictEqual((yield* Effect.flip(a.prompt({ content: "second" }))).code, "session_busy")
      const other = yield* b.prompt({ content: "hi" })
      assert.strictEqual((yield* other.task!.await).status, "completed")
      yield* a.interrupt()
      assert.strictEqual((yield* task!.await).status, "canceled")
      assert.strictEqual((yield* Effect.flip(a.interrupt())).code, "no_task")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layer({ script: (id) => turns(id === ("a" as SessionId) ? hang(shown) : answer("ok"), answer("ok")) })
      )
    )
  })

  it.effect("leaves the session free when its terminal event arrives (LESSONS 34)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const told = yield* Queue.unbounded<string>()
      yield* session.subscribe({
        sink: (events) => {
          for (const event of events) if (event.type === "task_completed") Queue.offerUnsafe(told, event.type)
        }
      })
      const done = Deferred.makeUnsafe<string>()
      const next = Effect.matchEffect(Effect.andThen(Queue.take(told), session.prompt({ content: "next" })), {
        onFailure: (error) => Deferred.succeed(done, error.code),
        onSuccess: () => Deferred.succeed(done, "started")
      })
      yield* Effect.forkChild(next, { startImmediately: true })
      yield* session.prompt({ content: "hi" })
      assert.strictEqual(yield* Deferred.await(done), "started")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )

  it.effect("interrupted by one of many callers at once still has one terminal event (R040, R332)", () => {
    const shown = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session)
      yield* session.prompt({ content: "long" })
      yield* Deferred.await(shown)
      yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.ignore(session.interrupt()), {
        concurrency: "unbounded"
      })
      const ends = seen.types().filter((type) => type.startsWith("task_"))
      assert.deepStrictEqual(ends, ["task_started", "task_canceled"])
      assert.isTrue(seen.events.some((event) => event.type === "state" && event.state === "cancelling"))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(hang(shown)) })))
  })

  it.effect("ends with its session's scope, awaited (R065, LESSONS 35, 36)", () => {
    const [shown, closed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const held = Stream.fromEffect(
      Effect.onInterrupt(Effect.andThen(Deferred.succeed(shown, undefined), Effect.never), () =>
        Deferred.succeed(closed, undefined)
      )
    )
    return Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const session = yield* create("s1")
      const { task } = yield* session.prompt({ content: "long" })
      yield* Deferred.await(shown)
      yield* manager.destroy("s1" as SessionId)
      assert.isTrue(yield* Deferred.isDone(closed))
      assert.strictEqual(yield* task!.status, "canceled")
      const back = yield* manager.open("s1" as SessionId)
      assert.strictEqual((yield* back.state).last?.status, "canceled")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(held) })))
  })

  it.effect("is followed by the prompts that waited for it (SETTLED 11)", () => {
    const [shown, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const first = Stream.concat(
      Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(shown, undefined), Deferred.await(go))),
      answer("one")
    )
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session)
      const { task } = yield* session.prompt({ content: "first" })
      yield* Deferred.await(shown)
      const waits = yield* session.prompt({ content: "second", when_busy: "queue" })
      assert.strictEqual(waits.task, undefined)
      yield* Deferred.succeed(go, undefined)
      yield* task!.await
      while (seen.types().filter((type) => type === "task_completed").length < 2) yield* Effect.yieldNow
      const started = seen.facts().flatMap((event) => (event.type === "task_started" ? [event.prompt_id] : []))
      assert.strictEqual(started[1], waits.prompt_id)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(first, answer("two")) })))
  })
})
