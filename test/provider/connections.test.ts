/** Connections: reused across calls (R116), given up where an answer does not end, and never read faster than consumed. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { DONE, HEAD, delta, finish, refusal, stream, text } from "../support/fakeModelScript.ts"
import { ask, completedOf, outcome, rig, textOf } from "../support/fakeModelProvider.ts"

describe("connections", () => {
  it.live("calls one after another use one connection, also after a refusal (R116)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(text("1"), refusal(500, "down"), text("3"))
      yield* Effect.forEach([1, 2, 3, 4], () => outcome(provider.stream(ask())))
      yield* provider.generate(ask())
      assert.deepStrictEqual(
        model.requests().map(({ connection }) => connection),
        [1, 1, 1, 1, 1]
      )
    })
  )
  it.live("[DONE] ends the answer though the socket stays open; that socket is closed soon after (LESSONS 6)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(stream(HEAD, delta({ content: "hi" }), finish("stop"), DONE, "hang"))
      const { parts, error } = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual([textOf(parts), error], ["hi", undefined])
      assert.deepStrictEqual(yield* model.gone(1), { writableFinished: false })
    })
  )
  it.live("a finish without [DONE] on a socket that stays open is an answer", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(stream(delta({ content: "hi" }), finish("stop"), "hang"))
      const { parts } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(completedOf(parts)?.finish_reason, "stop")
    })
  )
  it.live("a reset after the finish does not spoil the answer; one before it does (R112)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const pause = { gap_ms: 20 }
      model.script(
        stream(delta({ content: "hi" }), finish("stop"), pause, "reset"),
        stream(delta({ content: "hi" }), pause, "reset")
      )
      const whole = yield* outcome(provider.stream(ask()))
      const broken = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual([whole.error, completedOf(whole.parts)?.message.content], [undefined, "hi"])
      assert.deepStrictEqual([broken.error?.code, textOf(broken.parts)], ["provider_bad_stream", "hi"])
    })
  )
  it.live("parts arrive while the model is still writing", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const seen = yield* Deferred.make<void>()
      model.script(
        stream(
          delta({ content: "one" }),
          { until: Deferred.await(seen) },
          delta({ content: "two" }),
          finish("stop"),
          DONE
        )
      )
      const look = () => Deferred.succeed(seen, undefined)
      assert.strictEqual(
        yield* provider.stream(ask()).pipe(
          Stream.tap(look),
          Stream.runCollect,
          Effect.map((parts) => textOf([...parts]))
        ),
        "onetwo"
      )
    })
  )
  it.live("a consumer that does not read stops the server (back-pressure)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const flood = delta({ content: "x".repeat(1024 * 1024) })
      const written = { count: 0 }
      const counted = Array.from({ length: 64 }, () => [flood, { until: Effect.sync(() => written.count++) }]).flat()
      model.script(stream(delta({ content: "first" }), ...counted, finish("stop"), DONE))
      const stop = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<void>()
      const hold = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(stop))
      const fiber = yield* Effect.forkChild(
        Stream.runFold(
          Stream.tap(provider.stream(ask()), () => hold),
          () => 0,
          (n, part) => (part.type === "text_delta" ? n + part.text.length : n)
        )
      )
      yield* Deferred.await(reached)
      // Until the server has been stuck for a while: that nothing happens can only be shown by giving it time.
      for (let still = 0, last = 0; still < 10; still = written.count === last ? still + 1 : 0) {
        last = written.count
        yield* Effect.sleep("20 millis")
      }
      assert.isBelow(written.count, 32)
      yield* Deferred.succeed(stop, undefined)
      // 64 MiB is more than an answer may have: it is refused, not kept.
      const exit = yield* Fiber.await(fiber)
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
