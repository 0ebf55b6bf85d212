/** Nothing is left: two hundred interrupted calls, no process and no descriptor more than before (R298, LESSONS 33, 36). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eachDriver, oddSleep, openDescriptors, processesWith, receipt, script } from "../support/processes.ts"

eachDriver("nothing is left", ({ isolated, runnerOf }) => {
  const CALLS = isolated ? 40 : 200
  it.live(
    "interrupted calls leave no child and no descriptor, and end quickly",
    () =>
      Effect.gen(function* () {
        const runner = yield* runnerOf()
        yield* runner.run(script("true"))
        const before = openDescriptors()
        const sleep = oddSleep()
        const times: Array<number> = []
        for (let call = 0; call < CALLS; call += 1) {
          const up = receipt("up")
          const fiber = yield* Effect.forkChild(
            runner.run(script(`sleep ${sleep} & echo up; sleep ${sleep}`, { emit: up.emit }))
          )
          yield* up.arrived
          const start = performance.now()
          yield* Fiber.interrupt(fiber)
          times.push(performance.now() - start)
        }
        assert.deepStrictEqual(processesWith(sleep), [])
        assert.deepStrictEqual(openDescriptors(), before)
        times.sort((a, b) => a - b)
        // A few milliseconds on a quiet machine; what must show here is that no call waits for the grace (2 s).
        assert.isBelow(times[Math.floor(CALLS / 2)] ?? 0, 500)
      }),
    120_000
  )

  it.live("a call interrupted before it began, or while it is journaled, runs nothing", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const sleep = oddSleep()
      const journaled = Effect.callback<never>(() => {})
      for (const processStarted of [() => Effect.void, () => journaled]) {
        const fiber = yield* Effect.forkChild(runner.run(script(`sleep ${sleep}`, { processStarted })))
        yield* Effect.sleep(20)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(processesWith(sleep), [])
      }
    })
  )
})
