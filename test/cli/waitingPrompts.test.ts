/** Prompts that wait are never forgotten silently: they are counted at the prompt until they start or are dropped. */
import { assert, describe, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { initial, onEvents, type ReplState } from "../../src/cli/replState.ts"
import { view } from "../../src/cli/replView.ts"
import { sessionRow } from "../../src/cli/sessionRow.ts"
import type { SessionMeta } from "../../src/store/SessionIndex.ts"

const envelope = { v: 1, session_id: "s", seq: 1, event_id: "e", ts: "2026-01-01T00:00:00.000Z" } as const
const usage = { input_tokens: 0, output_tokens: 0 }
const event = (body: object): SessionEvent => ({ ...envelope, ...body }) as SessionEvent

const started = (id: string) => event({ type: "task_started", task_id: "t", prompt_id: id, content: id })
const queued = (id: string) => event({ type: "prompt_queued", prompt_id: id, content: id, mode: "queue" })
const canceled = event({ type: "task_canceled", task_id: "t", usage })

const below = (state: ReplState): string =>
  view(state, { columns: 80, rows: 24, color: false, locale: "en", now: 0, from: 0, printed: "" }).frame.live.join("\n")
const after = (...events: ReadonlyArray<SessionEvent>): ReplState => onEvents(initial, events, 0)

describe("waiting prompts", () => {
  it("are named once nothing runs any more (SETTLED 11)", () => {
    assert.notInclude(below(after(started("p1"), queued("p2"))), "/continue")
    assert.include(below(after(started("p1"), queued("p2"), queued("p3"), canceled)), "2 prompts wait: /continue")
  })

  it("are forgotten when they start or are dropped", () => {
    const parked = after(started("p1"), queued("p2"), canceled)
    assert.notInclude(
      below(onEvents(parked, [event({ type: "prompt_unqueued", prompt_id: "p2", content: "p2" })], 0)),
      "/drop"
    )
    assert.deepStrictEqual(onEvents(parked, [started("p2")], 0).waiting, [])
  })
})

it("a session of another directory names it in a list", () => {
  const meta = { updated_at: "2026-01-01T00:00:00.000Z", session_id: "s1", title: "fix", workspace: "/home/u/a" }
  assert.strictEqual(sessionRow(meta as SessionMeta, "/home/u/a"), "2026-01-01 00:00  s1  fix")
  assert.strictEqual(sessionRow(meta as SessionMeta, "/home/u/b"), "2026-01-01 00:00  s1  [/home/u/a]  fix")
})
