/** What is known of a model, and what a count costs: a price that nobody knows is no price (R113, R119). */
import { assert, describe, it } from "@effect/vitest"
import { assumed, costOf, entryOf, lookup, make, priced } from "../../src/provider/Catalogue.ts"
import { rows } from "../../src/provider/catalogueRows.ts"

describe("lookup", () => {
  it.each([
    ["gpt-5", "gpt-5"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["gpt-5-mini", "gpt-5-mini"],
    ["openai/gpt-5-mini", "gpt-5-mini"],
    ["models/gpt-5-nano-2025-08-07", "gpt-5-nano"],
    ["gpt-5-pro", "gpt-5*"],
    ["gpt-5.1-codex", "gpt-5*"],
    ["zai-org/GLM-4.6", "glm-4.6"],
    ["glm-4.6:latest", "glm-4.6"],
    ["glm-4.5-air", "glm-4.5-air"],
    ["glm-4.5-flash", "glm-4.5*"],
    ["kimi-k2-0905-preview", "kimi-k2*"],
    ["qwen3-coder-plus", "qwen3-coder*"],
    ["gpt-50", "gpt-5*"],
    ["llama3.2:1b", undefined],
    ["", undefined],
    ["constructor", undefined]
  ])("%s is %s", (model, id) => assert.strictEqual(lookup(model).id, id))

  it("a model that nobody knows has the stated defaults and no price", () => {
    assert.deepStrictEqual(lookup("my-own"), assumed)
    assert.deepStrictEqual([assumed.context_window, assumed.output_limit, assumed.prices], [32_768, 8192, undefined])
  })

  it("every row says where its figures stand, holds together, and is found under its own name", () => {
    for (const row of rows) {
      assert.match(row.read, /^20\d\d-\d\d$/, row.id)
      assert.isAbove(row.source.length, 8, row.id)
      assert.isAbove(row.context_window, row.output_limit, row.id)
      assert.strictEqual(lookup(row.id.replace("*", "-x")).context_window, row.context_window, row.id)
      if (row.prices === undefined) continue
      const { input, cached_input = input, output } = row.prices
      assert.isTrue(cached_input <= input && input < output, row.id)
      assert.isAbove(row.hosts?.length ?? 0, 0, row.id)
    }
    assert.strictEqual(new Set(rows.map(({ id }) => id)).size, rows.length)
  })

  it("a vendor's price counts at the vendor's servers alone", () => {
    const at = (base_url: string) => make({ base_url })("gpt-5-mini").prices
    assert.deepStrictEqual(at("https://api.openai.com/v1"), { input: 0.25, cached_input: 0.025, output: 2 })
    assert.deepStrictEqual(["http://127.0.0.1:8000/v1", "https://api.openai.com.example/v1", "nonsense"].map(at), [
      undefined,
      undefined,
      undefined
    ])
    assert.strictEqual(make({ base_url: "http://127.0.0.1:8000/v1" })("gpt-5-mini").context_window, 400_000)
  })
})

describe("a person's own rows", () => {
  const own = make({
    base_url: "http://127.0.0.1:8000/v1",
    models: {
      "gpt-5-mini": { prices: { input: 1, output: 4 } },
      "my-*": { context_window_tokens: 65_536 },
      "my-large*": { context_window_tokens: 131_072, output_tokens: 4096, tools: false }
    }
  })
  it("count over the catalogue, field by field, wherever the model runs", () => {
    const { context_window, prices, read, source } = own("openai/gpt-5-mini")
    assert.deepStrictEqual(
      [context_window, prices, source, read],
      [400_000, { input: 1, output: 4 }, "your configuration", undefined]
    )
  })
  it("the longest beginning counts; what it does not say is assumed", () => {
    const large = own("my-large-1")
    assert.deepStrictEqual([large.context_window, large.output_limit, large.tools], [131_072, 4096, false])
    assert.deepStrictEqual([own("my-small").context_window, own("my-small").output_limit], [65_536, 8192])
    assert.strictEqual(own("another").id, undefined)
  })
})

describe("cost", () => {
  const mini = lookup("gpt-5-mini")
  it.each([
    [{ input_tokens: 1_000_000, output_tokens: 0 }, 0.25],
    [{ input_tokens: 1_000_000, output_tokens: 1_000_000, cached_tokens: 400_000 }, 2.16],
    [{ input_tokens: 1, output_tokens: 0, cached_tokens: 1 }, 0.000_000_025],
    [{ input_tokens: 0, output_tokens: 0 }, 0],
    [{ input_tokens: 10, output_tokens: 0, cached_tokens: 99 }, 0.000_000_25]
  ])("%j costs US$ %s", (usage, cost) => assert.strictEqual(costOf(usage, mini), cost))
  it("without a cache price, cached tokens cost what others do", () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0, cached_tokens: 500_000 }
    assert.strictEqual(costOf(usage, { prices: { input: 2, output: 3 } }), 2)
  })
  it("is absent where the price is unknown, and what the server said of it stands", () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    assert.deepStrictEqual([costOf(usage, assumed), priced(usage, assumed)], [undefined, usage])
    assert.strictEqual(priced({ ...usage, cost_usd: 7 }, mini).cost_usd, 7)
  })
  it("is that of the model that was asked for; where nobody knows the name, of the one that answered", () => {
    const own = make({ models: { alias: { prices: { input: 9, output: 9 } } } })
    const input = (asked: string, answered?: string) => entryOf(own, asked, answered).prices?.input
    assert.deepStrictEqual(
      [input("alias", "gpt-5"), input("deployment", "gpt-5"), input("deployment"), input("gpt-5-mini", "gpt-5")],
      [9, 1.25, undefined, 0.25]
    )
  })
})
