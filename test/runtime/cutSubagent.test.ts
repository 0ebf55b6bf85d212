/** A subagent whose process died: the question says what it was doing, and there is none where it had done nothing. */
import { assert, describe, it } from "@effect/vitest"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { CallId, PromptId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial } from "../../src/domain/Session.ts"
import { hadDoneNothing } from "../../src/runtime/cutSubagent.ts"
import { found } from "../../src/runtime/recover.ts"

const task_id = "t" as TaskId
const at = { task_id, turn: 1 }
const id = (name: string) => name as CallId
const within = (parent: string) => ({ parent_call_id: id(parent) })

const answered = (more: object = {}): DurableBody =>
  ({
    type: "text_completed",
    ...at,
    stream_id: "s" as StreamId,
    content: "",
    finish_reason: "tool_calls",
    ...more
  }) as const
const thinking = (more: object = {}): DurableBody => ({
  type: "thinking",
  ...at,
  stream_id: "s" as StreamId,
  reasoning_stream_id: "r" as StreamId,
  ...more
})
const call = (name: string, tool_name: string, args: object, more: object = {}): DurableBody => ({
  type: "tool_call",
  ...at,
  call_id: id(name),
  tool_name,
  content: JSON.stringify(args),
  risk: "safe",
  ...more
})
const begun = (name: string, more: object = {}): DurableBody => ({
  type: "tool_started",
  ...at,
  call_id: id(name),
  attempt: 1,
  ...more
})
const ok = (name: string, tool_name: string, more: object = {}): DurableBody => ({
  type: "tool_result",
  ...at,
  call_id: id(name),
  tool_name,
  result: "",
  status: "ok",
  is_error: false,
  duration_ms: 1,
  ...more
})
const sub = (parent: string, title: string): DurableBody => ({
  type: "subagent_started",
  ...at,
  parent_call_id: id(parent),
  title,
  content: `do ${title}`
})

const before: ReadonlyArray<DurableBody> = [
  { type: "task_started", task_id, prompt_id: "p" as PromptId, content: "go" },
  thinking(),
  answered(),
  call("a", "subagent", { title: "sleeper", prompt: "do sleeper" }),
  begun("a"),
  sub("a", "sleeper")
]
const turn = [thinking(within("a")), answered(within("a"))]
const stateOf = (...more: ReadonlyArray<DurableBody>) => [...before, ...more].reduce(fold, initial)
const questionOf = (...more: ReadonlyArray<DurableBody>) =>
  found(stateOf(...more), new Map(), true).flatMap((body) => (body.type === "approval_request" ? [body] : []))[0]

describe("a subagent that was cut off", () => {
  it("had done nothing: it may begin again, and nobody is asked", () => {
    assert.isTrue(hadDoneNothing(stateOf(), id("a")))
    assert.isTrue(hadDoneNothing(stateOf(thinking(within("a"))), id("a")))
    assert.isFalse(hadDoneNothing(stateOf(...turn, call("b", "bash", {}, within("a"))), id("a")))
    assert.isFalse(hadDoneNothing(stateOf(), id("other")))
    // It had said all that it had to say: what it said is its call's result.
    const said = answered({ ...within("a"), content: "42", finish_reason: "stop" })
    assert.isFalse(hadDoneNothing(stateOf(thinking(within("a")), said), id("a")))
  })

  it("is asked about with its last calls, and the risk of what it had begun", () => {
    const command = "echo x >> ran.txt; sleep 60"
    const reads = Array.from({ length: 7 }, (_, n) => [
      call(`r${n}`, "read_file", { path: `${n}.txt` }, within("a")),
      begun(`r${n}`, within("a")),
      ok(`r${n}`, "read_file", within("a"))
    ]).flat()
    const question = questionOf(
      ...turn,
      ...reads,
      call("b", "bash", { command }, { ...within("a"), risk: "dangerous" }),
      begun("b", within("a")),
      call("c", "write_file", { path: "x.txt" }, { ...within("a"), risk: "mutating" })
    )
    assert.strictEqual(question?.risk, "dangerous")
    assert.deepStrictEqual(question?.preview?.kind === "text" ? question.preview.text.split("\n") : [], [
      "subagent: sleeper",
      "task: do sleeper",
      "what it did last:",
      "  2 earlier calls",
      ...[2, 3, 4, 5, 6].map((n) => `  [ok] read_file: ${n}.txt`),
      `  [was running: it may or may not have happened] bash: ${command}`,
      "  [had not begun] write_file: x.txt"
    ])
  })

  it("shows what a subagent of its own was doing", () => {
    const question = questionOf(
      ...turn,
      call("b", "subagent", { title: "inner", prompt: "do inner" }, within("a")),
      begun("b", within("a")),
      sub("b", "inner"),
      thinking(within("b")),
      answered(within("b")),
      call("c", "bash", { command: "make" }, { ...within("b"), risk: "mutating" }),
      begun("c", within("b"))
    )
    assert.strictEqual(question?.risk, "mutating")
    assert.include(question?.preview?.kind === "text" ? question.preview.text : "", "\n    [was running")
  })
})
