/** What a session works with, as the console tells it: subagents, decisions made elsewhere, hooks (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { asking, isNews, phaseOf, refusedBy, tookOf } from "../../src/console/state/callState.ts"
import { Folding } from "../../src/console/state/folding.ts"
import type { CallItem, Item } from "../../src/console/state/items.ts"
import { Talk } from "../../src/console/state/talk.ts"
import { reminderTexts, reportText, unreportedText } from "../../src/domain/FromClaw.ts"
import { hookName, hookNote } from "../../src/domain/HookName.ts"
import { factsOf } from "../support/consoleFacts.ts"

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
    const steered = (content: string, prompt_id: string, from?: string) => ({
      type: "prompt_steered",
      ...at,
      prompt_id,
      content,
      ...(from === undefined ? {} : { from })
    })
    const running = [start, called("k", undefined, "subagent"), begun("k", "owl", { background: true }), result("k")]
    const [before] = [callOf(talkOf(running), "k")]
    assert.deepStrictEqual([phaseOf(before), tookOf(before)], ["running", 5])
    const report = { title: "owl", failed: false, text: "all is well" }
    const over = talkOf([
      ...running,
      ended("k"),
      steered(reportText(report), "p2", "subagent"),
      // In the same words, by a person.
      steered(reportText(report), "p3"),
      steered(unreportedText("owl"), "p4", "subagent"),
      steered(reminderTexts.failing, "p5", "claw"),
      steered("Whatever claw says.", "p6", "claw")
    ])
    assert.deepStrictEqual([phaseOf(callOf(over, "k")), tookOf(callOf(over, "k"))], ["ended", 2_000])
    const told = over.slice(2).map((item) => (item.kind === "note" && item.note === "report" ? item.report : item.kind))
    assert.deepStrictEqual(told, [report, "prompt", { title: "owl", failed: true, text: "" }, "note", "note"])
  })
})

describe("a decision", () => {
  const question = { ...asked("c1", "x", "q1"), parent_call_id: undefined }
  const decided = (more: object) => ({ type: "approval_resolved", ...at, call_id: "c1", ...more })

  it("of the same person in another browser or terminal is told, and one that was made here is not (R256)", () => {
    const answered = decided({ request_id: "q1", decision: "allow_once", via: "user", by: "ann" })
    const news = (here: boolean, loaded: boolean) => {
      const folding = new Folding()
      const facts = factsOf([start, called("c1"), question, answered])
      if (here) folding.answered.add("q1")
      if (loaded) folding.prepend(facts)
      else for (const fact of facts) folding.see(fact)
      const call = callOf(folding.talk.shown(), "c1")
      return isNews(call, "ann", folding.isElsewhere(call.resolved?.request_id))
    }
    // What was loaded was decided before anybody looked.
    assert.deepStrictEqual([news(true, false), news(false, false), news(false, true)], [false, true, false])
  })

  it("of a hook is told as the hook's, with what it says; what it adds to a prompt is no prompt of a person", () => {
    const name = hookName({ tier: "user", key: "hooks.before_tool[0]", program: "guard.sh" })
    const table = [
      [`${name}: no writing today`, "no writing today"],
      [`${name} ended with 1: oops`, "ended with 1: oops"]
    ] as const
    for (const [reason, why] of table) {
      const call = callOf(
        talkOf([start, called("c1"), decided({ decision: "deny", via: "policy", rule: name, reason })]),
        "c1"
      )
      assert.deepInclude(refusedBy(call), { program: "guard.sh", tier: "user", why })
      assert.isTrue(isNews(call, "ann"))
    }
    const ruled = decided({ decision: "deny", via: "policy", rule: "user rules.deny[0]", reason: "the rule denies it" })
    assert.isUndefined(refusedBy(callOf(talkOf([start, called("c1"), ruled]), "c1")))
    const steered = { type: "prompt_steered", ...at, prompt_id: "p2" }
    const [, added, written] = talkOf([
      start,
      { ...steered, content: hookNote(name, "be brief"), from: "hook" },
      { ...steered, prompt_id: "p3", content: hookNote(name, "be rude") }
    ])
    assert.deepInclude(added, { kind: "note", note: "hook", text: "be brief" })
    assert.deepInclude(written, { kind: "prompt" })
  })
})

describe("the end of a task", () => {
  it("offers to take back what may have changed files, also inside a subagent, and nothing that only looked (R257)", () => {
    const ran = (call_id: string, parent?: string) => ({
      type: "tool_started",
      ...at,
      call_id,
      attempt: 1,
      ...(parent === undefined ? {} : { parent_call_id: parent })
    })
    const done = { type: "task_completed", task_id: "t", usage: { input_tokens: 1, output_tokens: 1 } }
    const writes = (parent?: string) => ({ ...called("w", parent), risk: "mutating" })
    const nested = [called("s", undefined, "subagent"), ran("s"), begun("s", "heron")]
    const table = [
      [[called("r"), ran("r"), result("r")], false],
      [[writes(), result("w")], false],
      [[writes(), ran("w"), result("w")], true],
      [[...nested, called("r", "s"), ran("r", "s"), ended("s"), result("s")], false],
      [[...nested, writes("s"), ran("w", "s"), ended("s"), result("s")], true]
    ] as const
    for (const [bodies, offers] of table) {
      const end = talkOf([start, ...bodies, done]).at(-1)
      assert.strictEqual(end?.kind === "end" && end.acted, offers, JSON.stringify(bodies))
    }
  })
})
