/** Whoever waits for what was put off never overtakes it: deltas come behind the fact that opens them (R217, PROTOCOL ordering 2). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { initial } from "../../src/domain/Session.ts"
import { ReportError } from "../../src/engine/Reporter.ts"
import { type Gather, make, type Reported } from "../../src/runtime/commitQueue.ts"

const fact = (up_to_seq: number): Reported => ({ ts: "2026-01-01T00:00:00.000Z", body: { type: "cleared", up_to_seq } })

/** A journal whose first append waits to be let through, and may fail. */
const scene = Effect.gen(function* () {
  const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void, ReportError>()]
  const appended: Array<ReadonlyArray<Reported>> = []
  const append = (gather: Gather) =>
    Effect.gen(function* () {
      yield* Deferred.succeed(begun, undefined)
      yield* Deferred.await(go)
      appended.push(gather([]))
      return initial
    })
  return { begun, go, appended, queue: make(append, () => initial) }
})

describe("a commit of nothing", () => {
  it.effect("waits for an append that is under way, and appends nothing itself", () =>
    Effect.gen(function* () {
      const { begun, go, appended, queue } = yield* scene
      queue.later([fact(1)])
      const first = yield* Effect.forkChild(queue.commit([]))
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(queue.commit([]), { startImmediately: true })
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(second)
      yield* Fiber.join(first)
      assert.deepStrictEqual(appended, [[fact(1)]])
      yield* queue.commit([fact(2)])
      assert.deepStrictEqual(appended, [[fact(1)], [fact(2)]])
    })
  )

  it.effect("is at once where nothing was put off and nobody writes", () =>
    Effect.gen(function* () {
      const { appended, queue } = yield* scene
      assert.strictEqual(yield* queue.commit([]), initial)
      assert.deepStrictEqual(appended, [])
    })
  )

  it.effect("fails as well, where what was put off still cannot be stored", () =>
    Effect.gen(function* () {
      const { begun, go, queue } = yield* scene
      queue.later([fact(1)])
      yield* Effect.forkChild(Effect.exit(queue.commit([])))
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(Effect.flip(queue.commit([])), { startImmediately: true })
      const full = new ReportError({ code: "storage_unavailable" })
      yield* Deferred.fail(go, full)
      assert.strictEqual(yield* Fiber.join(second), full)
    })
  )
})

describe("facts that are decided as they are stored", () => {
  it.effect("know what was put off, and go into the same append", () =>
    Effect.gen(function* () {
      const { go, appended, queue } = yield* scene
      yield* Deferred.succeed(go, undefined)
      queue.later([fact(1), fact(2)])
      yield* queue.commit((before) => [fact(before.length + 10)])
      assert.deepStrictEqual(appended, [[fact(1), fact(2), fact(12)]])
    })
  )

  it.effect("and what was put off is stored once, though two appends in a row fail and are stored (R332)", () => {
    const stored: Array<Reported> = []
    let there: ReadonlyArray<Reported> = []
    let faults = 2
    const append = (gather: Gather) =>
      Effect.suspend(() => {
        const facts = gather(there)
        stored.push(...facts)
        there = facts
        return faults-- > 0 ? Effect.fail(new ReportError({ code: "storage_unavailable" })) : Effect.succeed(initial)
      })
    const queue = make(
      append,
      () => initial,
      () => there.length === 0
    )
    return Effect.gen(function* () {
      queue.later([fact(1)])
      yield* Effect.flip(queue.commit([fact(2)]))
      yield* Effect.flip(queue.commit(() => [fact(3)]))
      yield* queue.commit([fact(4)])
      assert.deepStrictEqual(stored, [fact(1), fact(2), fact(3), fact(4)])
    })
  })
})
