/** What becomes of a prompt, a waiting prompt, an answer; as tables. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decide from "../../src/domain/Decide.ts"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { CallId, PromptId, RequestId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial, type SessionState } from "../../src/domain/Session.ts"

const at = { task_id: "t1" as TaskId, turn: 1 }
const usage = { input_tokens: 0, output_tokens: 0 }
const after = (...events: ReadonlyArray<DurableBody>): SessionState => events.reduce(fold, initial)

const started: DurableBody = {
  type: "task_started",
  task_id: at.task_id,
  prompt_id: "p1" as PromptId,
  content: "one",
  idempotency_key: "k1"
}
const queued: DurableBody = {
  type: "prompt_queued",
  prompt_id: "p2" as PromptId,
  content: "two",
  mode: "queue",
  idempotency_key: "k2"
}
const k2 = { idempotency_key: "k2" }
const back: DurableBody = { type: "prompt_unqueued", prompt_id: "p2" as PromptId, content: "two" }
const done: DurableBody = { type: "task_completed", task_id: at.task_id, usage }
const canceled: DurableBody = { type: "task_canceled", task_id: at.task_id, usage }

const command = (content: string, more: Partial<Decide.PromptCommand> = {}): Decide.PromptCommand => ({
  content,
  prompt_id: "p9" as PromptId,
  task_id: "t9" as TaskId,
  when_busy: "reject",
  ...more
})

const said = (state: SessionState, given: Decide.PromptCommand) => {
  const result = Decide.prompt(state, given)
  return Result.isFailure(result) ? result.failure : result.success.kind
}

describe("Decide.prompt", () => {
  const rows: ReadonlyArray<readonly [string, SessionState, Decide.PromptCommand, string]> = [
    ["idle", initial, command("x"), "start"],
    ["only white space", initial, command(" \t\n"), "bad_message"],
    ["ill-formed text", initial, command("\ud800"), "bad_message"],
    ["busy (R055, R292)", after(started), command("x"), "session_busy"],
    ["busy, to wait", after(started), command("x", { when_busy: "queue" }), "wait"],
    ["after the end (LESSONS 34)", after(started, done), command("x"), "start"],
    ["the same key again", after(started, done), command("one", { idempotency_key: "k1" }), "duplicate"],
    ["the same key, other content", after(started), command("two", { idempotency_key: "k1" }), "idempotency_conflict"],
    ["a waiting key again", after(started, queued), command("two", { idempotency_key: "k2" }), "duplicate"],
    ["the key of what was taken back", after(started, queued, back), command("two", k2), "prompt_not_found"],
    ["the same once it is free", after(started, queued, back, done), command("two", k2), "prompt_not_found"],
    ["the same, other content", after(started, queued, back), command("three", k2), "idempotency_conflict"]
  ]
  for (const [name, state, given, expected] of rows) {
    it(`${name}: ${expected}`, () => assert.strictEqual(said(state, given), expected))
  }

  it("names the task that the first use of a key started", () => {
    const result = Decide.prompt(after(started, done), command("one", { idempotency_key: "k1" }))
    assert.deepStrictEqual(Result.getOrThrow(result), {
      kind: "duplicate",
      prompt_id: "p1" as PromptId,
      task_id: at.task_id
    })
  })

  it("names the task into which the first use of a key was steered", () => {
    const steered: DurableBody = { type: "prompt_steered", ...at, prompt_id: "p2" as PromptId, content: "two" }
    const result = Decide.prompt(after(started, queued, steered), command("two", k2))
    assert.deepStrictEqual(Result.getOrThrow(result), {
      kind: "duplicate",
      prompt_id: "p2" as PromptId,
      task_id: at.task_id
    })
  })
})

describe("waiting prompts", () => {
  it("start when a task completed, and wait after an interrupt until resumed (SETTLED 11)", () => {
    const next = "t2" as TaskId
    assert.strictEqual(Decide.nextQueued(after(started, queued), next), undefined)
    assert.strictEqual(Decide.nextQueued(after(started, queued, done), next)?.content, "two")
    assert.strictEqual(Decide.nextQueued(after(started, queued, canceled), next), undefined)
    assert.strictEqual(Decide.nextQueued(after(started, queued, canceled), next, true)?.prompt_id, "p2")
  })

  it("can be taken back until they are consumed", () => {
    const id = "p2" as PromptId
    assert.isTrue(Result.isSuccess(Decide.unqueue(after(started, queued), id)))
    const consumed = after(started, queued, done, {
      type: "task_started",
      task_id: "t2" as TaskId,
      prompt_id: id,
      content: "two"
    })
    assert.deepStrictEqual(Decide.unqueue(consumed, id), Result.fail("prompt_not_found"))
  })

  it("keep a leftover steer as queued", () => {
    const steer: DurableBody = { type: "prompt_queued", prompt_id: "p3" as PromptId, content: "s", mode: "steer" }
    assert.strictEqual(Decide.steers(after(started, steer), 1).length, 1)
    assert.deepStrictEqual(
      after(started, steer, done).queue.map((prompt) => prompt.mode),
      ["queue"]
    )
  })
})

describe("Decide.checkAnswer", () => {
  const call_id = "c1" as CallId
  const request_id = "r1" as RequestId
  const asked: ReadonlyArray<DurableBody> = [
    started,
    { type: "thinking", ...at, stream_id: "s1" as StreamId, reasoning_stream_id: "s2" as StreamId },
    { type: "text_completed", ...at, stream_id: "s1" as StreamId, content: "", finish_reason: "tool_calls" },
    { type: "tool_call", ...at, call_id, tool_name: "bash", content: "{}", risk: "mutating" },
    {
      type: "approval_request",
      ...at,
      request_id,
      kind: "tool",
      call_id,
      tool_name: "bash",
      content: "{}",
      risk: "mutating",
      reason: "",
      grant_options: [{ id: "exact", label: "this", matcher: { kind: "exact", digest: "d" } }],
      expires_at: "2026-01-01T00:00:10.000Z"
    }
  ]
  const now = Date.parse("2026-01-01T00:00:00.000Z")
  const resolved = (via: "user" | "timeout"): DurableBody => ({
    type: "approval_resolved",
    ...at,
    call_id,
    request_id,
    decision: "deny",
    via
  })
  const rows: ReadonlyArray<
    readonly [string, SessionState, Parameters<typeof Decide.checkAnswer>[1], number, string | undefined]
  > = [
    ["open", after(...asked), { request_id, decision: "allow_once" }, now, undefined],
    [
      "a known grant option",
      after(...asked),
      { request_id, decision: "allow_session", grant_option: "exact" },
      now,
      undefined
    ],
    [
      "another grant option",
      after(...asked),
      { request_id, decision: "allow_session", grant_option: "all" },
      now,
      "bad_decision"
    ],
    [
      "an unknown request (R150)",
      after(...asked),
      { request_id: "r2" as RequestId, decision: "deny" },
      now,
      "approval_not_found"
    ],
    ["too late (R162)", after(...asked), { request_id, decision: "allow_once" }, now + 10_000, "approval_expired"],
    [
      "a second answer",
      after(...asked, resolved("user")),
      { request_id, decision: "allow_once" },
      now,
      "approval_already_resolved"
    ],
    [
      "after it timed out",
      after(...asked, resolved("timeout")),
      { request_id, decision: "allow_once" },
      now,
      "approval_expired"
    ],
    [
      "after the task ended",
      after(...asked, canceled),
      { request_id, decision: "allow_once" },
      now,
      "approval_already_resolved"
    ],
    ["a recovery's answer", after(...asked), { request_id, decision: "retry" }, now, "bad_decision"]
  ]
  for (const [name, state, answer, when, expected] of rows) {
    it(`${name}: ${expected ?? "counts"}`, () => assert.strictEqual(Decide.checkAnswer(state, answer, when), expected))
  }

  it("a question that its task's end closes stands in the audit with what it was about", () => {
    const shown = "npm test"
    const open = asked.map((body) => (body.type === "approval_request" ? { ...body, shown } : body))
    const [closed] = Decide.close(after(...open), { status: "canceled" })
    assert.include(closed, { type: "approval_resolved", decision: "deny", via: "cancel", shown })
  })
})

describe("what waits in a session", () => {
  const decided = (content: string, most: Decide.QueueLimit) => {
    const result = Decide.prompt(after(started, queued), command(content, { when_busy: "queue" }), most)
    return Result.isFailure(result) ? result.failure : result.success.kind
  }

  it("is limited by count, and by bytes of UTF-8", () => {
    const bytes = Buffer.byteLength(queued.content)
    assert.strictEqual(decided("x", { prompts: 2, bytes: 1000 }), "wait")
    assert.strictEqual(decided("x", { prompts: 1, bytes: 1000 }), "queue_full")
    assert.strictEqual(decided("世", { prompts: 2, bytes: bytes + 3 }), "wait")
    assert.strictEqual(decided("世", { prompts: 2, bytes: bytes + 2 }), "queue_full")
  })

  it("does not count for one that is known already", () => {
    const known = command("two", { idempotency_key: "k2", when_busy: "queue" })
    const result = Decide.prompt(after(started, queued), known, { prompts: 0, bytes: 0 })
    assert.strictEqual(Result.isSuccess(result) && result.success.kind, "duplicate")
  })
})
