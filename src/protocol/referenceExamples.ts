/**
 * One example of every client message and of the events that a client has to know, as the page shows them. Owns: the
 * examples. Invariant: each is what its schema says, with no field too many (`reference.test.ts`).
 */
import type { DurableType, LiveBody } from "../domain/Event.ts"
import type { ClientMessageType } from "./ClientMessage.ts"
import type { ConnectionEventType } from "./ServerEvent.ts"

export type EventType = DurableType | LiveBody["type"] | ConnectionEventType
type Fields = Readonly<Record<string, unknown>>

const session_id = "ws-channel-session-7"
const task_id = "task_01a2"
const request_id = "req_5747c686813185e03758c9f48ff21609"
const command = { command: "node --test" }
const usage = { input_tokens: 684, output_tokens: 29 }
const session = { v: 1, session_id, ts: "2026-11-29T20:25:08.310Z" }
const fact = (seq: number, fields: Fields) => ({ ...session, seq, event_id: `evt_01a2-${seq}`, ...fields })
const call = { task_id, turn: 2, call_id: "call_01a2" }

const request = {
  request_id,
  kind: "tool",
  call_id: "call_01a2",
  tool_name: "bash",
  content: JSON.stringify(command),
  risk: "mutating",
  reason: "runs node --test",
  preview: { kind: "command", ...command, parts: ["node --test"] },
  grant_options: [{ id: "exact", label: "exactly this bash call", matcher: { kind: "exact", digest: "b350bf6e" } }],
  expires_at: "2026-11-29T20:55:09.222Z"
}

export const clientExamples: Readonly<Record<ClientMessageType, Fields>> = {
  hello: {
    type: "hello",
    v: 1,
    token: "claw_…",
    client: { name: "my-client", version: "1.0" },
    detach: true,
    create: { mode: "ask", title: "the failing test" }
  },
  prompt: { type: "prompt", content: "make the test pass", idempotency_key: "a1", when_busy: "queue" },
  unqueue: { type: "unqueue", prompt_id: "prompt_01a2" },
  interrupt: { type: "interrupt" },
  approval_response: { type: "approval_response", request_id, decision: "allow_session", grant_option: "exact" },
  resume: { type: "resume", session_id, after: { seq: 17, stream_id: "str_01a2", offset: 96 }, detach: true },
  status: { type: "status" },
  command: { type: "command", name: "set_mode", mode: "accept-edits" },
  ping: { type: "ping", nonce: "1" },
  pong: { type: "pong", nonce: "1" },
  close: { type: "close" }
}

export const eventExamples: Readonly<Partial<Record<EventType, Fields>>> = {
  task_started: fact(1, { type: "task_started", task_id, prompt_id: "prompt_01a2", content: "make the test pass" }),
  prompt_queued: fact(12, {
    type: "prompt_queued",
    prompt_id: "prompt_01a3",
    content: "and then commit",
    mode: "queue"
  }),
  thinking: fact(2, {
    type: "thinking",
    task_id,
    turn: 1,
    stream_id: "str_01a2",
    reasoning_stream_id: "str_01a3"
  }),
  text_completed: fact(3, {
    type: "text_completed",
    task_id,
    turn: 1,
    stream_id: "str_01a2",
    content: "I run the test to see it fail.",
    finish_reason: "tool_calls",
    usage
  }),
  tool_call: fact(5, {
    type: "tool_call",
    ...call,
    tool_name: "bash",
    content: JSON.stringify(command),
    risk: "mutating"
  }),
  approval_request: fact(6, { type: "approval_request", task_id, turn: 2, ...request }),
  approval_resolved: fact(7, {
    type: "approval_resolved",
    ...call,
    request_id,
    decision: "allow_once",
    via: "user",
    by: "ann",
    tool_name: "bash",
    shown: command.command
  }),
  tool_started: fact(8, { type: "tool_started", ...call, attempt: 1 }),
  tool_result: fact(9, {
    type: "tool_result",
    ...call,
    tool_name: "bash",
    result: "1 failed",
    status: "error",
    is_error: true,
    exit_code: 1,
    duration_ms: 812
  }),
  task_completed: fact(20, { type: "task_completed", task_id, usage }),
  task_failed: fact(20, {
    type: "task_failed",
    task_id,
    usage,
    error: {
      code: "provider_unavailable",
      message: "The model server has a problem.",
      retryable: true
    }
  }),
  text_delta: { ...session, type: "text_delta", task_id, stream_id: "str_01a2", offset: 6, content: "the test " },
  state: { ...session, type: "state", state: "waiting_approval", task_id },
  hello: {
    ...session,
    type: "hello",
    server: { name: "claw", version: "0.1.0" },
    principal: { tenant: "local", project: "default", user: "ann", role: "member", name: "ann" },
    limits: { message_bytes: 65_536, message_depth: 32, idle_ms: 0, heartbeat_ms: 30_000, detach_ms: 60_000 },
    position: 0
  },
  accepted: { ...session, type: "accepted", idempotency_key: "a1", prompt_id: "prompt_01a2", task_id },
  status: {
    ...session,
    type: "status",
    title: "the failing test",
    workspace: "/home/ann/project",
    mode: "ask",
    model: "gpt-5",
    state: "waiting_approval",
    task: { task_id, turn: 2 },
    pending_approvals: [request],
    queue: [{ prompt_id: "prompt_01a3", content: "and then commit", mode: "queue" }],
    queue_paused: false,
    position: 12,
    counters: { tasks: 1, usage, attached: 1, damaged: 0 }
  },
  error: {
    ...session,
    type: "error",
    error: {
      code: "approval_already_resolved",
      message: "The approval request is already answered.",
      retryable: false,
      request_id
    }
  },
  draining: { ...session, type: "draining", deadline: "2026-11-29T20:25:38.310Z" }
}
