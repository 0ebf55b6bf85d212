/** Sessions whose process died while calls ran: as stored facts, whose calls every process finds running. */
import { Effect } from "effect"
import type { DurableBody, ReportBody } from "../../src/domain/Event.ts"
import {
  type CallId,
  newEventId,
  type PromptId,
  type SessionId,
  type StreamId,
  type TaskId
} from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"

export const cutSession = "s1" as SessionId
export const OLD_TASK = "task_old" as TaskId
const TS = "2026-01-01T00:00:00.000Z"
const at = { task_id: OLD_TASK, turn: 1 }

const streams = { stream_id: "str_1" as StreamId, reasoning_stream_id: "str_r1" as StreamId }

/** `calls`: names of tools; their ids are `c1`, `c2`, … */
const bodies = (calls: ReadonlyArray<string>, key: string | undefined): ReadonlyArray<DurableBody> => {
  const named = calls.map((tool_name, i) => ({ call_id: `c${i + 1}` as CallId, tool_name }))
  const idempotency = key === undefined ? {} : { idempotency_key: key }
  return [
    { type: "task_started", task_id: OLD_TASK, prompt_id: "prompt_old" as PromptId, content: "go", ...idempotency },
    { type: "thinking", ...at, ...streams },
    { type: "text_completed", ...at, stream_id: streams.stream_id, content: "", finish_reason: "tool_calls" },
    ...named.map((call) => ({ type: "tool_call", ...at, ...call, content: "{}", risk: "mutating" }) as const),
    ...named.map(
      ({ call_id }) => ({ type: "approval_resolved", ...at, call_id, decision: "allow_once", via: "user" }) as const
    ),
    ...named.map(({ call_id }) => ({ type: "tool_started", ...at, call_id, attempt: 1 }) as const)
  ]
}

export interface CutOptions {
  readonly calls: ReadonlyArray<string>
  readonly key?: string
  readonly mode?: string
  /** A process of the first call was announced. */
  readonly announced?: boolean
}

/** Stores it, as a process did that is no more. */
export const cutOff = Effect.fnUntraced(function* ({ announced, calls, key, mode }: CutOptions) {
  const [journal, index] = [yield* Journal, yield* SessionIndex]
  const stored = bodies(calls, key)
  const times = { created_at: TS, updated_at: TS }
  yield* index.create({
    session_id: cutSession,
    workspace: "/",
    title: "",
    ...times,
    ...(mode === undefined ? {} : { mode })
  })
  const name = sessionKey(localOwner, cutSession)
  const { epoch } = yield* journal.claim(name, "1:1:dead")
  yield* journal.append(
    name,
    epoch,
    stored.map((body, i) => ({ pos: i + 1, seq: i + 1, event_id: newEventId(), ts: TS, body }))
  )
  if (announced === true) {
    // Nobody has this number: beyond the kernel's highest.
    const body = { type: "process_started", task_id: OLD_TASK, call_id: "c1" as CallId, pid: 2 ** 30, start_time: "1" }
    yield* journal.append(name, epoch, [
      { pos: stored.length + 1, event_id: newEventId(), ts: TS, body: body as ReportBody }
    ])
  }
  yield* journal.release(name, epoch)
})
