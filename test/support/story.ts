/** A short conversation as facts: a prompt, a call that a person allowed, its result, an answer; and where it is stored. */
import { Effect } from "effect"
import { type DurableBody, isPrivate, type ReportBody } from "../../src/domain/Event.ts"
import type {
  CallId,
  EventId,
  GrantId,
  PromptId,
  RequestId,
  SessionId,
  StreamId,
  TaskId
} from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../../src/store/SessionIndex.ts"

const task_id = "task_1" as TaskId
const usage = { input_tokens: 10, output_tokens: 5 }

export interface Words {
  readonly prompt: string
  readonly result: string
  readonly answer: string
}

const turn = (n: number) => ({ task_id, turn: n })
const streams = (n: number) => ({
  stream_id: `str_${n}` as StreamId,
  reasoning_stream_id: `str_r${n}` as StreamId
})

/** Thirteen facts; the grant in the fifth is one that a copy must not have. */
export const story = ({ prompt, result, answer }: Words, grant = "grant_story"): ReadonlyArray<DurableBody> => {
  const call_id = "call_1" as CallId
  const tool_name = "bash"
  const request_id = "req_1" as RequestId
  return [
    { type: "task_started", task_id, prompt_id: "prompt_1" as PromptId, content: prompt, idempotency_key: "k1" },
    { type: "thinking", ...turn(1), ...streams(1) },
    {
      type: "text_completed",
      ...turn(1),
      stream_id: "str_1" as StreamId,
      content: "",
      finish_reason: "tool_calls",
      usage
    },
    { type: "usage", ...turn(1), usage, session_usage: usage },
    { type: "tool_call", ...turn(1), call_id, tool_name, content: '{"command":"npm test"}', risk: "dangerous" },
    {
      type: "approval_request",
      ...turn(1),
      request_id,
      kind: "tool",
      call_id,
      tool_name,
      content: '{"command":"npm test"}',
      risk: "dangerous",
      reason: "runs a command",
      grant_options: []
    },
    {
      type: "approval_resolved",
      ...turn(1),
      call_id,
      request_id,
      decision: "allow_session",
      via: "user",
      grant_id: grant as GrantId,
      grant: {
        grant_id: grant as GrantId,
        tool_name,
        matcher: { kind: "command", argv: ["npm", "test"] },
        workspace: "/w",
        created_at: "2026-03-01T10:00:00.000Z",
        expires_at: "2126-03-01T18:00:00.000Z"
      }
    },
    { type: "tool_started", ...turn(1), call_id, attempt: 1 },
    { type: "tool_result", ...turn(1), call_id, tool_name, result, status: "ok", is_error: false, duration_ms: 3 },
    { type: "thinking", ...turn(2), ...streams(2) },
    {
      type: "text_completed",
      ...turn(2),
      stream_id: "str_2" as StreamId,
      content: answer,
      finish_reason: "stop",
      usage
    },
    {
      type: "usage",
      ...turn(2),
      usage: { input_tokens: 20, output_tokens: 10 },
      session_usage: { input_tokens: 20, output_tokens: 10 }
    },
    { type: "task_completed", task_id, usage: { input_tokens: 20, output_tokens: 10 } }
  ]
}

const TS = "2026-03-01T10:00:00.000Z"

/** A session of the local owner with these records; given up at the end, unless `holder` keeps it. */
export const tell = Effect.fnUntraced(function* (
  id: string,
  bodies: ReadonlyArray<ReportBody>,
  more: Partial<SessionMeta> & { readonly holder?: string } = {}
) {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  const session_id = id as SessionId
  const { holder, ...meta } = more
  yield* index.create({ session_id, workspace: "/w", title: `title of ${id}`, created_at: TS, updated_at: TS, ...meta })
  const key = sessionKey(localOwner, session_id)
  const { epoch } = yield* journal.claim(key, holder ?? "story")
  let seq = 0
  const records = bodies.map((body, i) => ({
    pos: i + 1,
    ...(isPrivate(body) ? {} : { seq: ++seq }),
    event_id: `evt_${id}_${i + 1}` as EventId,
    ts: TS,
    body
  }))
  if (records.length > 0) yield* journal.append(key, epoch, records)
  if (holder === undefined) yield* journal.release(key, epoch)
  return key
})
