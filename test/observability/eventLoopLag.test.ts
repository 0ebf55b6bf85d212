/** A loop that stands still is seen from outside (RELIABILITY 3.4). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EventLoopLag from "../../src/observability/EventLoopLag.ts"

const BLOCK_MS = 200

const block = Effect.sync(() => {
  const end = performance.now() + BLOCK_MS
  while (performance.now() < end);
})

describe("the event loop's lag", () => {
  it.live("is at least as long as what held it, and is told once", () =>
    Effect.gen(function* () {
      const lag = yield* EventLoopLag.make
      // Until the measurement's own timer has run once.
      yield* Effect.sleep(50)
      yield* block
      yield* Effect.sleep(50)
      assert.isAtLeast((yield* lag).max, (BLOCK_MS - 50) / 1000)
      // Nothing has been measured since.
      assert.deepStrictEqual(yield* lag, { p99: 0, max: 0 })
    }).pipe(Effect.scoped)
  )
})
