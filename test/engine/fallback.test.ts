/** Another model stands in for one that keeps failing, and everybody is told (R113, R115, R320, RELIABILITY 3.6). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Engine } from "../../src/engine/Engine.ts"
import { make } from "../../src/provider/Catalogue.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { type ProviderCode, ProviderError } from "../../src/provider/ProviderError.ts"
import type { Script } from "../../src/provider/Provider.ts"
import { answer, call, kit, type KitOptions, text } from "../support/engineKit.ts"
import { told } from "../support/faultKit.ts"
import { probe } from "../support/tools.ts"

const fails = (code: ProviderCode, more: Partial<ProviderError> = {}) =>
  Stream.fail(new ProviderError({ code, detail: "It is down.", ...more }))
const half = Stream.concat(Stream.fromArray<ModelPart>(text("Half")), fails("provider_unavailable"))

const run = Effect.fnUntraced(function* (
  script: Script,
  fallback_models: ReadonlyArray<string>,
  more: Partial<KitOptions> = {}
) {
  const asked: Array<string> = []
  const log: Array<Parameters<typeof told>[0][number]> = []
  const take = (event: (typeof log)[number]) => void log.push(event)
  const { layer } = kit({
    ...more,
    script: (request, turn) => {
      asked.push(request.model ?? "scripted")
      return script(request, turn)
    },
    reporter: { event: take, live: take },
    limits: { fallback_models, ...more.limits }
  })
  const fiber = yield* Effect.forkChild(
    Effect.provide(
      Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })),
      layer
    )
  )
  yield* TestClock.adjust("10 minutes")
  const end = yield* Fiber.join(fiber)
  return { asked, log, line: told(log).replaceAll(/(![a-z_]+)\+\d+/g, "$1"), end }
})

const only =
  (model: string, said = answer("Whole")): Script =>
  (request) =>
    request.model === model ? said : half

describe("a fallback", () => {
  it.effect("is asked once the attempts are used up, in a new stream, and is named", () =>
    Effect.gen(function* () {
      const { asked, line, log } = yield* run(only("small"), ["small"])
      assert.deepStrictEqual(asked, ["scripted", "scripted", "scripted", "small"])
      assert.strictEqual(
        line,
        '"Half" ~u !unavailable | "Half" ~u !unavailable | "Half" ~u !unavailable |>small "Whole" ="Whole" ~u done'
      )
      const told = log.flatMap((event) => (event.type === "retrying" ? [[event.attempt, event.model]] : []))
      assert.deepStrictEqual(told, [
        [1, undefined],
        [2, undefined],
        [3, "small"]
      ])
      const answered = log.find((event) => event.type === "text_completed")
      assert.strictEqual(answered?.type === "text_completed" && answered.model, "small")
    })
  )

  it.effect("stays for the rest of the task, and what it used costs what it costs", () =>
    Effect.gen(function* () {
      const { tool } = probe()
      const script: Script = (request, turn) =>
        request.model !== "small"
          ? fails("provider_unreachable")
          : turn < 4
            ? answer("", [call("c", "probe")])
            : answer("Done")
      const catalogue = make({ models: { small: { prices: { input: 1, output: 2 } } } })
      const { asked, end } = yield* run(script, ["small"], { tools: [tool], catalogue })
      assert.deepStrictEqual(asked, ["scripted", "scripted", "scripted", "small", "small"])
      assert.deepStrictEqual(end.usage, { input_tokens: 20, output_tokens: 10, cost_usd: 0.000_04 })
    })
  )

  it.effect("the next one follows where it fails as well, and the last one's error is the task's", () =>
    Effect.gen(function* () {
      const { asked, end } = yield* run(() => fails("provider_unavailable"), ["a", "scripted", "b", "a"])
      assert.deepStrictEqual(
        asked,
        ["scripted", "a", "b"].flatMap((model) => [model, model, model])
      )
      assert.deepStrictEqual([end.status, end.error?.code], ["failed", "provider_unavailable"])
    })
  )

  it.effect("is never asked for what is not the server's fault", () =>
    Effect.gen(function* () {
      for (const code of ["provider_auth", "provider_bad_request", "provider_context_overflow"] as const) {
        assert.deepStrictEqual((yield* run(() => fails(code), ["small"])).asked, ["scripted"])
      }
    })
  )

  it.effect("is asked at once for an unknown model, an empty account, and a wait that is too long", () =>
    Effect.gen(function* () {
      const rows = [
        ["provider_model_not_found", {}],
        ["provider_quota", {}],
        ["provider_rate_limited", { retryAfterMs: 3_600_000 }]
      ] as const
      for (const [code, more] of rows) {
        const script: Script = ({ model }) => (model === "small" ? answer("Whole") : fails(code, more))
        const { asked, end, log } = yield* run(script, ["small"])
        assert.deepStrictEqual([asked, end.status], [["scripted", "small"], "completed"])
        const why = log.flatMap((event) => (event.type === "retrying" ? [event.message] : []))
        const long = " It asked to wait 60 min; claw waits 120 s at most (retry.retry_after_max_ms)."
        assert.deepStrictEqual(why, [`It is down.${code === "provider_rate_limited" ? long : ""}`])
        assert.strictEqual((yield* run(() => fails(code, more), ["small"])).end.error?.code, code)
      }
      const alone = yield* run(() => fails("provider_rate_limited", { retryAfterMs: 3_600_000 }), [])
      assert.match(
        alone.end.error?.message ?? "",
        /It asked to wait 60 min; claw waits 120 s .* It waited 4 min in all\.$/
      )
      assert.strictEqual(alone.end.error?.retry_after_ms, 3_600_000)
    })
  )

  it.effect("is not waited for where a fault does not pass by itself: a new prompt hears so at once", () =>
    Effect.gen(function* () {
      const { tool } = probe()
      const nobody = fails("provider_unreachable", { lasting: true })
      const first = yield* run(() => nobody, [])
      assert.deepStrictEqual([first.asked.length, first.end.error?.message], [1, "It is down."])
      // A server that answered before may be back soon.
      const script: Script = (_, turn) =>
        turn === 0 ? answer("", [call("c", "probe")]) : turn === 1 ? nobody : answer("Done")
      assert.strictEqual((yield* run(script, [], { tools: [tool] })).end.status, "completed")
    })
  )

  it.effect("is not asked for what it cannot do, and the error says why (R113)", () =>
    Effect.gen(function* () {
      const { tool } = probe()
      const catalogue = make({ models: { mute: { tools: false }, tiny: { context_window_tokens: 16 } } })
      const { asked, end } = yield* run(only("big"), ["mute", "tiny"], { tools: [tool], catalogue })
      assert.deepStrictEqual(new Set(asked), new Set(["scripted"]))
      assert.strictEqual(
        end.error?.message,
        "It is down. mute cannot stand in: it cannot call tools. tiny cannot stand in: the conversation does not fit its 16 tokens."
      )
      const found = yield* run(only("big"), ["mute", "tiny", "big"], { tools: [tool], catalogue })
      assert.strictEqual(found.end.status, "completed")
    })
  )
})

describe("a server that is left alone", () => {
  const open = fails("provider_unavailable", { open: true, retryAfterMs: 20_000 })
  it.effect("is not waited for where another model can be asked", () =>
    Effect.gen(function* () {
      const { asked, line } = yield* run((request) => (request.model === "small" ? answer("Whole") : open), ["small"])
      assert.deepStrictEqual(asked, ["scripted", "small"])
      assert.strictEqual(line, '!unavailable |>small "Whole" ="Whole" u10+5 done')
    })
  )
  it.effect("ends a new prompt at once, with the time to wait", () =>
    Effect.gen(function* () {
      const { asked, end } = yield* run(() => open, [])
      assert.deepStrictEqual([asked, end.error?.retryable, end.error?.retry_after_ms], [["scripted"], true, 20_000])
    })
  )
  it.effect("is waited for by a task that already did work", () =>
    Effect.gen(function* () {
      const { tool } = probe()
      const script: Script = (_, turn) =>
        turn === 0 ? answer("", [call("c", "probe")]) : turn === 1 ? open : answer("Done")
      const { end, log } = yield* run(script, [], { tools: [tool] })
      const waits = log.flatMap((event) => (event.type === "retrying" ? [Math.floor(event.delay_ms / 1000)] : []))
      assert.deepStrictEqual([end.status, waits], ["completed", [20]])
    })
  )
})

describe("a call that failed", () => {
  it.effect("is paid for as far as the server counted (R119)", () =>
    Effect.gen(function* () {
      const counted = fails("provider_unavailable", { usage: { input_tokens: 7, output_tokens: 1 } })
      const again = yield* run((_, turn) => (turn === 0 ? counted : answer("ok")), [])
      assert.deepStrictEqual(again.end.usage, { input_tokens: 17, output_tokens: 6 })
      const never = yield* run(() => counted, [])
      assert.deepStrictEqual([never.end.status, never.end.usage], ["failed", { input_tokens: 21, output_tokens: 3 }])
      const charged = never.log.flatMap((event) => (event.type === "usage" ? [event.charged?.input_tokens] : []))
      assert.deepStrictEqual(charged, [7, 7, 7])
    })
  )
})
