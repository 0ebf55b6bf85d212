/**
 * An answer that does not end is ended: by the limit of what it may have, whatever it consists of, in both dialects; and
 * a chunk that adds nothing is no progress, while a model that thinks where nobody looks is at work (R108, DESIGN idea 7).
 */
import { assert, describe, it } from "@effect/vitest"
import { type Decoder, openDocumentDecoder, openEventDecoder } from "../../src/provider/openai/decoder.ts"
import { openResponsesAnswer, responsesErrorIn } from "../../src/provider/openai/responses/answer.ts"
import { delta, DONE, event, finish, HEAD, usage } from "../support/fakeModelScript.ts"
import { decode, options } from "./decoding.ts"

const MEBI = 1024 * 1024
const ofResponses = {
  ...options,
  open: () => openResponsesAnswer({ base_url: "http://x", model: "m" }),
  errorIn: responsesErrorIn
}
const both = { chat: () => openEventDecoder(options), responses: () => openEventDecoder(ofResponses) }
const bytes = (text: string) => new TextEncoder().encode(text)

/** How many of the chunks were read, and why no more. */
const readOf = (decoder: Decoder, chunk: (i: number) => string) => {
  for (let i = 1; i <= 2000; i++) {
    const { ended, failure } = decoder.feed(bytes(chunk(i)))
    if (ended) return { read: i, code: failure?.code, detail: failure?.detail, excess: failure?.excess }
  }
  return undefined
}

const piece = "x".repeat(MEBI / 16)
const args = (id: string, more: string) =>
  delta({ tool_calls: [{ index: 0, id, function: { name: "bash", arguments: more } }] })
const item = (fields: object) => event({ type: "response.output_item.done", item: fields })
const TOO_LARGE = "The model's answer is too large."
const TOO_LONG = "The model sent more than 4194304 characters of arguments; nothing was run."

describe("limits", () => {
  it.each<[string, keyof typeof both, (i: number) => string, number, string]>([
    ["arguments of a call", "chat", () => args("c", piece), 64, TOO_LONG],
    [
      "arguments of an item",
      "responses",
      () => event({ type: "response.function_call_arguments.delta", item_id: "a", delta: piece }),
      64,
      TOO_LONG
    ],
    ["arguments of all calls", "chat", (i) => args(`c${Math.ceil(i / 16)}`, piece), 256, TOO_LARGE],
    ["reasoning in a field of their own", "chat", () => delta({ thoughts: [piece] }), 256, TOO_LARGE],
    ["text", "responses", () => event({ type: "response.output_text.delta", delta: piece }), 257, TOO_LARGE],
    [
      "sealed reasoning",
      "responses",
      (i) => item({ type: "reasoning", id: `r${i}`, encrypted_content: piece, summary: [] }),
      256,
      TOO_LARGE
    ],
    [
      "a kind of its own",
      "responses",
      () => event({ type: "response.custom_tool_call_input.delta", delta: piece }),
      257,
      TOO_LARGE
    ],
    [
      "empty items",
      "responses",
      (i) => item({ type: "message", id: `m${i}`, content: [] }),
      1025,
      "The model sent more than 1024 items at once."
    ],
    [
      "calls",
      "responses",
      (i) => item({ type: "function_call", call_id: `c${i}`, name: "now", arguments: "{}" }),
      513,
      "The model sent more than 512 tool calls at once; nothing was run."
    ]
  ])("endless %s (%s) end the stream at once", (_, api, chunk, read, detail) => {
    assert.deepStrictEqual(readOf(both[api](), chunk), { read, code: "provider_bad_stream", detail, excess: true })
  })
  it("a document has them, too", () => {
    const call = { id: "c", function: { name: "bash", arguments: "x".repeat(4 * MEBI + 1) } }
    const document = JSON.stringify({ choices: [{ message: { tool_calls: [call] }, finish_reason: "stop" }] })
    assert.strictEqual(decode([document], true, openDocumentDecoder(options)).error?.detail, TOO_LARGE)
  })
})

describe("progress", () => {
  const heard = (decoder: Decoder, chunks: ReadonlyArray<string>) =>
    chunks.map((chunk) => decoder.feed(bytes(chunk)).heard)
  const told = (type: string, fields: object = {}) => event({ type: `response.${type}`, ...fields })
  const added = told("output_item.added", { item: { type: "message", id: "m1", content: [] } })
  const reasoned = item({ type: "reasoning", id: "r1", encrypted_content: "e", summary: [] })
  it.each<[string, keyof typeof both, ReadonlyArray<string>]>([
    ["nothing at all", "chat", [event({})]],
    ["an empty delta", "chat", [delta({ content: "", tool_calls: [], reasoning_details: [], role: "assistant" })]],
    ["the name of a call again", "chat", [args("c", "")]],
    ["counts", "chat", [usage({ prompt_tokens: 1, completion_tokens: 0 })]],
    ["an item again", "responses", [added]],
    ["sealed reasoning again", "responses", [reasoned]],
    ["an empty piece", "responses", [told("output_text.delta", { item_id: "m1", delta: "" })]],
    ["how it stands", "responses", [told("in_progress", { response: { object: "response", status: "in_progress" } })]]
  ])("%s is none (%s)", (_, api, chunks) => {
    const decoder = both[api]()
    const first = heard(decoder, api === "chat" ? [HEAD, args("c", "")] : [added, reasoned])
    const rest = heard(decoder, [": ping\n\n", ...chunks, ...chunks])
    assert.deepStrictEqual([first.every(Boolean), rest.some(Boolean)], [true, false])
  })
  it.each<[string, string]>([
    ["text", delta({ content: "a" })],
    ["reasoning", delta({ reasoning: "a" })],
    ["reasoning in a field that nobody knows", delta({ reasoning_details: [{ data: "sealed" }] })],
    ["a piece of a call", args("c", "{")],
    ["a call that begins", delta({ tool_calls: [{ index: 0, id: "c", function: { name: "t" } }] })],
    ["the finish", finish("stop")]
  ])("%s is", (_, chunk) => {
    assert.deepStrictEqual(heard(both.chat(), [HEAD, event({}), chunk]), [true, false, true])
  })
  it("blanks before a document are none", () => {
    assert.deepStrictEqual(heard(openDocumentDecoder(options), ["  \n", "{"]), [false, true])
  })
  it("what follows an end that is whole is waited for, and changes nothing", () => {
    const chunks = [delta({ content: "hi" }), finish("stop"), event({}), event({}), DONE]
    assert.strictEqual(decode(chunks).error, undefined)
  })
})
