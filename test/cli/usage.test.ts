/** What was spent and what may be, as people read it: in both languages, and an unknown cost is never zero (R122, R326). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe as complaint } from "../../src/cli/Complaint.ts"
import { budget, statusLines } from "../../src/cli/budgetCommands.ts"
import { width } from "../../src/cli/Width.ts"
import { reportOf, usageLines } from "../../src/cli/UsageView.ts"
import { type BudgetUse, budgetText } from "../../src/domain/Budget.ts"
import { errorBody } from "../../src/domain/ErrorCode.ts"
import type { RunningTask } from "../../src/domain/Session.ts"
import type { Caps } from "../../src/engine/EngineLimits.ts"
import { inForce } from "../../src/runtime/statusOf.ts"
import type { SessionRuntime, SessionStatus } from "../../src/runtime/SessionRuntime.ts"
import { nothing, type Spent } from "../../src/store/Spent.ts"

const spent = (input_tokens: number, output_tokens: number, cost_usd: number | null): Spent => ({
  ...nothing,
  input_tokens,
  output_tokens,
  cost_usd
})

describe("claw usage", () => {
  const models = [
    { day: "2026-03-01", model: "m-1", usage: spent(1_234_567, 10, 0.5) },
    { day: "2026-03-01", model: "local", usage: spent(20, 3, null) },
    { day: "2026-03-02", model: "local", usage: spent(7, 1, null) }
  ]
  const report = reportOf(models, [
    { name: "会话", usage: spent(7, 1, null) },
    { name: "idle", usage: nothing }
  ])

  it("is a table by day, model and session; a cost that is partly unknown is at least what is known", () => {
    assert.deepStrictEqual(
      usageLines(report, ["day", "model", "session"], "en").map((line) => line.trimEnd()),
      [
        "day (UTC)       input  cached  output       cost",
        "2026-03-02          7       0       1    unknown",
        "2026-03-01  1,234,587       0      13  ≥ $0.5000",
        "total       1,234,594       0      14  ≥ $0.5000",
        "",
        "model      input  cached  output       cost",
        "m-1    1,234,567       0      10    $0.5000",
        "local         27       0       4    unknown",
        "total  1,234,594       0      14  ≥ $0.5000",
        "",
        "session      input  cached  output       cost",
        "会话             7       0       1    unknown",
        "total    1,234,594       0      14  ≥ $0.5000"
      ]
    )
  })

  it("is at least what is known where a session had no price, though its model has one by now", () => {
    const day = { day: "2026-03-01", model: "m-1", usage: spent(120, 10, 0.5) }
    const sessions = [
      { name: "before", usage: spent(100, 5, null) },
      { name: "after", usage: spent(20, 5, 0.5) }
    ]
    const { day: days, model, session, total } = reportOf([day], sessions)
    const partly = [days, model, [total], session].map((rows) => rows.map((row) => row.partly))
    assert.deepStrictEqual(partly, [[true], [true], [true], [true, false]])
  })

  it("says that nothing was spent, in the person's language", () => {
    assert.deepStrictEqual(usageLines(reportOf([], []), ["day"], "zh-CN"), ["还没有用量。"])
  })
})

describe("a budget", () => {
  it.each([
    ["task", "tokens", 990, 1000, 40, "limits.task_tokens"],
    ["session", "usd", 2, 2, undefined, "limits.session_cost_usd"],
    ["tenant", "usd", 2.5, 2, undefined, "limits.tenant_day_cost_usd"],
    ["turn", "tokens", 5, 10, 8, "limits.turn_tokens"],
    ["task", "tool_ms", 80_000, 60_000, undefined, "limits.tool_time_ms"],
    ["task", "subagents", 50, 50, undefined, "limits.task_subagents"]
  ] as const)("of the %s in %s says in both languages what was used, the limit and what raises it", (...row) => {
    const [name, unit, used, limit, needed, setting] = row
    const use: BudgetUse = { budget: name, unit, used, limit, ...(needed === undefined ? {} : { needed }) }
    const error = { ...errorBody("budget_exceeded", budgetText(use, "en")), budget: use }
    for (const locale of ["en", "zh-CN"] as const) {
      const told = complaint.error(error, locale)
      for (const part of [String(used), String(limit), setting, "[budget_exceeded]"]) assert.include(told, part)
      assert.strictEqual(/[一-鿿]/.test(told), locale === "zh-CN")
    }
  })

  const session = (caps: Array<Caps>, budgets: ReadonlyArray<BudgetUse> = []) =>
    ({
      status: Effect.succeed({ budgets } as unknown as SessionStatus),
      setBudget: (given: Caps) => Effect.sync(() => (caps.push(given), given))
    }) as unknown as SessionRuntime

  it.effect.each([
    ["2.50", { task_cost_usd: 2.5 }, "task: $2.50 from the next task on"],
    ["session 200000 tokens", { session_tokens: 200_000 }, "session: 200000 tokens from the next task on"],
    ["session $0", { session_cost_usd: 0 }, "session: no limit of money from the next task on"],
    ["0", { task_cost_usd: 0, task_tokens: 0 }, "task: no limit of money from the next task on"],
    ["0 tokens", { task_tokens: 0 }, "task: no limit of tokens from the next task on"],
    ["task 1.5 tokens", undefined, "/budget [task|session]"],
    ["everything", undefined, "/budget [task|session]"],
    ["-1", undefined, "/budget [task|session]"]
  ] as const)("/budget %s", ([argument, wanted, said]) =>
    Effect.gen(function* () {
      const caps: Array<Caps> = []
      const lines = yield* budget(session(caps), argument, "en")
      assert.deepStrictEqual(caps, wanted === undefined ? [] : [wanted])
      assert.include(lines[0], said)
      assert.strictEqual(lines.length, Object.keys(wanted ?? [1]).length)
    })
  )

  it.effect("of money says at once where no price is known, and what takes it back", () =>
    Effect.gen(function* () {
      const priced = (model: string) => model === "m"
      const said = (argument: string, model: string) => {
        const status = Effect.succeed({ model } as unknown as SessionStatus)
        return budget({ ...session([]), status }, argument, "en", priced)
      }
      assert.match((yield* said("session 2.50", "x"))[1] ?? "", /price of x is not known.*\/budget session \$0 takes/)
      for (const [argument, model] of [
        ["2.50", "m"],
        ["session $0", "x"],
        ["5 tokens", "x"]
      ] as const)
        assert.lengthOf(yield* said(argument, model), 1, argument)
    })
  )

  it("is in force, every one of them, whether a task runs or not", () => {
    const limits = { turn_tokens: 9, task_tokens: 5, task_cost_usd: 0.5, session_cost_usd: 2, session_tokens: 0 }
    const usage = { input_tokens: 3, output_tokens: 1, cost_usd: 0.25 }
    const tenant: BudgetUse = { budget: "tenant", unit: "usd", used: 1, limit: 7 }
    const running: BudgetUse = { budget: "task", unit: "usd", used: 0.125, limit: 0.5 }
    const shown = (budgets: ReadonlyArray<BudgetUse>, task?: object) =>
      statusLines(
        {
          meta: { workspace: "" },
          model: "",
          ...(task === undefined ? {} : { task }),
          budgets
        } as unknown as SessionStatus,
        "en"
      ).flatMap((line) => /^budget +(.*)/.exec(line)?.[1] ?? [])
    const turn = "turn: 9 tokens for each"
    assert.deepStrictEqual(
      shown(inForce([{ ...tenant, budget: "session" }, tenant], limits, { task: undefined, usage })),
      [
        turn,
        "task: 5 tokens for each",
        "task: $0.50 for each",
        "session: $0.25 of $2.00, $1.75 left",
        "tenant today: $1.00 of $7.00, $6.00 left"
      ]
    )
    const task = {} as RunningTask
    assert.deepStrictEqual(shown(inForce([running, tenant], limits, { task, usage }), task), [
      turn,
      "task: $0.125 of $0.50, $0.375 left",
      "tenant today: $1.00 of $7.00, $6.00 left"
    ])
  })

  it.effect("is shown with what is left, at /budget and /status", () =>
    Effect.gen(function* () {
      const use: BudgetUse = { budget: "session", unit: "usd", used: 0.25, limit: 2 }
      assert.deepStrictEqual(yield* budget(session([], [use]), "", "en"), ["session: $0.25 of $2.00, $1.75 left"])
      const found = {
        meta: { session_id: "s", workspace: "/w" },
        budgets: [use],
        mode: "ask",
        model: "m",
        state: "idle"
      }
      const lines = statusLines({ ...found, position: 3 } as unknown as SessionStatus, "zh-CN")
      assert.strictEqual(lines.at(-1), "预算       会话：$0.25 / $2.00，剩余 $1.75")
      // Values stand below one another in any script.
      const columns = lines.map((line) => width(/^\S+ +/.exec(line)?.[0] ?? ""))
      assert.deepStrictEqual(new Set(columns), new Set([11]))
    })
  )
})
