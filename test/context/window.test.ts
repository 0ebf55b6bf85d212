/** What stays of a conversation that is too long, for any conversation (LESSONS 13, 14; DESIGN §4, step 1). */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { makeMeter } from "../../src/context/Meter.ts"
import * as Window from "../../src/context/Window.ts"
import type { Durable } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import { itemMessages, type MessageCache, messages } from "../../src/domain/History.ts"
import type { TaskId } from "../../src/domain/Ids.ts"
import type { SessionState } from "../../src/domain/Session.ts"
import { shortResults, shorten } from "../../src/domain/Shorten.ts"
import { makeCapture } from "../../src/sandbox/outputBuffer.ts"
import { factsOf, stateOf, tasks } from "../support/longStory.ts"
import { violations } from "../support/history.ts"

const room: Window.Room = { window: 8_000, reserve: 2_000, compact_at: 80 }

const givenOf = (state: SessionState): Window.Given => {
  const meter = makeMeter()
  const cache: MessageCache = new WeakMap()
  return {
    state,
    room,
    total: meter.total({ messages: messages(state, cache), tools: [] }),
    sizeOf: (item) => meter.messages(itemMessages(item, cache))
  }
}

const event = (choice: Window.Choice): Durable<"compacted"> => {
  const at = { task_id: "t" as TaskId, turn: 1 }
  const bare = { type: "compacted", ...at, summary: "", up_to_seq: 0, tokens_before: 1, tokens_after: 1 } as const
  if (choice.do === "shorten") return { ...bare, shortened: { up_to_seq: choice.up_to_seq, chars: Window.LONG } }
  return choice.do === "nothing" ? bare : { ...bare, summary: "what was before", up_to_seq: choice.up_to_seq }
}

/** Every prompt, text and result of it. */
const textsFrom = (state: SessionState, from: number) => JSON.stringify(state.history.slice(from))

describe("the window", () => {
  it("keeps what is unread and the task's prompt, splits no call from its result, and is the same each time", () => {
    fc.assert(
      fc.property(tasks, (told) => {
        const state = stateOf(factsOf(told))
        const given = givenOf(state)
        const choice = Window.choose(given)
        assert.deepStrictEqual(Window.choose(givenOf(state)), choice)
        const after = fold(state, event(choice))
        assert.deepStrictEqual(violations(messages(after)), [])
        const unread = Window.unreadFrom(state.history)
        assert.isTrue(textsFrom(after, 0).endsWith(textsFrom(state, unread).slice(1)))
        const asked = told.at(-1)?.prompt
        assert.isTrue(after.history.some((item) => item.kind === "prompt" && item.content === asked))
        assert.notStrictEqual(messages(after)[0]?.role, "tool")
        // A summary of less than itself is not made (engine).
        const gone =
          choice.do === "summarise" ? choice.from.reduce((sum, item) => sum + given.sizeOf(item), 0) : Infinity
        if (choice.do !== "nothing" && given.total > Window.threshold(room) && gone > 50)
          assert.isBelow(givenOf(after).total, given.total)
      }),
      { numRuns: 150 }
    )
  })

  it("takes the middles of older results first, and turns only where that is not enough", () => {
    const long = "line of output\n".repeat(800)
    const turns = (n: number, result: string) =>
      Array.from({ length: n }, (_, i) => ({ text: `step ${i}`, results: [result] }))
    const some = stateOf(factsOf([{ prompt: "go", turns: [...turns(2, long), ...turns(1, "short")] }]))
    assert.strictEqual(Window.choose(givenOf(some)).do, "shorten")
    const many = stateOf(
      factsOf([
        { prompt: "go", turns: turns(60, "short") },
        { prompt: "on", turns: turns(90, "short") }
      ])
    )
    assert.strictEqual(Window.choose(givenOf(many)).do, "summarise")
    const only = stateOf(factsOf([{ prompt: "x".repeat(90_000), turns: [{ text: "", results: [long] }] }]))
    assert.strictEqual(Window.choose(givenOf(only)).do, "nothing")
    assert.match(
      Window.overflowText(givenOf(only), { system: 10, tools: 0, history: 30_000 }),
      /your prompt \d+k, results that the model has not read \d/
    )
  })

  it("cuts on code points, with a mark that says how much is gone, and never twice", () => {
    const emoji = "👩‍🚀".repeat(2_000)
    for (let limit = 100; limit < 140; limit++) {
      const { text } = shorten(emoji, limit)
      assert.isTrue(text.isWellFormed())
      assert.match(text, /\n\[\.\.\. \d+ characters left out \.\.\.\]\n/)
    }
    const state = stateOf(factsOf([{ prompt: "go", turns: [{ text: "", results: [emoji, "short"] }] }]))
    const item = state.history[1]
    assert.isDefined(item)
    if (item === undefined) return
    const short = shortResults(item, 1_600)
    assert.notStrictEqual(short, item)
    assert.strictEqual(shortResults(short, 1_600), short)
    assert.match(JSON.stringify(short), /left out to save room; call the tool again to see them/)
  })

  it("counts what is gone of the text as it once was, however often and wherever it was cut before", () => {
    const text = Array.from({ length: 4_000 }, (_, i) => `line ${i}\n`).join("")
    const gone = (short: string) => {
      const marks = Array.from(short.matchAll(/\n\[\.\.\. (\d+) characters left out.*? \.\.\.\]\n/g))
      const kept = short.length - marks.reduce((sum, [mark]) => sum + mark.length, 0)
      return { marks: marks.length, whole: kept + marks.reduce((sum, [, left]) => sum + Number(left), 0) }
    }
    const once = shorten(text, 30_000).text
    for (const limit of [20_000, 6_001, 1_600, 90]) {
      const twice = shorten(once, limit, " to save room").text
      assert.deepStrictEqual(gone(twice), { marks: 1, whole: text.length })
      assert.deepStrictEqual(gone(shorten(twice, limit >> 1).text), { marks: 1, whole: text.length })
    }
    // A mark that a cut meets only in part, or that stands outside of it.
    const marked = (at: number) => `${text.slice(0, at)}\n[... 1000 characters left out ...]\n${text.slice(at + 1_000)}`
    for (let at = 2_900; at < 3_100; at += 7) {
      assert.strictEqual(gone(shorten(marked(at), 6_000).text).whole, text.length)
    }
    assert.deepStrictEqual(gone(shorten(marked(100), 6_000).text), { marks: 2, whole: text.length })
    // A program's output that was too long to be held.
    const capture = makeCapture({ head_chars: 4_000, tail_chars: 4_000, live_chars: 0 })
    capture.push(text)
    assert.deepStrictEqual(gone(shorten(capture.result().text, 3_000).text), { marks: 1, whole: text.length })
  })

  it("knows a limit from what servers say of it", () => {
    const rows = [
      ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", 8192],
      ["the request exceeds the available context size (4096 tokens), try increasing it", 4096],
      ["Input length 40000 exceeds context window of 32,768", 32_768],
      ["prompt is too long: 210000 tokens > 200000 maximum", undefined],
      ["Something else, 400", undefined]
    ] as const
    assert.deepStrictEqual(
      rows.map(([said]) => Window.limitTold(said)),
      rows.map(([, limit]) => limit)
    )
  })
})
