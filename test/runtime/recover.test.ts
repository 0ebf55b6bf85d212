/** What is found after a stop, and what becomes of it: the table of DESIGN §7. */
import { assert, describe, it } from "@effect/vitest"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { CallId, GrantId, PromptId, RequestId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial } from "../../src/domain/Session.ts"
import { recover } from "../../src/runtime/recover.ts"

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
const requested = (call: string): DurableBody => ({
  type: "approval_request",
  ...at(),
  request_id: "req" as RequestId,
  kind: "tool",
  call_id: id(call),
  tool_name: "once",
  content: "{}",
  risk: "mutating",
  reason: "",
  grant_options: []
})
const resolved = (call: string, decision: "allow_once" | "allow_session" | "deny"): DurableBody => ({
  type: "approval_resolved",
  ...at(),
  call_id: id(call),
  decision,
  via: "user",
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

const found = (events: ReadonlyArray<DurableBody>, broken: ReadonlyArray<string> = []) => {
  const state = events.reduce(fold, initial)
  const recovery = recover(state, {
    repeatable: ({ tool_name }) => tool_name === "pure",
    broken: new Set(broken.map(id))
  })
  if (recovery.kind !== "resume") return recovery.kind === "idle" ? "idle" : `uncertain ${recovery.calls.join(" ")}`
  if (recovery.place.kind !== "calls") return recovery.place.kind
  const steps = recovery.place.steps.map((step) => {
    const open = step.call.request === undefined ? "" : ` ${step.call.request.request_id}`
    return `${step.do} ${step.call.call_id}${step.do === "run" ? ` ${step.attempt}` : step.do === "check" ? open : ""}`
  })
  return steps.join(", ")
}

const asked = [started, thinking()]
const two = [...asked, ...answered(1, ["a", "once"], ["b", "pure"])]
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
    ["allowed by a grant", [...two, resolved("a", "allow_session")], "run a 1, check b"],
    ["denied without its result", [...two, resolved("a", "deny"), result("b")], "deny a"],
    ["started, harmless to repeat", [...two, result("a"), begun("b")], "run b 2"],
    ["the same again", [...two, result("a"), begun("b"), begun("b", 2)], "run b 3"],
    ["started, not to be repeated", [...two, begun("a"), result("b")], "uncertain a"],
    ["both started", [...two, begun("a"), begun("b")], "uncertain a"],
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

  it("never runs a call whose arguments did not parse, although what is stored of them does", () => {
    assert.strictEqual(found(two, ["a"]), "reject a, check b")
  })
})
