/** What things cost and what may be spent, as the console tells it (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { leftOf, raisable, suggested } from "../../src/console/state/budgets.ts"
import { Talk } from "../../src/console/state/talk.ts"
import { costText, usageRows } from "../../src/console/state/usageRows.ts"
import { amount, costOf, money } from "../../src/console/text/format.ts"
import type { BudgetUse } from "../../src/domain/Budget.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { factsOf } from "../support/consoleFacts.ts"

const use = (budget: BudgetUse["budget"], unit: BudgetUse["unit"], used: number, limit: number): BudgetUse => ({
  budget,
  unit,
  used,
  limit
})

describe("a limit of spending", () => {
  it("is told by what the narrowest of each unit leaves, never less than nothing (R117–R119)", () => {
    const all = [use("task", "usd", 3, 2), use("session", "usd", 3, 9), use("tenant", "tokens", 10, 50)]
    assert.deepStrictEqual(leftOf(all), { cost_usd: 0, tokens: 40 })
    assert.isUndefined(leftOf([use("task", "tool_ms", 1, 2)]))
    assert.strictEqual(amount(61_000, "tool_ms", "en"), "1 min 01 s")
  })

  it("is raised by twice as much, where it is a person's to raise", () => {
    const table = [
      [use("task", "tokens", 1_190, 1_000), 2_000],
      [{ ...use("task", "tokens", 900, 1_000), needed: 1_234 }, 3_400],
      [use("session", "usd", 0.05, 0.05), 0.1],
      [use("session", "usd", 2.5, 2.5), 5]
    ] as const
    for (const [met, wanted] of table) assert.strictEqual(suggested(met), wanted)
    assert.deepStrictEqual(raisable(use("session", "usd", 1, 1)), { scope: "session", unit: "usd" })
    for (const none of [use("tenant", "usd", 1, 1), use("turn", "tokens", 1, 1), use("task", "subagents", 1, 1)])
      assert.isUndefined(raisable(none))
  })

  it("leaves so much to the running task, by the newest `usage` fact", () => {
    const talk = new Talk()
    const usage = { input_tokens: 1, output_tokens: 1 }
    const counted = { type: "usage", task_id: "t", turn: 1, usage, session_usage: usage }
    for (const fact of factsOf([
      { type: "task_started", task_id: "t", prompt_id: "p", content: "go" },
      { ...counted, left: { tokens: 9 } },
      { ...counted, left: { tokens: 4, cost_usd: 0.5 } }
    ]))
      talk.see(fact)
    assert.deepStrictEqual(talk.doing().left, { tokens: 4, cost_usd: 0.5 })
  })
})

describe("a cost", () => {
  it("is unknown where no price is known, and says where it is more, or guessed", () => {
    const tokens = { input_tokens: 5, output_tokens: 5 }
    const table = [
      [tokens, "unknown"],
      [{ ...tokens, cost_usd: 0 }, "$0.00"],
      [{ ...tokens, cost_usd: 1.5, cost_partial: true }, "≥ $1.50"],
      [{ ...tokens, cost_usd: 1.5, estimated: true }, "≈ $1.50"]
    ] as const
    for (const [usage, said] of table) assert.strictEqual(costOf(usage, "unknown"), said)
  })
})

describe("what was used", () => {
  it("is told by day, model and session; what has no price is unknown, and a sum of which some has is at least that (R158)", () => {
    const spent = (input_tokens: number, cost_usd: number | null) => ({
      input_tokens,
      output_tokens: 1,
      cached_tokens: 0,
      reasoning_tokens: 0,
      cost_usd
    })
    const { day, model, session, total } = usageRows({
      models: [
        { day: "2026-11-29", model: "a", usage: spent(10, 0.5) },
        { day: "2026-11-30", model: "b", usage: spent(40, null) },
        { day: "2026-11-30", model: "a", usage: spent(20, 0) }
      ],
      sessions: [
        { session_id: "s1" as SessionId, title: "", usage: spent(70, 0.5) },
        { session_id: "s2" as SessionId, title: "idle", usage: { ...spent(0, null), output_tokens: 0 } }
      ]
    })
    const told = [...day, ...model, ...session, total].map((row) => [
      row.key,
      row.usage.input_tokens,
      costText(row, money, "unknown")
    ])
    assert.deepStrictEqual(told, [
      ["2026-11-30", 60, "≥ $0.00"],
      ["2026-11-29", 10, "$0.50"],
      ["b", 40, "unknown"],
      ["a", 30, "$0.50"],
      ["s1", 70, "$0.50"],
      ["", 70, "≥ $0.50"]
    ])
  })
})
