/** Limits of a task: turns, tokens, the time of its tools. Each names what was used, and leaves the session usable. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { answer, call, kit, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"

const run = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))
const looping = (_: unknown, turn: number) => answer("", [call(`c${turn}`, "probe", { n: turn })])

describe("budgets", () => {
  it.effect("tokens of a task: stops before the call that would follow (R117, R118)", () => {
    const { tool, log } = probe()
    const { layer } = kit({ tools: [tool], script: looping, limits: { task_tokens: 30 } })
    return Effect.gen(function* () {
      const end = yield* run
      assert.deepStrictEqual([end.error?.code, end.usage], ["budget_exceeded", { input_tokens: 20, output_tokens: 10 }])
      assert.include(end.error?.message, "30 tokens")
      assert.deepStrictEqual(log, ["+0", "-0", "+1", "-1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("time of all tools together (R120)", () => {
    const { tool } = probe({ run: () => Effect.as(TestClock.adjust("40 seconds"), { content: "x" }) })
    const { layer } = kit({ tools: [tool], script: looping, limits: { tool_time_ms: 60_000 } })
    return Effect.gen(function* () {
      const end = yield* run
      assert.deepStrictEqual([end.error?.code, end.usage.input_tokens], ["budget_exceeded", 20])
      assert.include(end.error?.message, "80000 ms")
    }).pipe(Effect.provide(layer))
  })

  it.effect("usage adds up over a session's tasks and can be asked for (R119, R122, R261)", () => {
    const { layer, seen } = kit({ script: turns(answer("one")) })
    return Effect.gen(function* () {
      yield* run
      yield* run
      const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
      assert.deepStrictEqual([state.usage, state.tasks], [{ input_tokens: 20, output_tokens: 10 }, 2])
      const counted = seen.events.flatMap((event) => (event.type === "usage" ? [event.session_usage.input_tokens] : []))
      assert.deepStrictEqual(counted, [10, 20])
    }).pipe(Effect.provide(layer))
  })
})
