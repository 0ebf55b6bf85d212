/** What a session works with, as the console tells it: limits of spending, subagents, what was taken back (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { leftOf, raisable, suggested } from "../../src/console/state/budgets.ts"
import { Talk } from "../../src/console/state/talk.ts"
import { amount, costOf } from "../../src/console/text/format.ts"
import type { BudgetUse } from "../../src/domain/Budget.ts"
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
