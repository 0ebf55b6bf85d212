/**
 * Limits of turns, tasks and sessions: tokens, money, the time of tools. Each names what was used, and leaves the session
 * usable; whatever becomes of an attempt is counted once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Durable } from "../../src/domain/Event.ts"
import type { SessionId, TaskId } from "../../src/domain/Ids.ts"
import { Engine } from "../../src/engine/Engine.ts"
import type { Limits } from "../../src/engine/EngineLimits.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { make } from "../../src/provider/Catalogue.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { answer, call, completed, kit, type KitOptions, text, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"

const run = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))
const looping: Script = (_, turn) => answer("", [call(`c${turn}`, "probe", { n: turn })])

/** Every answer uses 10 and 5, and every request is taken for 10. */
const budget = { estimate: () => 10 }
const catalogue = make({ models: { scripted: { prices: { input: 100_000, output: 200_000 } } } })
const base = { max_output_tokens: 5 }

/** Answers of this many turns under these limits; what was asked for at most in each. */
const looped = (limits: Partial<Limits>, options: Partial<KitOptions> = {}) => {
  const { tool, log } = probe()
  const asked: Array<number | undefined> = []
  const script: Script = (request: ModelRequest, turn) => {
    asked.push(request.max_output_tokens)
    return looping(request, turn)
  }
  const { layer, seen } = kit({ tools: [tool], script, budget, catalogue, ...options, limits: { ...base, ...limits } })
  return Effect.map(run, (end) => ({ end, asked, log, seen })).pipe(Effect.provide(layer))
}

describe("budgets", () => {
  it.effect.each([
    [{ task_tokens: 30 }, "task", "tokens", 30, 30, [5, 5]],
    [{ task_tokens: 43 }, "task", "tokens", 30, 43, [5, 5]],
    [{ session_tokens: 29 }, "session", "tokens", 15, 29, [5]],
    [{ turn_tokens: 14 }, "turn", "tokens", 0, 14, []],
    [{ task_cost_usd: 4 }, "task", "usd", 4, 4, [5, 5]],
    [{ session_cost_usd: 2, task_cost_usd: 30 }, "session", "usd", 2, 2, [5]]
  ] as const)(
    "%o: stops before the call that does not fit, and says which (R117–R119)",
    ([limits, name, unit, used, limit, asked]) =>
      Effect.gen(function* () {
        const found = yield* looped(limits)
        assert.strictEqual(found.end.error?.code, "budget_exceeded")
        const { needed: _, ...use } = found.end.error?.budget ?? {}
        assert.deepStrictEqual(use, { budget: name, unit, used, limit })
        assert.deepStrictEqual<ReadonlyArray<number | undefined>>(found.asked, asked)
        assert.strictEqual(found.log.length, asked.length * 2)
        assert.strictEqual(found.end.usage.input_tokens, asked.length * 10)
        const [last] = found.seen.events.slice(-1)
        assert.strictEqual(last?.type === "task_failed" ? last.error.message : "", found.end.error?.message)
      })
  )

  it.effect("the last answer is asked to be no longer than what is left (R117)", () =>
    Effect.gen(function* () {
      const { asked, seen } = yield* looped({ task_tokens: 80, max_output_tokens: 40 })
      assert.deepStrictEqual(asked.slice(0, 4), [40, 40, 40, 25])
      const left = seen.events.flatMap((event) => (event.type === "usage" ? [event.left?.tokens] : []))
      assert.deepStrictEqual(left.slice(0, 3), [65, 50, 35])
    })
  )

  it.effect("time of all tools together (R120)", () => {
    const { tool } = probe({ run: () => Effect.as(TestClock.adjust("40 seconds"), { content: "x" }) })
    return Effect.gen(function* () {
      const { end } = yield* looped({ tool_time_ms: 60_000 }, { tools: [tool] })
      const use = { budget: "task", unit: "tool_ms", used: 80_000, limit: 60_000 }
      assert.deepStrictEqual<object | undefined>(end.error?.budget, use)
      assert.strictEqual(
        end.error?.message,
        "The task's budget of 60000 ms of tool time is used up: 80000 used. Raise limits.tool_time_ms to go on."
      )
    })
  })

  it.effect("a limit of money without a price is told, and nothing is asked", () =>
    Effect.gen(function* () {
      const { end, asked } = yield* looped({ task_cost_usd: 1 }, { catalogue: make({}) })
      assert.deepStrictEqual([end.error?.code, asked], ["bad_config", []])
      assert.include(end.error?.message, "The price of scripted is not known")
    })
  )

  it.effect(
    "usage adds up over a session's tasks, with its cost, and can be asked for (R119, R122, R261, R326)",
    () => {
      const { layer, seen } = kit({ script: turns(answer("one")), budget, catalogue, limits: { session_tokens: 1000 } })
      return Effect.gen(function* () {
        yield* run
        yield* run
        const [engine, reporter] = [yield* Engine, yield* Reporter]
        const state = yield* reporter.state
        assert.deepStrictEqual([state.usage, state.tasks], [{ input_tokens: 20, output_tokens: 10, cost_usd: 4 }, 2])
        const counted = seen.events.flatMap((event) =>
          event.type === "usage" ? [event.session_usage.input_tokens] : []
        )
        assert.deepStrictEqual(counted, [10, 20])
        assert.deepStrictEqual(yield* engine.budgets, [{ budget: "session", unit: "tokens", used: 30, limit: 1000 }])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a raised limit lets the session go on with the next prompt", () => {
    const { layer } = kit({ script: turns(answer("one")), budget, catalogue, limits: { ...base, session_tokens: 15 } })
    return Effect.gen(function* () {
      const engine = yield* Engine
      const ends = [yield* run, yield* run, yield* engine.prompt({ content: "on", caps: { session_tokens: 40 } })]
      assert.deepStrictEqual(
        ends.map(({ status, error }) => [status, error?.budget?.used]),
        [
          ["completed", undefined],
          ["failed", 15],
          ["completed", undefined]
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})

const broken = new ProviderError({ code: "provider_bad_stream", detail: "cut" })
const usages = (events: ReadonlyArray<{ readonly type: string }>) =>
  events
    .filter((event): event is Durable<"usage"> => event.type === "usage")
    .map(({ usage, charged }) => [usage, charged])

describe("an attempt that is no answer", () => {
  const cost = (input: number, output: number) => ({ cost_usd: (input * 100_000 + output * 200_000) / 1e6 })

  it.effect.each([{ task_tokens: 1000 }, {}])("counts as what came of it, or not, under %o", (limits) => {
    const shown: Stream.Stream<ModelPart, ProviderError> = Stream.concat(
      Stream.fromArray(text("123456")),
      Stream.fail(broken)
    )
    const script: Script = (_, turn) => [Stream.fail(broken), shown, answer("whole")][turn] ?? answer("")
    const { layer, seen } = kit({ script, budget, catalogue, limits: { ...base, ...limits } })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust("10 minutes")
      const end = yield* Fiber.join(fiber)
      const cut = { input_tokens: 10, output_tokens: 4, ...cost(10, 4), estimated: true }
      const both = { input_tokens: 20, output_tokens: 9, ...cost(20, 9), estimated: true }
      assert.deepStrictEqual(usages(seen.events), [
        [cut, cut],
        [both, undefined]
      ])
      assert.deepStrictEqual([end.status, end.usage], ["completed", both])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    [{ task_tokens: 60 }, 38],
    [{ turn_tokens: 51 }, 29],
    [{ session_cost_usd: 9.4 }, 35],
    [{ task_cost_usd: 9.2 }, 34]
  ] as const)("leaves what is left to the next, under %o", ([limits, second]) => {
    const asked: Array<number | undefined> = []
    const empty = new ProviderError({
      code: "provider_bad_stream",
      detail: "no",
      usage: { input_tokens: 10, output_tokens: 2 }
    })
    const script: Script = ({ max_output_tokens }, turn) => {
      asked.push(max_output_tokens)
      return [Stream.fail(empty), answer("whole")][turn] ?? answer("")
    }
    const { layer } = kit({ script, budget, catalogue, limits: { max_output_tokens: 40, ...limits } })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust("10 minutes")
      const { status } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([status, asked], ["completed", [40, second]])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([{ session_tokens: 1000 }, {}])("that a cancel cut counts before the task's end, under %o", (limits) =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const hanging: Stream.Stream<ModelPart> = Stream.concat(
        Stream.fromArray(text("123456")),
        Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      const { layer, seen } = kit({
        script: turns(hanging, answer("after")),
        budget,
        catalogue,
        limits
      })
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        const { state } = yield* Reporter
        const spent = Effect.map(state, ({ usage }) => usage.input_tokens + usage.output_tokens)
        assert.strictEqual(yield* spent, 14)
        assert.deepStrictEqual(
          seen.events.slice(-3).map(({ type }) => type),
          ["usage", "text_completed", "task_canceled"]
        )
        yield* run
        assert.strictEqual(yield* spent, 29)
        const budgets = yield* Effect.flatMap(Engine, (engine) => engine.budgets)
        assert.deepStrictEqual(
          budgets.map(({ used }) => used),
          "session_tokens" in limits ? [29] : []
        )
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("that a stop of the process cut counts as its question", () => {
    const { layer, seen } = kit({ script: turns(answer("done")), budget, catalogue, limits: { session_tokens: 1000 } })
    return Effect.gen(function* () {
      const [engine, reporter] = [yield* Engine, yield* Reporter]
      const at = { task_id: "t" as TaskId, turn: 1 }
      const streams = { stream_id: "s", reasoning_stream_id: "r" } as Pick<
        Durable<"thinking">,
        "stream_id" | "reasoning_stream_id"
      >
      yield* reporter.report([
        { type: "task_started", task_id: at.task_id, prompt_id: "p" as never, content: "go" },
        { type: "thinking", ...at, ...streams }
      ])
      const input = { session_id: "local" as SessionId, task_id: at.task_id }
      const end = yield* engine.resume(input, { place: { kind: "ask" }, broken: new Set() })
      const cut = { input_tokens: 10, output_tokens: 0, ...cost(10, 0), estimated: true }
      assert.deepStrictEqual(usages(seen.events)[0], [cut, cut])
      assert.deepStrictEqual([end.status, end.usage.input_tokens], ["completed", 20])
    }).pipe(Effect.provide(layer))
  })

  it.effect("an answer of which the server counted nothing is counted here", () => {
    const { usage: _, ...uncounted } = completed("123456789") as Extract<ModelPart, { readonly type: "completed" }>
    const silent = Stream.fromArray<ModelPart>([...text("123456789"), uncounted])
    const { layer } = kit({ script: turns(silent), budget, catalogue, limits: { task_tokens: 1000 } })
    return Effect.gen(function* () {
      assert.deepStrictEqual((yield* run).usage, {
        input_tokens: 10,
        output_tokens: 5,
        ...cost(10, 5),
        estimated: true
      })
    }).pipe(Effect.provide(layer))
  })
})
