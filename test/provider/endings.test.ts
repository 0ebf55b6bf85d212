/** How answers end: one terminal element, and only an ending that deserves it is a success (R112, R300, LESSONS 5, 6, 8). */
import { assert, describe, it } from "@effect/vitest"
import { DONE, HEAD, callChunks, delta, event, finish, usage } from "../support/fakeModelScript.ts"
import { decode } from "./decoding.ts"

const CALL = callChunks([{ id: "c1", name: "write", arguments: '{"path":"a"}' }])
const OPEN = delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "write", arguments: '{"path":"pl' } }] })
const EMPTY = delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "write", arguments: "" } }] })
const hi = delta({ content: "hi" })
const reasoned = delta({ reasoning: "hm" })

/** The finish reason and how many calls, or the code of the error. */
const end = (...chunks: ReadonlyArray<string>) => {
  const { parts, error, ends } = decode(chunks)
  assert.strictEqual(ends, 1)
  const completed = parts.filter((part) => part.type === "completed")
  assert.strictEqual(completed.length + (error === undefined ? 0 : 1), 1)
  const [one] = completed
  return (
    error?.code ?? `${one?.finish_reason} ${one?.message.tool_calls.length}${one?.bad_calls.length === 0 ? "" : " bad"}`
  )
}

describe("good endings", () => {
  it.each<[string, string, ReadonlyArray<string>]>([
    [
      "finish, usage, [DONE]",
      "stop 0",
      [HEAD, hi, finish("stop"), usage({ prompt_tokens: 1, completion_tokens: 1 }), DONE]
    ],
    ["[DONE] without finish", "stop 0", [hi, DONE]],
    ["[DONE] without finish, with calls", "tool_calls 1", [...CALL, DONE]],
    ["finish without [DONE]", "stop 0", [hi, finish("stop")]],
    ["two finish chunks", "tool_calls 1", [...CALL, finish("tool_calls"), finish("stop"), DONE]],
    ["calls, whatever the finish says", "tool_calls 1", [...CALL, finish("stop"), DONE]],
    ["tool_calls without calls", "stop 0", [hi, finish("tool_calls"), DONE]],
    ["the old word for calls", "tool_calls 1", [...CALL, finish("function_call"), DONE]],
    ["a word nobody knows", "other 0", [hi, finish("whatever"), DONE]],
    ["length after text", "length 0", [hi, finish("length"), DONE]],
    ["length after whole calls", "length 1", [...CALL, finish("length"), DONE]],
    ["the filter after some text", "content_filter 0", [hi, finish("content_filter"), DONE]],
    ["unparseable arguments of a complete answer", "tool_calls 1 bad", [OPEN, finish("tool_calls"), DONE]],
    ["reasoning alone", "provider_bad_stream", [reasoned, finish("stop"), DONE]],
    [
      "the whole message again at the end",
      "stop 0",
      [hi, event({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }), DONE]
    ]
  ])("%s → %s", (_, expected, chunks) => assert.strictEqual(end(...chunks), expected))
})

describe("bad endings, where nothing runs", () => {
  it.each<[string, string, ReadonlyArray<string>]>([
    ["a clean close after text", "provider_bad_stream", [hi]],
    ["a clean close in a call (H04)", "provider_bad_stream", [hi, OPEN]],
    ["a clean close after a whole call", "provider_bad_stream", CALL],
    ["a cut in the middle of an event", "provider_bad_stream", [hi, 'data: {"choices":[{"del']],
    ["length inside a call", "provider_output_truncated", [OPEN, finish("length"), DONE]],
    ["length before a call's arguments", "provider_output_truncated", [EMPTY, finish("length"), DONE]],
    ["length, then stop", "provider_output_truncated", [OPEN, finish("length"), finish("stop"), DONE]],
    ["length before any answer", "provider_output_truncated", [reasoned, finish("length"), DONE]],
    ["the filter before any text", "provider_refused", [finish("content_filter"), DONE]],
    ["the filter after a call", "provider_refused", [...CALL, finish("content_filter"), DONE]],
    ["nothing at all", "provider_bad_stream", []],
    ["comments alone, then a close", "provider_bad_stream", [": ping\n\n", ": ping\n\n"]],
    ["an empty answer", "provider_bad_stream", [HEAD, finish("stop"), DONE]],
    ["[DONE] alone", "provider_bad_stream", [DONE]],
    ["text that is not JSON", "provider_bad_stream", [hi, "data: {oops\n\n", finish("stop"), DONE]],
    ["an error object", "provider_unavailable", [hi, event({ error: { message: "overloaded" } }), DONE]],
    ["an error that is a word", "provider_unavailable", [event({ error: "overloaded" }), DONE]],
    ["an error event", "provider_unavailable", [`event: error\ndata: {"message":"x"}\n\n`, DONE]],
    ["an error as an object of its own", "provider_unavailable", [event({ object: "error", message: "x" }), DONE]],
    ["a finish that says the server failed", "provider_unavailable", [hi, finish("network_error"), DONE]]
  ])("%s → %s", (_, expected, chunks) => assert.strictEqual(end(...chunks), expected))
})

describe("what comes with them", () => {
  it("nothing follows [DONE], also in the same read", () => {
    const { parts } = decode([hi + finish("stop") + DONE + delta({ content: "late" }) + event({ error: "late" })])
    assert.deepStrictEqual(
      parts.map((part) => (part.type === "text_delta" ? part.text : part.type)),
      ["hi", "completed"]
    )
  })
  it("the text before an error in one read is shown before it", () => {
    const { parts, error } = decode([hi + event({ error: "x" })])
    assert.deepStrictEqual([parts, error?.code], [[{ type: "text_delta", text: "hi" }], "provider_unavailable"])
  })
  it("reasoning is apart, kept, and read under either name (LESSONS 9)", () => {
    const { parts } = decode([delta({ reasoning_content: "a" }), delta({ reasoning: "b" }), hi, finish("stop"), DONE])
    assert.deepStrictEqual(parts.slice(0, 2), [
      { type: "reasoning_delta", text: "ab" },
      { type: "text_delta", text: "hi" }
    ])
    const done = parts.at(-1)
    assert.strictEqual(done?.type === "completed" ? done.message.reasoning : "", "ab")
  })
})
