/** Interruption at every point of a task: one path, one result, nothing left (LESSONS 33). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { allow, answer, call, kit, type KitOptions, text, turns } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { probe, waiting } from "../support/tools.ts"

/** Starts a task, waits for `at`, interrupts, and gives what was reported. */
const interrupted = (options: KitOptions, at: Effect.Effect<unknown>) => {
  const { layer, seen } = kit(options)
  return Effect.gen(function* () {
    const engine = yield* Engine
    const fiber = yield* Effect.forkChild(engine.prompt({ content: "go" }))
    yield* at
    yield* Fiber.interrupt(fiber)
    const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
    assert.deepStrictEqual(violations(messages(state)), [])
    assert.strictEqual(state.task, undefined)
    assert.strictEqual(state.last?.status, "canceled")
    const terminals = seen.events.filter((event) => event.type.startsWith("task_") && event.type !== "task_started")
    assert.deepStrictEqual([terminals.length, seen.events.at(-1)], [1, terminals[0]])
    const next = yield* engine.prompt({ content: "and now?" })
    assert.strictEqual(next.status, "completed")
    return seen
  }).pipe(Effect.provide(layer))
}

describe("interrupting a task", () => {
  it.effect("in the middle of text keeps what was shown and marks it (R028, R046, R047, LESSONS 16)", () => {
    const shown = Deferred.makeUnsafe<void>()
    const hang = Stream.concat(
      Stream.fromArray<ModelPart>(text("Half an ")),
      Stream.fromEffect(Effect.andThen(Deferred.succeed(shown, undefined), Effect.never))
    )
    return Effect.gen(function* () {
      const seen = yield* interrupted({ script: turns(hang, answer("fine")) }, Deferred.await(shown))
      const cut = seen.events.find((event) => event.type === "text_completed")
      assert.deepStrictEqual([cut?.content, cut?.partial, cut?.finish_reason], ["Half an ", true, "cancelled"])
    })
  })

  it.effect("before the model answers closes the model's stream (R124, R128)", () => {
    const [asked, closed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const never = Stream.fromEffect(
      Effect.onInterrupt(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never), () =>
        Deferred.succeed(closed, undefined)
      )
    )
    return Effect.gen(function* () {
      yield* interrupted({ script: turns(never, answer("fine")) }, Deferred.await(asked))
      assert.isTrue(yield* Deferred.isDone(closed))
    })
  })

  it.effect("while a person is asked runs nothing (R028, R163)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const asked = Deferred.makeUnsafe<void>()
    let first = true
    return Effect.gen(function* () {
      const seen = yield* interrupted(
        {
          tools: [tool],
          script: turns(answer("", [call("c1", "probe")]), answer("fine")),
          gate: (check) => {
            if (!first) return Effect.succeed(allow(check))
            first = false
            return Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
          }
        },
        Deferred.await(asked)
      )
      assert.deepStrictEqual(log, [])
      const result = seen.events.find((event) => event.type === "tool_result")
      assert.deepStrictEqual(
        [result?.status, result?.result],
        ["cancelled", "Not executed: the task was stopped first."]
      )
    })
  })

  it.effect("while a tool runs ends it and starts none of those behind it (R077, R078, R131, case H10)", () => {
    const held = waiting("hold")
    const behind = probe({ name: "behind" })
    return Effect.gen(function* () {
      const seen = yield* interrupted(
        {
          tools: [held.tool, behind.tool],
          script: turns(answer("", [call("c1", "hold"), call("c2", "behind")]), answer("fine")),
          limits: { tool_concurrency: 1 }
        },
        held.begun
      )
      assert.deepStrictEqual([held.log, behind.log], [["+0", "-0"], []])
      const results = seen.events.flatMap((event) =>
        event.type === "tool_result" ? [[event.call_id, event.status]] : []
      )
      assert.deepStrictEqual(results, [
        ["c1", "cancelled"],
        ["c2", "cancelled"]
      ])
    })
  })

  it.effect("during a retry's wait ends at once (R114, LESSONS 10)", () => {
    const failing = Stream.fail(new ProviderError({ code: "provider_unavailable", detail: "busy" }))
    const { layer, seen } = kit({ script: (_request, turn) => (turn === 0 ? failing : answer("fine")) })
    return Effect.gen(function* () {
      const engine = yield* Engine
      const fiber = yield* Effect.forkChild(engine.prompt({ content: "go" }))
      while (!seen.live.some((body) => body.type === "retrying")) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(seen.events.at(-1)?.type, "task_canceled")
    }).pipe(Effect.provide(layer))
  })

  it.effect("at any step at all leaves a whole history and one terminal event (R029, R040, R297)", () =>
    Effect.gen(function* () {
      for (let steps = 0; steps < 120; steps++) {
        const { tool } = probe({ risk: "mutating", run: () => Effect.as(Effect.yieldNow, { content: "x" }) })
        const calls = [call("c1", "probe", { path: "a" }), call("c2", "probe", { path: "a" }), call("c3", "nope")]
        const { layer, seen } = kit({
          tools: [tool],
          script: turns(answer("one", calls), answer("two", [call("c4", "probe")]), answer("end"))
        })
        yield* Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })))
          for (let i = 0; i < steps; i++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
          assert.deepStrictEqual(violations(messages(state)), [], `after ${steps} steps`)
          const started = seen.events.filter((event) => event.type === "task_started").length
          const ends = seen.events.filter((event) => ["task_completed", "task_canceled"].includes(event.type)).length
          assert.strictEqual(ends, started, `after ${steps} steps`)
        }).pipe(Effect.provide(layer))
      }
    })
  )
})
