/** Each decision leaves one record of who, what, by which rule and when (R158, R168, SECURITY T23). */
import { assert, it } from "@effect/vitest"
import { line, record } from "../../src/approval/Audit.ts"
import { digestOf } from "../../src/approval/matching.ts"
import type { CallId, EventId, GrantId, RequestId, SessionId, TaskId } from "../../src/domain/Ids.ts"

const call = {
  call_id: "call_1" as CallId,
  tool_name: "bash",
  arguments: '{"command":"ls\\n{\\"decision\\":\\"deny\\"}"}'
}
const event = {
  v: 1 as const,
  session_id: "s" as SessionId,
  seq: 7,
  event_id: "evt_1" as EventId,
  ts: "2026-01-01T00:00:00.000Z",
  type: "approval_resolved" as const,
  task_id: "task_1" as TaskId,
  turn: 1,
  call_id: call.call_id,
  decision: "allow_once" as const,
  via: "grant" as const,
  rule: "grant",
  reason: "an earlier\napproval covers it",
  request_id: "req_1" as RequestId,
  grant_id: "grant_1" as GrantId,
  by: "ada"
}

it("a record holds the decision and the digest of what was decided about", () => {
  assert.deepStrictEqual(record(event, call), {
    session_id: "s",
    seq: 7,
    when: "2026-01-01T00:00:00.000Z",
    call_id: "call_1",
    tool_name: "bash",
    digest: digestOf("bash", { command: 'ls\n{"decision":"deny"}' }),
    decision: "allow_once",
    via: "grant",
    rule: "grant",
    reason: "an earlier\napproval covers it",
    request_id: "req_1",
    grant_id: "grant_1",
    who: "ada"
  })
})

it("a record is one line (C023)", () => assert.strictEqual(line(record(event, call)).split("\n").length, 1))
