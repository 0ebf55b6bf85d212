/** From events to what a conversation shows: deltas grow items, facts settle them, older ones come in front (R245, R246, R253). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isNews, tookOf } from "../../src/console/state/callState.ts"
import { Folding } from "../../src/console/state/folding.ts"
import type { Item } from "../../src/console/state/items.ts"
import { Rows } from "../../src/console/session/rows.ts"
import { Talk } from "../../src/console/state/talk.ts"
import { en } from "../../src/console/words/en.ts"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { factsOf, secondOf as ts } from "../support/consoleFacts.ts"
import { event } from "../support/events.ts"

const facts = factsOf
const delta = (type: string, stream_id: string, offset: number, content: string, call_id = "c1") =>
  ({
    v: 1,
    session_id: "s",
    ts: ts(3),
    type,
    task_id: "t",
    stream_id,
    offset,
    content,
    call_id
  }) as unknown as SessionEvent

const at = { task_id: "t", turn: 1 }
const usage = { input_tokens: 1, output_tokens: 1 }
const begin = [
  { type: "task_started", task_id: "t", prompt_id: "p", content: "do it" },
  { type: "thinking", ...at, stream_id: "s1", reasoning_stream_id: "r1" }
]
const called = [
  { type: "text_completed", ...at, stream_id: "s1", content: "hello world", finish_reason: "tool_calls" },
  { type: "tool_call", ...at, call_id: "c1", tool_name: "bash", content: '{"command":"ls"}', risk: "safe" },
  { type: "tool_started", ...at, call_id: "c1", attempt: 1 }
]
const stopped = [
  {
    type: "tool_result",
    ...at,
    call_id: "c1",
    tool_name: "bash",
    result: "",
    status: "cancelled",
    is_error: true,
    duration_ms: 9
  },
  { type: "task_canceled", task_id: "t", usage }
]

const see = (events: ReadonlyArray<SessionEvent>, talk = new Talk()) => {
  for (const one of events) talk.see(one)
  return talk
}
const kinds = (items: ReadonlyArray<Item>) => items.map(({ kind }) => kind)

describe("a conversation", () => {
  it("grows the item of a stream and makes no other; what overlaps stands once", () => {
    const talk = see(facts(begin))
    const [prompt] = talk.shown()
    see(
      [
        delta("text_delta", "s1", 0, "hello "),
        delta("text_delta", "s1", 3, "lo world"),
        delta("thinking_delta", "r1", 0, "hm")
      ],
      talk
    )
    const [same, answer, ...more] = talk.shown()
    assert.strictEqual(same, prompt)
    assert.deepInclude(answer, { kind: "answer", text: "hello world", reasoning: "hm", open: true })
    assert.deepStrictEqual(more, [])
  })

  it("shows an output while it comes, and what a stop has stopped", () => {
    const all = facts([...begin, ...called, ...stopped])
    const talk = see(all.slice(0, 5))
    see([delta("tool_output_delta", "c1", 0, "a\n"), delta("tool_output_delta", "c1", 2, "b\n")], talk)
    assert.deepInclude(talk.shown()[2], { kind: "call", output: "a\nb\n", attempt: 1 })
    see(all.slice(5), talk)
    const end = talk.shown().at(-1)
    assert.deepStrictEqual(kinds(talk.shown()), ["prompt", "answer", "call", "end"])
    assert.deepStrictEqual(end?.kind === "end" ? end.stopped.map(({ call_id }) => call_id) : undefined, ["c1"])
    assert.deepStrictEqual(talk.doing(), { state: "idle" })
  })

  it("tells how long a call ran that was cut off, and nothing where nobody knows", () => {
    const took = (status: string, duration_ms: number) => {
      const result = { ...stopped[0], status, duration_ms }
      const call = see(facts([...begin, ...called, result])).shown()[2]
      return call?.kind === "call" ? tookOf(call) : "none"
    }
    assert.deepStrictEqual(
      [took("ok", 0), took("ok", 7), took("cancelled", 9), took("cancelled", 0), took("uncertain", 0)],
      [0, 7, 9, 1_000, undefined]
    )
  })

  it("keeps what was cut off beside what replaced it", () => {
    const reset = { ...at, stream_id: "s1", next_stream_id: "s2", next_reasoning_stream_id: "r2", reason: "x" }
    const talk = see(facts([...begin, { type: "stream_reset", ...reset }]))
    see([delta("text_delta", "s2", 0, "anew")], talk)
    assert.deepInclude(talk.shown().at(-1), { text: "anew", superseded: false, open: true })
    assert.deepInclude(see(facts(begin)).shown()[1], { superseded: false })
  })

  it("a question that is asked anew is open again", () => {
    const asked = (request_id: string) => ({
      type: "approval_request",
      ...at,
      request_id,
      kind: "tool",
      call_id: "c1",
      tool_name: "bash",
      content: "{}",
      risk: "mutating",
      reason: "",
      grant_options: []
    })
    const resolved = { type: "approval_resolved", ...at, call_id: "c1", decision: "allow_once", via: "user", by: "ann" }
    const calls = called.slice(0, 2)
    const once = see(facts([...begin, ...calls, asked("r1"), resolved])).shown()[2]
    assert.deepInclude(once?.kind === "call" ? once.resolved : undefined, { decision: "allow_once", by: "ann" })
    const again = see(facts([...begin, ...calls, asked("r1"), resolved, asked("r2")])).shown()[2]
    assert.isUndefined(again?.kind === "call" ? again.resolved : null)
  })
})

describe("the rows of a conversation", () => {
  it("show a long answer in parts, which stay while it grows; a short one is one row (R246)", () => {
    const rows = new Rows()
    const talk = see(facts(begin))
    const para = (i: number) => `**p${i}** ${"word ".repeat(100)}\n\n`
    assert.deepStrictEqual(
      rows.of(talk.shown()).map(({ key }) => key),
      talk.shown().map(({ key }) => key)
    )
    let text = ""
    let before = rows.of(talk.shown())
    for (let i = 0; i < 50; i++) {
      see([delta("text_delta", "s1", text.length, para(i))], talk)
      text += para(i)
      const now = rows.of(talk.shown())
      const parts = now.flatMap(({ part }) => (part?.chunk === undefined ? [] : [part]))
      const joined = parts.flatMap(({ chunk }) => chunk?.blocks ?? []).map((block) => block.text)
      assert.strictEqual(joined.join(""), text)
      assert.strictEqual(parts.filter(({ last }) => last).length, 1)
      for (const [j, row] of before.slice(0, -2).entries()) assert.strictEqual(now[j]?.part?.chunk, row.part?.chunk)
      before = now
    }
    assert.isAbove(before.length, 3)
    assert.strictEqual(new Set(before.map(({ key }) => key)).size, before.length)
  })
})

describe("a decision", () => {
  it("is told to whoever did not make it: another's, and that nobody answered in time (R247, R256)", () => {
    const request = { type: "approval_request", ...at, request_id: "r", kind: "tool", call_id: "c1", grant_options: [] }
    const table = [
      [{ decision: "allow_once", via: "user", by: "ann" }, false],
      [{ decision: "allow_once", via: "user", by: "bob" }, true],
      [{ decision: "deny", via: "timeout" }, true],
      [{ decision: "allow_once", via: "grant" }, false]
    ] as const
    for (const [resolved, news] of table) {
      const decided = { type: "approval_resolved", ...at, call_id: "c1", ...resolved }
      const call = see(facts([...begin, ...called.slice(0, 2), request, decided])).shown()[2]
      assert.strictEqual(call?.kind === "call" && isNews(call, "ann"), news, resolved.via)
    }
    assert.match(en.decided("deny", "timeout", undefined), /nobody answered in time/)
  })
})

describe("history that is loaded backwards", () => {
  it("is the state and the conversation of the whole, wherever it was cut", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.nat(40), (bodies, cut) => {
        const all = facts(bodies)
        const [whole, paged] = [new Folding(), new Folding()]
        for (const one of all) whole.see(one)
        for (const one of all.slice(cut)) paged.see(one)
        paged.prepend(all.slice(0, cut))
        assert.deepStrictEqual(paged.talk.shown(), whole.talk.shown())
        assert.deepStrictEqual(paged.state, whole.state)
        assert.deepStrictEqual(paged.facts, whole.facts)
      }),
      { numRuns: 300 }
    )
  })

  it("loses nothing of what still comes", () => {
    const all = facts([...begin, ...called])
    const folding = new Folding()
    for (const one of all.slice(1, 2)) folding.see(one)
    folding.see(delta("text_delta", "s1", 0, "half"))
    folding.prepend(all.slice(0, 1))
    assert.deepInclude(folding.talk.shown()[1], { text: "half", open: true })
    assert.strictEqual(folding.state.task?.task_id, "t")
  })
})
