/** What a summary may take is reserved before it is asked for, and what it took is counted on every way out (R117–R119). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Stream } from "effect"
import type { DurableEvent } from "../../src/domain/Event.ts"
import { Engine } from "../../src/engine/Engine.ts"
import type { Limits } from "../../src/engine/EngineLimits.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { answer, call, kit } from "../support/engineKit.ts"
import { isSummary, said, summarising } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const { tool } = probe({ run: ({ n = 0 }) => Effect.succeed({ content: `${n} ${"word ".repeat(n / 5)}` }) })

/** Every request is taken for 10 tokens, a summary for 1,000. */
const budget = { estimate: (request: ModelRequest) => (isSummary(request) ? 1_000 : 10) }

/** Thirty calls in a window of 8,000 tokens: something has to go. */
const working = (_request: ModelRequest, turn: number) =>
  turn > 30 ? said("Done.") : answer("", [call(`c${turn}`, "probe", { n: 1_500 + turn })])

const kitOf = (model: ReturnType<typeof summarising>, limits: Partial<Limits>) =>
  kit({
    script: model.script,
    tools: [tool],
    budget,
    limits: { context_window: 8_000, max_turns: 60, max_output_tokens: 100, ...limits }
  })

const of = <T extends DurableEvent["type"]>(events: ReadonlyArray<DurableEvent>, type: T) =>
  events.filter((event): event is Extract<DurableEvent, { type: T }> => event.type === type)

const chargedIn = (events: ReadonlyArray<DurableEvent>) => of(events, "usage").flatMap(({ charged }) => charged ?? [])

const prompted = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "RULE: be quick" }))
const quiet = Logger.layer([])

describe("a summary's cost", () => {
  it.effect("that does not fit what is left is not spent: a digest takes its place, and the task goes on", () =>
    Effect.gen(function* () {
      const model = summarising(working)
      // Thirty answers of 10 + 5, one of 100 + 20, and no thousand more.
      const { seen, layer } = kitOf(model, { task_tokens: 900 })
      const end = yield* Effect.provide(prompted, [layer, quiet])
      assert.strictEqual(end.status, "completed")
      assert.deepStrictEqual([model.summaries.length, chargedIn(seen.events).length], [0, 0])
      const [made] = of(seen.events, "compacted")
      assert.include(made?.summary, "Calls made, the newest last:")
    })
  )

  it.effect("stands in the same append before the fact of it, and in the totals of the task", () =>
    Effect.gen(function* () {
      const model = summarising(working)
      const { seen, layer } = kitOf(model, { task_tokens: 100_000 })
      const end = yield* Effect.provide(prompted, [layer, quiet])
      const at = seen.events.findIndex(({ type }) => type === "compacted")
      const [before] = seen.events.slice(at - 1)
      assert.deepStrictEqual(before?.type === "usage" ? before.charged : before, {
        input_tokens: 100,
        output_tokens: 20
      })
      assert.strictEqual(chargedIn(seen.events).length, model.summaries.length)
      const turns = { input: 30 * 10 + 100, output: 30 * 5 + 20 }
      const asked = model.summaries.length
      assert.deepStrictEqual(end.usage, {
        input_tokens: turns.input + asked * 100,
        output_tokens: turns.output + asked * 20
      })
    })
  )

  it.live("of an attempt that fails and of the one after it are both counted", () =>
    Effect.gen(function* () {
      const failing = Stream.fail(
        new ProviderError({
          code: "provider_unavailable",
          detail: "It is gone.",
          usage: { input_tokens: 7, output_tokens: 3 }
        })
      )
      let asked = 0
      const model = summarising(working, () => (++asked === 1 ? failing : said('{"goal":"g"}')))
      const { seen, layer } = kitOf(model, { task_tokens: 100_000 })
      const end = yield* Effect.provide(prompted, [layer, quiet])
      assert.strictEqual(end.status, "completed")
      assert.deepStrictEqual(chargedIn(seen.events).slice(0, 2), [
        { input_tokens: 7, output_tokens: 3 },
        { input_tokens: 100, output_tokens: 20 }
      ])
    })
  )

  it.effect("is counted as its question and what had come of it where a person interrupts it", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const part: ModelPart = { type: "text_delta", text: "word ".repeat(40) }
      const model = summarising(working, () =>
        Stream.concat(
          Stream.succeed(part),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
      )
      const { seen, layer } = kitOf(model, { task_tokens: 100_000 })
      yield* Effect.gen(function* () {
        const task = yield* Effect.forkChild(prompted)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(task)
      }).pipe(Effect.provide([layer, quiet]))
      const [spent, ...more] = chargedIn(seen.events)
      assert.deepStrictEqual([spent?.input_tokens, spent?.estimated, more.length], [1_000, true, 0])
      assert.isAbove(spent?.output_tokens ?? 0, 20)
      assert.deepStrictEqual(
        seen.events.slice(-2).map(({ type }) => type),
        ["usage", "task_canceled"]
      )
    })
  )
})
