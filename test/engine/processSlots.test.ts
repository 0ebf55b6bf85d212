/** The tool pool of the process, shared by its sessions (R280). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Semaphore } from "effect"
import { Engine } from "../../src/engine/Engine.ts"
import { ProcessSlots } from "../../src/engine/EngineLimits.ts"
import { answer, call, kit, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"

const calls = (count: number) => Array.from({ length: count }, (_, i) => call(`c${i}`, "probe", { n: i }))

/** One session's engine with one turn of calls; `run` is the tool. */
const session = (count: number, run: (n: number) => Effect.Effect<unknown>) => {
  const { tool } = probe({ run: ({ n = 0 }) => Effect.as(run(n), { content: "ok" }) })
  const { layer } = kit({ tools: [tool], script: turns(answer("", calls(count)), answer("ok")) })
  return Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })).pipe(Effect.provide(layer))
}

describe("the tool pool of a process", () => {
  it.effect("is never exceeded by two hundred sessions with eight calls each, and all of them end (R280)", () => {
    let [now, most, ran] = [0, 0, 0]
    const tool = () =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          now += 1
          ran += 1
          most = Math.max(most, now)
        }),
        () => Effect.yieldNow,
        () => Effect.sync(() => void (now -= 1))
      )
    return Effect.gen(function* () {
      const all = Array.from({ length: 200 }, () => session(8, tool))
      const ends = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.isTrue(ends.every(({ status }) => status === "completed"))
      assert.deepStrictEqual([ran, most, now], [1_600, 12, 0])
    }).pipe(Effect.provideService(ProcessSlots, Semaphore.makeUnsafe(12)))
  })

  it.effect(
    "serves in the order of asking: a session with many calls holds another one back by no more than its own share (R280)",
    () => {
      const [begun, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const order: Array<string> = []
      const greedy = (n: number) =>
        Effect.suspend(() => {
          order.push(`greedy ${n}`)
          return n === 0 ? Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)) : Effect.void
        })
      return Effect.gen(function* () {
        const first = yield* Effect.forkChild(session(40, greedy))
        yield* Deferred.await(begun)
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        const second = yield* Effect.forkChild(session(1, () => Effect.sync(() => void order.push("modest"))))
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(second)
        yield* Fiber.join(first)
        assert.strictEqual(order.length, 41)
        // Eight calls of a session ask at a time: seven of them asked before the other session did.
        assert.isAtMost(order.indexOf("modest"), 8)
      }).pipe(Effect.provideService(ProcessSlots, Semaphore.makeUnsafe(1)))
    }
  )

  it.effect("gets its slot back from a call that is interrupted while it waits or runs (R280)", () => {
    const slots = Semaphore.makeUnsafe(1)
    const begun = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const hold = () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const running = yield* Effect.forkChild(session(4, hold))
      yield* Deferred.await(begun)
      const waiting = yield* Effect.forkChild(session(4, () => Effect.void))
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      const next = yield* session(3, () => Effect.void)
      assert.strictEqual(next.status, "completed")
    }).pipe(Effect.provideService(ProcessSlots, slots))
  })
})
