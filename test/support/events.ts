/** Random public events over a few ids, so that they often fit together and often do not. */
import * as fc from "fast-check"
import type { DurableBody } from "../../src/domain/Event.ts"
import type { CallId, PromptId, RequestId, StreamId, TaskId } from "../../src/domain/Ids.ts"

const pool = <A extends string>(...ids: ReadonlyArray<string>) => fc.constantFrom(...(ids as ReadonlyArray<A>))
const task_id = pool<TaskId>("t1", "t2")
const call_id = pool<CallId>("c1", "c2", "c3")
const prompt_id = pool<PromptId>("p1", "p2", "p3")
const request_id = pool<RequestId>("r1", "r2")
const stream_id = pool<StreamId>("s1", "s2")
const text = fc.oneof(fc.string(), fc.constant(""), fc.constant("\ud800"), fc.string({ unit: "grapheme" }))
const turn = fc.integer({ min: 1, max: 9 })
const usage = fc.record({ input_tokens: fc.nat(99), output_tokens: fc.nat(99) })
const at = { task_id, turn }
const type = <T extends string>(name: T) => fc.constant(name)

const request = {
  request_id,
  kind: fc.constantFrom("tool" as const, "recovery" as const),
  call_id,
  tool_name: type("bash"),
  content: type("{}"),
  risk: type("mutating"),
  reason: text,
  grant_options: fc.constant([])
}

const error = fc.constant({ code: "internal", message: "", retryable: false } as const)

export const event: fc.Arbitrary<DurableBody> = fc.oneof(
  fc.record({ type: type("task_started"), task_id, prompt_id, content: fc.string({ minLength: 1 }) }),
  fc.record({ type: type("prompt_queued"), prompt_id, content: fc.string({ minLength: 1 }), mode: type("steer") }),
  fc.record({ type: type("prompt_unqueued"), prompt_id, content: fc.string({ minLength: 1 }) }),
  fc.record({ type: type("prompt_steered"), ...at, prompt_id, content: fc.string({ minLength: 1 }) }),
  fc.record({ type: type("thinking"), ...at, stream_id, reasoning_stream_id: stream_id }),
  fc.record({
    type: type("text_completed"),
    ...at,
    stream_id,
    content: text,
    finish_reason: type("stop"),
    partial: fc.boolean()
  }),
  fc.record({
    type: type("tool_call"),
    ...at,
    call_id,
    tool_name: type("bash"),
    content: type("{}"),
    risk: type("safe")
  }),
  fc.record({ type: type("approval_request"), ...at, ...request }),
  fc.record({ type: type("approval_resolved"), ...at, call_id, decision: type("deny"), via: type("user") }),
  fc.record({ type: type("tool_started"), ...at, call_id, attempt: turn }),
  fc.record({
    type: type("tool_result"),
    ...at,
    call_id,
    tool_name: type("bash"),
    result: text,
    status: type("ok"),
    is_error: fc.boolean(),
    duration_ms: fc.nat(9)
  }),
  fc.record({ type: type("usage"), ...at, usage, session_usage: usage }),
  fc.record(
    {
      type: type("compacted"),
      ...at,
      summary: fc.string(),
      up_to_seq: fc.nat(30),
      tokens_before: fc.nat(9),
      tokens_after: fc.nat(9),
      shortened: fc.record({ up_to_seq: fc.nat(30), chars: fc.integer({ min: 1, max: 9 }) })
    },
    { requiredKeys: ["type", "task_id", "turn", "summary", "up_to_seq", "tokens_before", "tokens_after"] }
  ),
  fc.record({ type: type("cleared"), up_to_seq: fc.nat(30) }),
  fc.record({ type: type("task_completed"), task_id, usage }),
  fc.record({ type: type("task_canceled"), task_id, usage }),
  fc.record({ type: type("task_failed"), task_id, usage, error })
) as fc.Arbitrary<DurableBody>
