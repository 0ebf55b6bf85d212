/** What is found after a stop, and what becomes of it: the table of DESIGN §7. */
import { assert, describe, it } from "@effect/vitest"
import type { Via } from "../../src/domain/Approval.ts"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { CallId, GrantId, PromptId, RequestId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial } from "../../src/domain/Session.ts"
import type { Look } from "../../src/engine/Resumption.ts"
import { cutOff, found as storedFirst, recover } from "../../src/runtime/recover.ts"

const task_id = "t" as TaskId
const at = (turn = 1) => ({ task_id, turn })
const id = (name: string) => name as CallId
const usage = { input_tokens: 1, output_tokens: 1 }

const started: DurableBody = { type: "task_started", task_id, prompt_id: "p" as PromptId, content: "go" }
const thinking = (turn = 1): DurableBody => ({
  type: "thinking",
  ...at(turn),
  stream_id: "s" as StreamId,
  reasoning_stream_id: "r" as StreamId
})
const answered = (turn: number, ...calls: ReadonlyArray<readonly [string, string]>): ReadonlyArray<DurableBody> => [
  {
    type: "text_completed",
    ...at(turn),
    stream_id: "s" as StreamId,
    content: "",
    finish_reason: calls.length > 0 ? "tool_calls" : "stop"
  },
  ...calls.map(([call_id, tool_name]): DurableBody => ({
    type: "tool_call",
    ...at(turn),
    call_id: id(call_id),
    tool_name,
    content: "{}",
    risk: "safe"
  }))
]
const requested = (call: string, kind: "tool" | "recovery" = "tool", request_id = "req"): DurableBody => ({
  type: "approval_request",
  ...at(),
  request_id: request_id as RequestId,
  kind,
  call_id: id(call),
  tool_name: "once",
  content: "{}",
  risk: "mutating",
  reason: "",
  grant_options: []
})
const resolved = (
  call: string,
  decision: "allow_once" | "allow_session" | "deny" | "retry" | "stop",
  via: Via = "user"
): DurableBody => ({
  type: "approval_resolved",
  ...at(),
  call_id: id(call),
  decision,
  via,
  ...(decision === "allow_session" ? { grant_id: "g" as GrantId } : {})
})
const begun = (call: string, attempt = 1): DurableBody => ({
  type: "tool_started",
  ...at(),
  call_id: id(call),
  attempt
})
const result = (call: string): DurableBody => ({
  type: "tool_result",
  ...at(),
  call_id: id(call),
  tool_name: "x",
  result: "ok",
  status: "ok",
  is_error: false,
  duration_ms: 1
})

const lookOf = (tool_name: string): Look => {
  if (tool_name === "pure") return { kind: "again" }
  return tool_name === "wrote" ? { kind: "done", status: "ok", result: "it is there" } : { kind: "unknown" }
}

/** Stored first, as text; then where it goes on. */
const found = (events: ReadonlyArray<DurableBody>, broken: ReadonlyArray<string> = [], ask = true) => {
  const before = events.reduce(fold, initial)
  const looks = new Map(cutOff(before).map(({ call_id, tool_name }) => [call_id, lookOf(tool_name)]))
  const facts = storedFirst(before, looks, ask)
  const state = facts.reduce<typeof before>((folded, fact) => fold(folded, fact as DurableBody), before)
  const first = facts.map((fact) => {
    if (fact.type === "approval_request") return `question about ${fact.call_id}; `
    return fact.type === "tool_result" ? `${fact.call_id} is ${fact.status}; ` : fact.type
  })
  return first.join("") + place(recover(state, { looks, broken: new Set(broken.map(id)) }))
}

const place = (recovery: ReturnType<typeof recover>): string => {
  if (recovery.kind !== "resume") return recovery.kind
  if (recovery.place.kind !== "calls") return recovery.place.kind
  const steps = recovery.place.steps.map((step) => {
    const open = step.call.request === undefined ? "" : ` ${step.call.request.request_id}`
    const again = "attempt" in step && (step.do !== "check" || step.attempt > 1) ? ` ${step.attempt}` : ""
    return `${step.do} ${step.call.call_id}${again}${step.do === "check" ? open : ""}`
  })
  return steps.join(", ")
}

const ONE_QUESTION = "question about a; ask a 2"
const TWO_QUESTIONS = "question about a; question about b; ask a 2, ask b 2"
const asked = [started, thinking()]
const two = [...asked, ...answered(1, ["a", "once"], ["b", "pure"])]
const both = [...asked, ...answered(1, ["a", "once"], ["b", "once"])]
const written = [...asked, ...answered(1, ["a", "wrote"], ["b", "once"])]
const agreed = [...two, result("a"), resolved("b", "allow_once")]
const ruled = [...two, result("a"), resolved("b", "allow_once", "policy")]
const once = [...two, result("b"), begun("a")]
const completed: DurableBody = { type: "task_completed", task_id, usage }
const reminder: DurableBody = { type: "prompt_steered", ...at(), prompt_id: "p2" as PromptId, content: "again?" }

describe("recovery", () => {
  it.each<readonly [string, ReadonlyArray<DurableBody>, string]>([
    ["nothing stored", [], "idle"],
    ["a prompt accepted", [started], "turn"],
    ["the model asked, no answer", asked, "ask"],
    ["the same in a later turn", [...two, result("a"), result("b"), thinking(2)], "ask"],
    ["an answer without calls", [...asked, ...answered(1)], "finish"],
    ["calls unchecked", two, "check a, check b"],
    ["an approval open", [...two, requested("a")], "check a req, check b"],
    ["allowed, not started", [...two, requested("a"), resolved("a", "allow_once")], "run a 1, check b"],
    ["allowed for the session", [...two, resolved("a", "allow_session")], "run a 1, check b"],
    ["allowed by a rule or the mode", [...two, resolved("a", "allow_once", "policy")], "check a, check b"],
    ["allowed by a grant", [...two, resolved("b", "allow_once", "grant"), result("a")], "check b"],
    ["denied by a rule", [...two, resolved("a", "deny", "policy"), result("b")], "deny a 1"],
    ["denied without its result", [...two, resolved("a", "deny"), result("b")], "deny a 1"],
    ["started, harmless to repeat", [...agreed, begun("b")], "run b 2"],
    ["the same again", [...agreed, begun("b"), begun("b", 2)], "run b 3"],
    ["the same, allowed by a rule", [...ruled, begun("b")], "check b 2"],
    ["the same again, allowed by a rule", [...ruled, begun("b"), begun("b", 2)], "check b 3"],
    ["started, not to be repeated", [...two, begun("a"), result("b")], "question about a; ask a 2"],
    ["both started", [...two, begun("a"), begun("b")], "question about a; ask a 2, check b 2"],
    ["both started, neither to be repeated", [...both, begun("a"), begun("b")], TWO_QUESTIONS],
    ["asked about already", [...two, begun("a"), requested("a", "recovery"), result("b")], "ask a 2"],
    ["to be tried again", [...once, requested("a", "recovery"), resolved("a", "retry")], "run a 2"],
    [
      "tried again, and killed again",
      [...once, requested("a", "recovery"), resolved("a", "retry"), begun("a", 2)],
      "question about a; ask a 3"
    ],
    [
      "asked about a second time",
      [...once, requested("a", "recovery"), resolved("a", "retry"), begun("a", 2), requested("a", "recovery", "r2")],
      "ask a 3"
    ],
    ["given up, its end missing", [...once, requested("a", "recovery"), resolved("a", "stop")], "stopped"],
    [
      "approved, started",
      [...once.slice(0, -1), requested("a"), resolved("a", "allow_once"), begun("a")],
      ONE_QUESTION
    ],
    ["started, and it turns out to have happened", [...written, begun("a"), result("b")], "a is ok; turn"],
    ["the same with another call", [...written, begun("a"), begun("b")], "a is ok; question about b; ask b 2"],
    ["one result missing", [...two, result("a")], "check b"],
    ["all results stored", [...two, result("a"), result("b")], "turn"],
    ["a reminder behind them", [...two, result("a"), result("b"), reminder], "turn"],
    ["the terminal event stored", [...two, result("a"), result("b"), completed], "idle"],
    [
      "an answer of an earlier task",
      [...asked, ...answered(1, ["a", "once"]), completed, { ...started, prompt_id: "p9" as PromptId }],
      "turn"
    ]
  ])("%s", (_name, events, expected) => {
    assert.strictEqual(found(events), expected)
  })

  it("of somebody who is never asked leaves an unknown outcome to the model", () => {
    assert.strictEqual(found([...both, begun("a"), result("b")], [], false), "a is uncertain; turn")
  })

  it("never runs a call whose arguments did not parse, although what is stored of them does", () => {
    assert.strictEqual(found(two, ["a"]), "reject a, check b")
  })
})
