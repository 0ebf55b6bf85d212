/** What a person sees of a session's events (R090, R094, R106, LESSONS 49). */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Locale } from "../../src/cli/Commands.ts"
import { loadMarkdown } from "../../src/cli/Markdown.ts"
import { initial, reduce, render, type View } from "../../src/cli/Transcript.ts"
import { width } from "../../src/cli/Width.ts"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { reportText } from "../../src/domain/FromClaw.ts"
import { event as anyEvent } from "../support/events.ts"

beforeAll(loadMarkdown)

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString()
const usage = { input_tokens: 12_300, output_tokens: 456, cached_tokens: 10_000, cost_usd: 0.0123 }

/** Events with the fields that the view does not look at filled in. */
const make = (seconds: number, body: object): SessionEvent =>
  ({ v: 1, session_id: "s1", ts: at(seconds), task_id: "t1", turn: 1, ...body }) as SessionEvent
const started = make(0, { type: "task_started", prompt_id: "p1", content: "fix it" })
const thinking = make(1, { type: "thinking", stream_id: "s", reasoning_stream_id: "r" })
const text = (offset: number, content: string) => make(2, { type: "text_delta", stream_id: "s", offset, content })
const completed = (content: string, more: object = {}) =>
  make(3, { type: "text_completed", stream_id: "s", content, finish_reason: "stop", ...more })
const call = (id: string, command: string) =>
  make(3, { type: "tool_call", call_id: id, tool_name: "bash", content: JSON.stringify({ command }), risk: "safe" })
const run = (id: string) => make(3, { type: "tool_started", call_id: id, attempt: 1 })
const output = (id: string, offset: number, content: string) =>
  make(4, { type: "tool_output_delta", stream_id: id, call_id: id, offset, content })
const result = (id: string) =>
  make(5, {
    type: "tool_result",
    call_id: id,
    tool_name: "bash",
    result: "",
    status: "ok",
    is_error: false,
    duration_ms: 7
  })
const state = (name: string) => make(1, { type: "state", state: name })

const viewOf = (...events: ReadonlyArray<SessionEvent>): View => events.reduce(reduce, initial)
const shown = (view: View, seconds = 5, locale: Locale = "en", more: object = {}) =>
  render(view, { columns: 60, color: false, locale, now: seconds * 1_000, ...more })

describe("the transcript", () => {
  it("settles prompt, text and figures of a task", () => {
    const end = make(9, { type: "task_completed", usage })
    assert.deepStrictEqual(shown(viewOf(started, thinking, text(0, "Done"), completed("Done."), end)), {
      settled: ["› fix it", "", "Done.", "", "✓ 12k in (10k cached) · 456 out · $0.0123 · 9.0 s"],
      live: [],
      next: 3
    })
  })

  it("says of a summary that no model wrote that it is claw's own, and why", () => {
    const sizes = { summary: "## Goal\nfix it", up_to_seq: 1, tokens_before: 900, tokens_after: 80 }
    const lines = (more: object, locale: Locale) =>
      shown(viewOf(make(2, { type: "compacted", ...sizes, ...more })), 5, locale, { columns: 200 }).settled
    const why = { digest_reason: "It is down\x1b[2J." }
    assert.deepStrictEqual(lines({}, "en"), ["Earlier conversation summarised: 900 → 80 tokens."])
    const [, told = ""] = lines(why, "en")
    assert.match(told, /^No model wrote that summary, it is claw's own digest: It is down/)
    assert.notInclude(told, "\x1b")
    assert.include(lines(why, "zh-CN")[1], "claw 自己的提要")
  })

  it("says why a task failed or ended, in the person's language", () => {
    const error = { code: "provider_unreachable", message: "no\x1b[2J", retryable: true }
    const failed = shown(
      viewOf(started, make(2, { type: "task_failed", usage: { input_tokens: 1, output_tokens: 0 }, error }))
    )
    assert.deepStrictEqual(failed.settled.slice(2), ["✗ no\\x1b[2J [provider_unreachable]", "1 in · 0 out · 2.0 s"])
    const canceled = viewOf(started, make(1, { type: "task_canceled", usage: { input_tokens: 1, output_tokens: 0 } }))
    assert.deepStrictEqual(shown(canceled, 5, "zh-CN").settled.slice(2), ["已取消。", "输入 1 · 输出 0 · 1.0 s"])
  })

  it("keeps concurrent tools apart, each with its own output", () => {
    const before = [started, call("a", "one"), call("b", "two"), run("a"), run("b"), state("executing_tools")]
    const view = viewOf(
      ...before,
      output("a", 0, "1\n2\n3\n4\n5\n"),
      output("b", 0, "x\x1b[2J\n"),
      output("a", 4, "3\n4\n5\n6\n")
    )
    assert.deepStrictEqual(shown(view).live, [
      "",
      "● bash  one · 2.0 s",
      "  │ 3",
      "  │ 4",
      "  │ 5",
      "  │ 6",
      "● bash  two · 2.0 s",
      "  │ x\\x1b[2J",
      "running tools · 5 s"
    ])
    const ended = shown(reduce(reduce(view, result("b")), result("a")), 5, "en", { from: 1 })
    assert.deepStrictEqual(ended.settled.slice(0, 5), [
      "",
      "● bash  two",
      "  │ x\\x1b[2J",
      "  ✓ bash  ok · 7 ms",
      "● bash  one"
    ])
  })

  it("says which hook did not do its work", () => {
    const hook = "hook user hooks.after_task[0] (notify)"
    const view = viewOf(started, make(3, { type: "hook_failed", event: "after_task", hook, reason: "ended with 1" }))
    assert.strictEqual(shown(view).settled.slice(2).join(" "), `${hook} ended with 1: what it was to do is not done.`)
  })

  const ofCall = (body: object) => make(4, { parent_call_id: "a", ...body })
  const inner = ofCall({ type: "tool_call", call_id: "i", tool_name: "write_file", content: '{"path":"x.txt"}' })
  const denied = ofCall({ ...result("i"), tool_name: "write_file", status: "denied", is_error: true, result: "no" })
  const subagent = make(3, { type: "tool_call", call_id: "a", tool_name: "subagent", content: '{"title":"alpha"}' })

  it("shows a subagent's calls like any other, with their outcome", () => {
    const running = viewOf(started, subagent, run("a"), inner)
    assert.include(shown(running).live, "  │ ● write_file  x.txt")
    // The call's own output says the same of the call, and nothing of its outcome.
    const ended = [output("a", 0, "→ write_file {}\n"), denied].reduce(reduce, running)
    assert.deepStrictEqual(shown(ended).live.slice(1, 3), [
      "● subagent  alpha · 2.0 s",
      "  │ ✗ write_file  x.txt  denied: no"
    ])
  })

  it("shows what a subagent of a subagent does below its root, and its questions as the root's", () => {
    const deep = (body: object) => make(4, { parent_call_id: "i", ...body })
    const began = ofCall({ type: "tool_call", call_id: "i", tool_name: "subagent", content: '{"title":"deep"}' })
    const call = deep({ type: "tool_call", call_id: "d", tool_name: "bash", content: '{"command":"ls"}' })
    const asks = { type: "approval_request", call_id: "d", request_id: "r", kind: "tool", grant_options: [] }
    const running = viewOf(started, subagent, run("a"), began, call)
    const head = "● subagent  alpha · 2.0 s"
    assert.deepStrictEqual(shown(running).live.slice(1, 4), [head, "  │ ● subagent  deep", "  │ │ ● bash  ls"])
    assert.include(shown(reduce(running, deep(asks))).live[1], "waits for approval")
    const done = reduce(running, deep({ ...result("d"), tool_name: "bash" }))
    assert.deepStrictEqual(shown(done).live.slice(2, 4), ["  │ ● subagent  deep", "  │ │ ✓ bash  ls  ok · 7 ms"])
    // What has ended is a line, and room goes to what still runs.
    const over = reduce(done, ofCall({ ...result("i"), tool_name: "subagent" }))
    assert.deepStrictEqual(shown(over).live.slice(2, 3), ["  │ ✓ subagent  deep  ok · 7 ms"])
    const behind = ofCall({ type: "subagent_started", title: "alpha", content: "do", background: true })
    const quiet = viewOf(
      started,
      subagent,
      run("a"),
      behind,
      result("a"),
      thinking,
      completed("Meanwhile."),
      began,
      call
    )
    assert.strictEqual(shown(quiet).live[1], "◌ alpha · in the background · 1.0 s · ● bash  ls")
  })

  it("names what runs in the background, and prints its report once", () => {
    const begun = ofCall({ type: "subagent_started", title: "alpha", content: "do", background: true })
    const view = viewOf(started, subagent, run("a"), begun, result("a"), thinking, completed("Meanwhile."), inner)
    assert.deepStrictEqual(shown(view).live.slice(1), [
      "◌ alpha · in the background · 1.0 s · ● write_file  x.txt",
      "waiting for what runs in the background · 5 s"
    ])
    const report = reportText({ title: "alpha", failed: false, text: "All is well." })
    const told = [
      ofCall({ type: "subagent_ended", status: "completed", usage }),
      make(5, { type: "prompt_queued", prompt_id: "p2", content: report, mode: "steer", from: "subagent" }),
      make(5, { type: "prompt_steered", prompt_id: "p2", content: report, from: "subagent" })
    ].reduce(reduce, view)
    assert.deepStrictEqual(shown(told).live, ["", "finishing · 5 s"])
    const said = shown(told).settled.join("\n")
    assert.strictEqual(said.split("All is well.").length, 2)
    assert.include(said, '› The subagent "alpha" reports\n  (waits for its turn)')
  })

  it("folds reasoning to two lines while it goes on, and to one after", () => {
    const reasoning = (seconds: number, offset: number, content: string) =>
      make(seconds, { type: "thinking_delta", stream_id: "r", offset, content })
    const view = viewOf(started, thinking, state("waiting_response"), reasoning(1, 0, "a\nb\n"), reasoning(4, 4, "c"))
    assert.deepStrictEqual(shown(view).live, ["", "b", "c", "thinking · 5 s"])
    const settled = reduce(reduce(view, text(0, "t")), completed("t", { reasoning: "a\nb\nc" }))
    assert.deepStrictEqual(shown(settled).settled.slice(2), ["✻ thought for 3.0 s: a", "", "t"])
    const replayed = viewOf(started, thinking, completed("t", { reasoning: "a\nb\nc" }))
    assert.deepStrictEqual(shown(replayed).settled.slice(2), ["✻ thought: a", "", "t"])
  })

  it.each([
    ["a person interrupts", "t", { partial: true, finish_reason: "cancelled" }, ["", "t", "(interrupted here)"]],
    ["a person interrupts before it", "", { partial: true, finish_reason: "cancelled" }, []],
    [
      "a person interrupts while it thinks",
      "",
      { partial: true, finish_reason: "cancelled", reasoning: "a" },
      ["", "✻ thought: a", "(interrupted here)"]
    ],
    ["a failure cuts it off", "t", { partial: true, finish_reason: "other" }, ["", "t", "(cut off here)"]],
    ["a failure comes before it", "", { partial: true, finish_reason: "other" }, []],
    [
      "its length ends it",
      "t",
      { finish_reason: "length" },
      ["", "t", "The answer is cut off here: it reached the output limit."]
    ]
  ])("says how an answer ended: %s", (_name, content, more, lines) => {
    assert.deepStrictEqual(shown(viewOf(started, thinking, completed(content, more))).settled.slice(1), lines)
  })

  it("shows the committed answer whole where it is not what was streamed", () => {
    const view = viewOf(started, thinking, text(0, "old\n\nmore"), completed("new"))
    const superseded = ["The answer above was cut off and does not count; it starts", "over."]
    assert.deepStrictEqual(shown(view).settled.slice(2), ["old", ...superseded, "", "new"])
  })

  it("marks what a new stream replaces, and counts the seconds until a retry", () => {
    const reset = make(3, { type: "stream_reset", stream_id: "s", next_stream_id: "s2", reason: "cut" })
    const retry = make(3, { type: "retrying", attempt: 2, delay_ms: 4_000, code: "provider_bad_stream" })
    const view = viewOf(started, thinking, text(0, "old\n\nmore"), reset, retry)
    const superseded = "The answer above was cut off and does not count; it starts"
    assert.deepStrictEqual(shown(view).settled.slice(2), ["old", superseded, "over."])
    const next = { stream_id: "s", next_stream_id: "s2", reason: "provider_unavailable", model: "small" }
    const other = viewOf(started, thinking, make(3, { type: "stream_reset", ...next }))
    const told = "The model server has a problem. small goes on in its place for the rest of this task."
    assert.strictEqual(shown(other).settled.slice(2).join(" ").trim(), told)
    assert.deepStrictEqual(shown(view).live, ["", "trying again in 2 s (attempt 3) · 5 s · The model's answer …"])
    assert.deepStrictEqual(viewOf(started, thinking, text(0, "old"), reset).items.length, 1)
  })

  it("takes what comes twice once: a catch-up delta overlaps with what was seen", () => {
    const view = viewOf(started, thinking, text(0, "one tw"), text(0, "one two "), text(4, "two three"))
    assert.deepStrictEqual(shown(view).live, ["", "one two three", "ready · 5 s"])
  })

  it("settles the finished lines of a long code block, and keeps the live part short", () => {
    const code = `\`\`\`js\n${Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n")}`
    const view = viewOf(started, thinking, text(0, code))
    assert.deepStrictEqual(shown(view).settled.at(-1), "  line 28")
    assert.deepStrictEqual(shown(view).live, ["  line 29", "ready · 5 s"])
    const list = viewOf(started, thinking, text(0, "- item\n".repeat(50)))
    assert.strictEqual(shown(list, 5, "en", { rows: 10 }).live.length, 10)
  })
})

const piece = fc.constantFrom(
  "# H\n",
  "para\n",
  "\n\n",
  "- a\n",
  "1. b\n",
  "```js\n",
  "```\n",
  "code\n",
  "x ",
  "你好\r\n",
  "|a|\n|-|\n"
)
const answer = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""))

describe("a transcript in the making", () => {
  it("shows in the end what it would show of the whole answer, however it came", () => {
    const flat = (view: View) => shown(view).settled.filter((line) => line !== "")
    fc.assert(
      fc.property(answer, fc.array(fc.nat(200), { maxLength: 12 }), (whole, cuts) => {
        const points = [0, ...cuts.filter((one) => one < whole.length).toSorted((a, b) => a - b), whole.length]
        const deltas = points.slice(1).map((end, i) => text(points[i]!, whole.slice(points[i], end)))
        const live = viewOf(started, thinking, ...deltas, completed(whole))
        assert.deepStrictEqual(flat(live), flat(viewOf(started, thinking, completed(whole))))
      }),
      { numRuns: 1_000 }
    )
  })

  /** The event with something that would erase the screen in every text it carries. */
  const hostile = (body: object): object =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) =>
        ["content", "reason", "result", "tool_name"].includes(key) ? [key, `${value}\x1b[2J\r\u202e\x9b`] : [key, value]
      )
    )

  it("never changes an item, passes the edge or lets the text steer, whatever comes (LESSONS 29)", () => {
    const events = fc.array(anyEvent, { maxLength: 30 })
    fc.assert(
      fc.property(events, fc.integer({ min: 20, max: 90 }), (bodies, columns) => {
        let view = initial
        bodies.forEach((body, i) => {
          const next = reduce(view, { ...hostile(body), v: 1, session_id: "s1", ts: at(i) } as SessionEvent)
          assert.deepStrictEqual(next.items.slice(0, view.items.length), view.items)
          const drawn = shown(next, i + 1, "zh-CN", { columns, from: view.items.length })
          for (const line of [...drawn.settled, ...drawn.live]) {
            assert.isAtMost(width(line), columns)
            assert.notMatch(line, /[\p{Cc}\u202e]/u)
          }
          view = next
        })
      }),
      { numRuns: 200 }
    )
  })
})
