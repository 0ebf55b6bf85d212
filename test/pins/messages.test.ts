/** Names on the wire, as literals: a change here is a change of the protocol (PROTOCOL §1, §2; R182, R195–R197, R211–R214, R216). */
import { assert, describe, it } from "@effect/vitest"
import { ErrorBody } from "../../src/domain/ErrorCode.ts"
import { DurableBody, Envelope, FinishReason, LiveBody, StateName, ToolStatus } from "../../src/domain/Event.ts"
import { Command, messages, modes } from "../../src/protocol/ClientMessage.ts"
import { ConnectionEvent } from "../../src/protocol/ServerEvent.ts"

interface HasFields {
  readonly fields: Readonly<Record<string, unknown>>
}
const namesOf = ({ fields }: HasFields): string =>
  Object.keys(fields)
    .filter((name) => name !== "type")
    .join(" ")
const eventsOf = (union: {
  readonly members: ReadonlyArray<HasFields & { readonly fields: { readonly type: { readonly literal: string } } }>
}) => Object.fromEntries(union.members.map((member) => [member.fields.type.literal, namesOf(member)]))

describe("client messages", () => {
  it("types and fields", () => {
    const { command: _command, ...others } = messages
    const found = Object.fromEntries(Object.entries(others).map(([type, schema]) => [type, namesOf(schema)]))
    assert.deepStrictEqual(found, {
      hello: "v token client session_id after detach create",
      prompt: "v content idempotency_key when_busy",
      unqueue: "v prompt_id",
      interrupt: "v task_id",
      approval_response: "v request_id decision grant_option reason",
      resume: "v session_id after detach",
      status: "v",
      ping: "v nonce",
      pong: "v nonce",
      close: "v"
    })
  })

  it("commands", () => {
    const found = Command.members.map((member) => [
      "literals" in member.fields.name ? member.fields.name.literals.join("|") : member.fields.name.literal,
      namesOf(member)
    ])
    assert.deepStrictEqual(found, [
      ["clear|resume_queue", "v name"],
      ["compact", "v name focus"],
      ["redo", "v name to"],
      ["undo", "v name uncertain to"],
      ["diff", "v name all task_id"],
      ["set_mode", "v name mode"],
      ["set_model", "v name model"],
      ["set_budget", "v name task_tokens task_cost_usd session_tokens session_cost_usd"],
      ["rename", "v name title"]
    ])
    assert.deepStrictEqual(modes, ["ask", "accept-edits", "plan", "never-ask"])
  })
})

describe("server events", () => {
  it("durable: numbered, stored", () => {
    assert.deepStrictEqual(Object.keys(Envelope.fields), ["v", "session_id", "seq", "event_id", "ts"])
    assert.deepStrictEqual(eventsOf(DurableBody), {
      task_started: "task_id prompt_id content idempotency_key command",
      prompt_queued: "prompt_id content from mode idempotency_key",
      prompt_unqueued: "prompt_id content",
      prompt_steered: "task_id turn parent_call_id prompt_id content from",
      thinking: "task_id turn parent_call_id stream_id reasoning_stream_id",
      text_completed:
        "task_id turn parent_call_id stream_id content reasoning reasoning_state partial finish_reason usage model",
      stream_reset: "task_id turn parent_call_id stream_id next_stream_id next_reasoning_stream_id reason model",
      tool_call: "task_id turn parent_call_id call_id tool_name content risk",
      approval_request:
        "task_id turn parent_call_id request_id kind call_id tool_name content risk reason preview grant_options content_digest shown subagent explanation expires_at",
      approval_resolved:
        "task_id turn parent_call_id call_id request_id decision via rule reason grant_id grant by tool_name digest shown",
      tool_started: "task_id turn parent_call_id call_id attempt",
      tool_result:
        "task_id turn parent_call_id call_id tool_name is_error result status exit_code signal truncated duration_ms own_chars",
      usage: "task_id turn parent_call_id usage session_usage model charged left",
      subagent_started: "task_id turn parent_call_id title content background",
      subagent_ended: "task_id turn parent_call_id status usage error",
      compacted: "task_id turn parent_call_id summary up_to_seq tokens_before tokens_after digest_reason shortened",
      cleared: "up_to_seq",
      checkpoint_skipped: "task_id turn parent_call_id reason",
      hook_failed: "task_id event hook reason call_id",
      files_restored: "direction restored_task_id files count kept",
      task_completed: "task_id usage",
      task_canceled: "task_id usage reason",
      task_failed: "task_id usage error"
    })
  })

  it("live: positions and states", () => {
    assert.deepStrictEqual(eventsOf(LiveBody), {
      text_delta: "task_id stream_id offset content",
      thinking_delta: "task_id stream_id offset content",
      tool_output_delta: "task_id stream_id offset content call_id",
      state: "state task_id on",
      retrying: "task_id attempt delay_ms code message model",
      task_waiting: "task_id position"
    })
  })

  it("of one connection alone", () => {
    assert.deepStrictEqual(eventsOf(ConnectionEvent), {
      hello: "v session_id ts server principal limits position",
      accepted: "v session_id ts idempotency_key prompt_id task_id duplicate",
      status:
        "v session_id ts title workspace mode model state task pending_approvals queue queue_paused position read_only budgets counters",
      error: "v session_id ts error",
      ping: "v session_id ts nonce",
      pong: "v session_id ts nonce",
      draining: "v session_id ts deadline",
      difference: "v session_id ts text files hidden tasks"
    })
  })

  it("an error, and what it is about", () => {
    assert.strictEqual(
      namesOf(ErrorBody),
      "code message retryable request_id task_id idempotency_key retry_after_ms budget"
    )
  })

  it("states, outcomes of tools, ends of answers", () => {
    assert.deepStrictEqual(StateName.literals, [
      "idle",
      "preparing",
      "waiting_response",
      "waiting_approval",
      "executing_tools",
      "appending",
      "cancelling",
      "suspended"
    ])
    assert.deepStrictEqual(ToolStatus.literals, ["ok", "error", "denied", "cancelled", "timeout", "uncertain"])
    assert.deepStrictEqual(FinishReason.literals, [
      "stop",
      "tool_calls",
      "length",
      "content_filter",
      "cancelled",
      "other"
    ])
  })
})
