/** What an outbox takes at once, and when it has room again (R186). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fact, kit, tick } from "../support/outboxKit.ts"

describe("an outbox", () => {
  it.effect("what comes within one turn is bounded, too", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ outbox_bytes: 100_000 })
      for (let seq = 1; seq <= 200; seq++) outbox.sink([fact(seq, 10_000)])
      assert.strictEqual(calls.slow, 1)
      yield* tick
      assert.deepStrictEqual([calls.slow, wire.texts.length], [1, 0])
    })
  )

  it.effect("tells once when there is room again", () =>
    Effect.gen(function* () {
      const { outbox, wire } = kit({ outbox_bytes: 100_000 })
      let told = 0
      outbox.whenRoom(() => told++)
      outbox.sink([fact(1, 150_000)])
      assert.deepStrictEqual([told, outbox.hasRoom()], [1, false])
      outbox.whenRoom(() => told++)
      yield* tick
      assert.strictEqual(told, 1)
      wire.take(1e9)
      wire.take(1e9)
      assert.deepStrictEqual([told, outbox.hasRoom()], [2, true])
    })
  )
})
