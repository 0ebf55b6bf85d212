/** What is known of the model server without asking it (R270). */
import { assert, describe, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { make } from "../../src/observability/ModelReach.ts"

const at = (ms: number, body: Readonly<Record<string, unknown>>): SessionEvent =>
  ({ v: 1, session_id: "s", ts: new Date(ms).toISOString(), ...body }) as unknown as SessionEvent

const failed = (ms: number, code: string) => at(ms, { type: "task_failed", error: { code } })
const retrying = (ms: number, code: string) => at(ms, { type: "retrying", attempt: 1, delay_ms: 1, code })
const answered = (ms: number) => at(ms, { type: "text_completed" })

const cases: ReadonlyArray<readonly [name: string, events: ReadonlyArray<SessionEvent>, now: number, string?]> = [
  ["nobody has called", [], 0],
  ["a task could not reach it", [failed(0, "provider_unreachable")], 59_999, "provider_unreachable"],
  ["that was a minute ago", [failed(0, "provider_unreachable")], 60_000],
  ["a call is made again", [retrying(0, "provider_unavailable")], 1, "provider_unavailable"],
  ["and then it answered", [retrying(0, "provider_unavailable"), answered(1)], 2],
  ["it answered before", [answered(0), failed(1, "provider_auth")], 2, "provider_auth"],
  ["another session's request was too large", [failed(0, "provider_context_overflow")], 1],
  ["one model's name was wrong", [failed(0, "provider_model_not_found")], 1],
  ["a call had its turn refused for now", [retrying(0, "provider_rate_limited")], 1]
]

describe("the model server's reach", () => {
  for (const [name, events, now, code] of cases) {
    it(`${name}: ${code ?? "nothing against it"}`, () => {
      const reach = make()
      reach.heard(events)
      assert.strictEqual(reach.trouble(now), code)
    })
  }
})
