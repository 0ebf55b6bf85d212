/** A model call that fails is made again where that is safe; nothing is shown twice (R112, R114, R320). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Engine } from "../../src/engine/Engine.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { Script } from "../../src/provider/Provider.ts"
import { ProviderError, type ProviderCode } from "../../src/provider/ProviderError.ts"
import { answer, kit, text } from "../support/engineKit.ts"

const fails = (code: ProviderCode) => Stream.fail(new ProviderError({ code, detail: "no" }))
const cut = Stream.concat(Stream.fromArray<ModelPart>(text("Half")), fails("provider_bad_stream"))

const run = (script: Script) => {
  const { layer, seen } = kit({ script })
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })))
    yield* TestClock.adjust("10 minutes")
    return { end: yield* Fiber.join(fiber), seen }
  }).pipe(Effect.provide(layer))
}

describe("retries", () => {
  it.effect("before anything was shown: the same stream, the wait announced", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run((_, turn) => (turn === 0 ? fails("provider_unavailable") : answer("ok")))
      assert.strictEqual(end.status, "completed")
      assert.isFalse(seen.events.some((event) => event.type === "stream_reset"))
      const waits = seen.live.flatMap((body) => (body.type === "retrying" ? [[body.attempt, body.code]] : []))
      assert.deepStrictEqual(waits, [[1, "provider_unavailable"]])
    })
  )

  it.effect("after text was shown: a new stream, whose text alone is committed", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run((_, turn) => (turn === 0 ? cut : answer("whole")))
      assert.strictEqual(end.status, "completed")
      const reset = seen.events.find((event) => event.type === "stream_reset")
      assert(reset !== undefined)
      const done = seen.events.filter((event) => event.type === "text_completed")
      assert.deepStrictEqual(
        done.map((event) => [event.stream_id, event.content]),
        [[reset.next_stream_id, "whole"]]
      )
      const shown = seen.live.flatMap((body) => (body.type === "text_delta" ? [[body.stream_id, body.offset]] : []))
      assert.deepStrictEqual(shown, [
        [reset.stream_id, 0],
        [reset.next_stream_id, 0]
      ])
    })
  )

  it.effect("end after the policy's attempts; what was shown last is kept and marked (SETTLED 7)", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run(() => cut)
      assert.deepStrictEqual([end.status, end.error?.code], ["failed", "provider_bad_stream"])
      assert.strictEqual(seen.events.filter((event) => event.type === "stream_reset").length, 2)
      const last = seen.events.find((event) => event.type === "text_completed")
      assert.deepStrictEqual([last?.content, last?.partial, last?.finish_reason], ["Half", true, "other"])
    })
  )

  it.effect("never happen for what the user has to mend", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run(() => fails("provider_auth"))
      assert.strictEqual(end.error?.code, "provider_auth")
      assert.isFalse(seen.live.some((body) => body.type === "retrying"))
    })
  )
})
