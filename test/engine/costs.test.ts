/** Each answer's cost reaches the events, and an unknown one stays unknown (R119, R122, R261). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Usage from "../../src/domain/Usage.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { make } from "../../src/provider/Catalogue.ts"
import { answer, kit, turns } from "../support/engineKit.ts"

const costs = Effect.fnUntraced(function* (models: Parameters<typeof make>[0]["models"] = {}) {
  const { layer, seen } = kit({ script: turns(answer("one")), catalogue: make({ models }) })
  const twice = Effect.flatMap(Engine, (engine) =>
    Effect.andThen(engine.prompt({ content: "a" }), engine.prompt({ content: "b" }))
  )
  const end = yield* Effect.provide(twice, layer)
  const of = (type: "text_completed" | "usage") =>
    seen.events.flatMap((event) =>
      event.type !== type ? [] : event.type === "usage" ? [event.session_usage.cost_usd] : [event.usage?.cost_usd]
    )
  return [of("text_completed"), of("usage"), end.usage.cost_usd]
})

describe("costs", () => {
  it.effect("of each answer, and of the session as they add up", () =>
    Effect.gen(function* () {
      // 10 tokens in, 5 out.
      const found = yield* costs({ scripted: { prices: { input: 1, output: 2 } } })
      assert.deepStrictEqual(found, [[0.000_02, 0.000_02], [0.000_02, 0.000_04], 0.000_02])
    })
  )
  it.effect("of a model without a price are absent, not zero", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* costs(), [[undefined, undefined], [undefined, undefined], undefined])
    })
  )
})

describe("a sum", () => {
  const known = { input_tokens: 1, output_tokens: 1, cost_usd: 0.5 }
  const unknown = { input_tokens: 1, output_tokens: 1 }
  const money = (usage: Usage.Usage) => [usage.cost_usd, usage.cost_partial]
  it("of known and unknown costs says that it is only the least", () => {
    assert.deepStrictEqual(money(Usage.add(known, unknown)), [0.5, true])
    assert.deepStrictEqual(money(Usage.add(unknown, known)), [0.5, true])
    assert.deepStrictEqual(money(Usage.add(Usage.add(unknown, known), known)), [1, true])
    assert.deepStrictEqual(money(Usage.add(Usage.none, known)), [0.5, undefined])
    assert.deepStrictEqual(money(Usage.add(unknown, unknown)), [undefined, undefined])
  })
})
