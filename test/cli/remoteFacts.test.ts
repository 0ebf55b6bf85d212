/** What a watcher of a server's session gets, whenever it begins (R217, R219; PROTOCOL, Resume). */
import { assert, describe, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import type { TaskId } from "../../src/domain/Ids.ts"
import type { Told } from "../../src/protocol/ClientContract.ts"
import { makeFacts } from "../../src/cli/remoteFacts.ts"

const envelope = { v: 1, session_id: "s", ts: "2026-01-01T00:00:00.000Z" }
const usage = { input_tokens: 1, output_tokens: 2 }
const fact = (seq: number, body: object) => ({ ...envelope, seq, event_id: `e${seq}`, ...body }) as SessionEvent
const delta = (stream_id: string, offset: number, content: string) =>
  ({ ...envelope, type: "text_delta", task_id: "t", stream_id, offset, content }) as SessionEvent

const started = fact(1, { type: "task_started", task_id: "t", prompt_id: "p", content: "go" })
const streams = { stream_id: "str", reasoning_stream_id: "rea" }
const thinking = fact(2, { type: "thinking", task_id: "t", turn: 1, ...streams })
const text = {
  type: "text_completed",
  task_id: "t",
  turn: 1,
  stream_id: "str",
  content: "Hello",
  finish_reason: "stop"
}
const failed = { code: "max_turns", message: "Enough.", retryable: false }

const watched = (facts: ReturnType<typeof makeFacts>, after?: Parameters<typeof facts.watch>[0]) => {
  const seen: Array<SessionEvent> = []
  const stop = facts.watch(after, (events) => void seen.push(...events))
  return { seen, stop }
}

describe("the facts of a server's session", () => {
  const half = () => {
    const facts = makeFacts()
    for (const event of [started, thinking, delta("str", 0, "Hel"), delta("str", 3, "lo")]) facts.see(event)
    return facts
  }

  it("come with the state of a task that runs, as the status tells it: nobody sees a bash under `ready`", () => {
    const facts = half()
    const status = (state: string) =>
      ({ ...envelope, type: "status", state, task: { task_id: "t", turn: 1 } }) as unknown as Told<"status">
    const now = (state: string) => ({ ...envelope, type: "state", state, task_id: "t" })
    const early = watched(facts)
    facts.told(status("executing_tools"))
    const late = watched(facts, { seq: 2 })
    assert.deepStrictEqual([early.seen, late.seen.at(-1)], [[now("executing_tools")], now("executing_tools")] as never)
    facts.see(fact(3, { type: "task_failed", task_id: "t", error: failed, usage }))
    assert.notInclude(
      watched(facts, { seq: 0 }).seen.map(({ type }) => type),
      "state"
    )
  })

  it("come from any place: what is behind it, each open stream as one, then what happens", () => {
    const facts = half()
    const [whole, middle, live] = [
      watched(facts, { seq: 0 }),
      watched(facts, { seq: 2, stream_id: "str", offset: 4 }),
      watched(facts)
    ]
    facts.see(fact(3, text))
    const end = fact(3, text)
    assert.deepStrictEqual(whole.seen, [started, thinking, delta("str", 0, "Hello"), end])
    assert.deepStrictEqual(middle.seen, [delta("str", 4, "o"), end])
    assert.deepStrictEqual(live.seen, [end])
  })

  it("a stream that ended is in its fact alone; who stopped watching is told nothing", () => {
    const facts = half()
    const early = watched(facts, { seq: 2 })
    early.stop()
    facts.see(fact(3, text))
    assert.deepStrictEqual(early.seen, [delta("str", 0, "Hello")])
    assert.deepStrictEqual(watched(facts, { seq: 2 }).seen, [fact(3, text)])
  })

  it("fold into the session's state, and keep how each task ended", () => {
    const facts = half()
    assert.deepStrictEqual([facts.state().seq, facts.state().task?.task_id], [2, "t"])
    assert.isUndefined(facts.ended("t" as TaskId))
    facts.see(fact(3, { type: "task_failed", task_id: "t", usage, error: failed }))
    assert.deepStrictEqual<unknown>(facts.ended("t" as TaskId), {
      task_id: "t",
      status: "failed",
      error: failed,
      usage
    })
    assert.isUndefined(facts.state().task)
  })
})
