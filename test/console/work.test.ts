/** What a session works with, as the console tells it: limits of spending, subagents, what was taken back (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { leftOf, raisable, suggested } from "../../src/console/state/budgets.ts"
import { asking, phaseOf, tookOf } from "../../src/console/state/callState.ts"
import type { CallItem, Item } from "../../src/console/state/items.ts"
import { Talk } from "../../src/console/state/talk.ts"
import { costText, usageRows } from "../../src/console/state/usageRows.ts"
import { amount, costOf, money } from "../../src/console/text/format.ts"
import type { BudgetUse } from "../../src/domain/Budget.ts"
import { reminderText, reportText, unreportedText } from "../../src/domain/FromClaw.ts"
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

const at = { task_id: "t", turn: 1 }
const called = (call_id: string, parent?: string, tool_name = "bash", content = '{"command":"ls"}') => ({
  type: "tool_call",
  ...at,
  call_id,
  tool_name,
  content,
  risk: "safe",
  ...(parent === undefined ? {} : { parent_call_id: parent })
})
const begun = (parent: string, title: string, more = {}) => ({
  type: "subagent_started",
  ...at,
  parent_call_id: parent,
  title,
  content: `do ${title}`,
  ...more
})
const ended = (parent: string, status = "completed") => ({
  type: "subagent_ended",
  ...at,
  parent_call_id: parent,
  status,
  usage: { input_tokens: 3, output_tokens: 1 }
})
const asked = (call_id: string, parent: string, request_id: string) => ({
  type: "approval_request",
  ...at,
  parent_call_id: parent,
  request_id,
  kind: "tool",
  call_id,
  tool_name: "bash",
  content: "{}",
  risk: "mutating",
  reason: "runs",
  grant_options: []
})
const result = (call_id: string, parent?: string) => ({
  type: "tool_result",
  ...at,
  call_id,
  tool_name: "bash",
  result: "ok",
  status: "ok",
  is_error: false,
  duration_ms: 5,
  ...(parent === undefined ? {} : { parent_call_id: parent })
})
const start = { type: "task_started", task_id: "t", prompt_id: "p", content: "go" }
const talkOf = (bodies: ReadonlyArray<object>) => {
  const talk = new Talk()
  for (const fact of factsOf(bodies)) talk.see(fact)
  return talk.shown()
}
const callOf = (items: ReadonlyArray<Item>, call_id: string): CallItem => {
  const found = items.find((item) => item.kind === "call" && item.call_id === call_id)
  if (found?.kind !== "call") throw new Error(`there is no call ${call_id}`)
  return found
}
const shown = (items: ReadonlyArray<Item> = []): ReadonlyArray<string> =>
  items.map((item) => (item.kind === "call" ? item.call_id : item.kind === "prompt" ? item.text : item.kind))

describe("what a subagent does", () => {
  it("stands inside its call, however deep, and nowhere else; its question is its call's (R256)", () => {
    const running = [
      start,
      ...["s1", "s2"].map((id) => called(id, undefined, "subagent")),
      begun("s1", "heron"),
      begun("s2", "crane"),
      { type: "thinking", ...at, parent_call_id: "s1", stream_id: "n1", reasoning_stream_id: "r1" },
      {
        type: "text_completed",
        ...at,
        parent_call_id: "s1",
        stream_id: "n1",
        content: "I look.",
        finish_reason: "tool_calls"
      },
      called("b1", "s1"),
      called("d1", "s2", "subagent"),
      begun("d1", "egg"),
      called("b2", "d1"),
      asked("b2", "d1", "q2"),
      asked("b1", "s1", "q1")
    ]
    const items = talkOf(running)
    assert.deepStrictEqual(shown(items), ["go", "s1", "s2"])
    const [heron, crane] = [callOf(items, "s1"), callOf(items, "s2")]
    assert.deepStrictEqual([heron.inside?.title, shown(heron.inside?.items)], ["heron", ["do heron", "answer", "b1"]])
    const egg = callOf(crane.inside?.items ?? [], "d1")
    assert.deepStrictEqual([egg.inside?.title, shown(egg.inside?.items)], ["egg", ["do egg", "b2"]])
    const questions = (call: CallItem) => asking(call).map(({ request }) => String(request?.request_id))
    assert.deepStrictEqual([heron, crane, egg].map(questions), [["q1"], ["q2"], ["q2"]])
    assert.deepStrictEqual([heron, crane].map(phaseOf), ["asked", "asked"])

    const resolved = {
      type: "approval_resolved",
      ...at,
      parent_call_id: "s1",
      call_id: "b1",
      decision: "deny",
      via: "user"
    }
    const over = talkOf([...running, resolved, result("b1", "s1"), ended("s1"), result("s1"), ended("s2", "failed")])
    assert.deepStrictEqual([callOf(over, "s1"), callOf(over, "s2")].map(questions), [[], []])
    assert.deepStrictEqual(phaseOf(callOf(over, "s1")), "ended")
    assert.strictEqual(callOf(over, "s2").inside?.ended?.status, "failed")
  })

  it("in the background goes on behind its call's result; its report is no prompt of a person, another's text is", () => {
    const steered = (content: string, prompt_id: string) => ({ type: "prompt_steered", ...at, prompt_id, content })
    const running = [start, called("k", undefined, "subagent"), begun("k", "owl", { background: true }), result("k")]
    const [before] = [callOf(talkOf(running), "k")]
    assert.deepStrictEqual([phaseOf(before), tookOf(before)], ["running", 5])
    const report = { title: "owl", failed: false, text: "all is well" }
    const over = talkOf([
      ...running,
      ended("k"),
      steered(reportText(report), "p2"),
      steered(reportText({ ...report, title: "hen" }), "p3"),
      steered(unreportedText("owl"), "p4"),
      steered(reminderText, "p5")
    ])
    assert.deepStrictEqual([phaseOf(callOf(over, "k")), tookOf(callOf(over, "k"))], ["ended", 2_000])
    const told = over.slice(2).map((item) => (item.kind === "note" && item.note === "report" ? item.report : item.kind))
    assert.deepStrictEqual(told, [report, "prompt", { title: "owl", failed: true, text: "" }, "note"])
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
