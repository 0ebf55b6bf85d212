/** `claw run` says how the task ended by its exit code and one sentence, and leaves nothing unwritten. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { exitCode, run, type RunOptions } from "../../src/cli/Run.ts"
import { codes, errorBody, type ErrorCode } from "../../src/domain/ErrorCode.ts"
import type { TaskId } from "../../src/domain/Ids.ts"
import { Output } from "../../src/cli/Output.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import type { Script } from "../../src/provider/Provider.ts"
import { answer, text, turns } from "../support/engineKit.ts"
import { captured, type Captured } from "../support/capturedOutput.ts"
import { create, layer } from "../support/runtimeKit.ts"

const runOver = (script: Script, output: Captured, options: Partial<RunOptions> = {}) =>
  Effect.gen(function* () {
    const session = yield* create("s1")
    return yield* run(session, { content: "hi", json: false, locale: "en", ...options })
  }).pipe(Effect.provideService(Output, output.service), Effect.provide(layer({ script: () => script })), Effect.scoped)

const hanging = (shown: Deferred.Deferred<void>) =>
  turns(
    Stream.concat(
      Stream.fromArray<ModelPart>(text("so far")),
      Stream.fromEffect(Effect.andThen(Deferred.succeed(shown, undefined), Effect.never))
    )
  )

const ended = (code: ErrorCode) => ({
  task_id: "t" as TaskId,
  status: "failed" as const,
  usage: { input_tokens: 0, output_tokens: 0 },
  error: errorBody(code)
})

describe("the end of claw run", () => {
  it("has an exit code for every error there is", () => {
    const found = Object.groupBy(codes, (code) => String(exitCode(ended(code))))
    assert.deepStrictEqual(found["2"], ["bad_config"])
    assert.deepStrictEqual(found["3"], ["approval_required"])
    assert.deepStrictEqual(found["4"]?.toSorted(), ["budget_exceeded", "doom_loop", "max_turns"])
    assert.deepStrictEqual(Object.keys(found), ["1", "2", "3", "4"])
  })

  it.effect("is 0 where the task completed, and its text ends with one line break (R106)", () =>
    Effect.gen(function* () {
      const output = captured()
      const code = yield* runOver(turns(answer("done")), output)
      assert.deepStrictEqual([code, output.out(), output.err()], [0, "done\n", ""])
    })
  )

  it.effect("is 1 and one sentence, without a stack, where the provider refused; in the person's language", () =>
    Effect.gen(function* () {
      const refused: Script = () =>
        Stream.fail(new ProviderError({ code: "provider_auth", detail: "The key is wrong." }))
      const [en, zh] = [captured(), captured()]
      const ends = [yield* runOver(refused, en), yield* runOver(refused, zh, { locale: "zh-CN" })]
      assert.deepStrictEqual([ends, en.out(), zh.out()], [[1, 1], "", ""])
      assert.strictEqual(en.err(), "claw: The key is wrong. [provider_auth]\n")
      assert.match(
        zh.err(),
        /^claw: 模型服务拒绝了 API 密钥，请检查密钥与地址。（原文：The key is wrong\.） \[provider_auth\]\n$/
      )
    })
  )

  it.live(
    "an interrupt cancels the task, and its terminal event is written before the command ends, to a slow reader too (R092, R127)",
    () =>
      Effect.gen(function* () {
        const shown = yield* Deferred.make<void>()
        const output = captured({ gate: Effect.sleep("20 millis") })
        const fiber = yield* Effect.forkChild(runOver(hanging(shown), output, { json: true }))
        yield* Deferred.await(shown)
        yield* Fiber.interrupt(fiber)
        const types = output
          .out()
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).type as string)
        assert.strictEqual(types.at(-1), "task_canceled")
        assert.deepStrictEqual(
          types.filter((type) => type.startsWith("task_")),
          ["task_started", "task_canceled"]
        )
      })
  )

  it.effect("an interrupt waits two seconds for a reader that has stopped reading, and no longer", () =>
    Effect.gen(function* () {
      const shown = yield* Deferred.make<void>()
      const output = captured({ gate: Effect.never })
      const fiber = yield* Effect.forkChild(runOver(hanging(shown), output, { json: true }))
      yield* Deferred.await(shown)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust("1900 millis")
      assert.isUndefined(interrupting.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(interrupting)
      assert.strictEqual(output.out(), "")
    })
  )
})
