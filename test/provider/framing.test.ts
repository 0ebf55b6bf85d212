/** Server-sent events however the network cuts them and however the server spells them (R299, LESSONS 7). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { DONE, HEAD, callChunks, delta, event, finish, usage } from "../support/fakeModelScript.ts"
import { decode } from "./decoding.ts"

const body = [
  ": hello\n\n",
  HEAD,
  delta({ reasoning_content: "思考🤔" }),
  delta({ content: "修复完成 🌍!" }),
  delta({ content: "second\nline" }),
  ...callChunks([{ id: "c1", name: "write", arguments: '{"text":"naïve 🦀"}', pieces: 5 }]),
  finish("tool_calls"),
  usage({ prompt_tokens: 3, completion_tokens: 4 }),
  DONE
].join("")

const expected = {
  parts: [
    { type: "reasoning_delta", text: "思考🤔" },
    { type: "text_delta", text: "修复完成 🌍!second\nline" },
    {
      type: "completed",
      message: {
        role: "assistant",
        content: "修复完成 🌍!second\nline",
        reasoning: "思考🤔",
        tool_calls: [{ call_id: "c1", tool_name: "write", arguments: '{"text":"naïve 🦀"}' }]
      },
      bad_calls: [],
      finish_reason: "tool_calls",
      usage: { input_tokens: 3, output_tokens: 4 },
      model: "fake-model"
    }
  ],
  error: undefined,
  ends: 1
}

const split = (bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const at = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

const lineEnds = { LF: "\n", CRLF: "\r\n", CR: "\r" }
const spelled = (end: string) => new TextEncoder().encode(body.replaceAll("\n", end))

describe("framing", () => {
  for (const [name, end] of Object.entries(lineEnds)) {
    it(`any splitting of the bytes gives the same parts, lines ending in ${name}`, () => {
      const bytes = spelled(end)
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
          assert.deepStrictEqual(decode(split(bytes, cuts)) as unknown, expected)
        }),
        { numRuns: 200 }
      )
    })
    it(`byte by byte, lines ending in ${name}`, () => {
      assert.deepStrictEqual(decode(Array.from(spelled(end), (byte) => Uint8Array.of(byte))) as unknown, expected)
    })
  }

  const answer = (...lines: ReadonlyArray<string>) => decode([...lines, finish("stop"), DONE])
  const text = (decoded: ReturnType<typeof decode>) =>
    decoded.parts.flatMap((part) => (part.type === "text_delta" ? [part.text] : []))
  const said = JSON.stringify({ choices: [{ delta: { content: "hi" } }] })

  it.each([
    ["no space after the colon", `data:${said}\n\n`],
    ["a byte order mark", `\ufeffdata: ${said}\n\n`],
    ["comments and empty events between", `: ping\n\n\n\nevent: ping\n\n: x\ndata: ${said}\n\n`],
    [
      "an empty data line, an empty object, null, and a list",
      `data:\n\ndata: {}\n\ndata: null\n\ndata: []\n\ndata: ${said}\n\n`
    ],
    ["several data lines", `data: {"choices":[{"delta":\ndata: {"content":"hi"}}]}\n\n`],
    ["ids, names, retry and unknown fields", `id: 7\nevent: message\nretry: 3\nfoo: bar\ndata: ${said}\n\n`],
    [
      "null, empty and missing fields around it",
      event({ choices: null }) +
        event({ choices: [] }) +
        event({ choices: [{ delta: { content: null, tool_calls: null, role: "" } }] }) +
        `data: ${said}\n\n`
    ]
  ])("%s", (_, lines) => {
    assert.deepStrictEqual(text(answer(lines)), ["hi"])
  })

  it("a last line without an end counts", () => {
    assert.deepStrictEqual(decode([delta({ content: "hi" }), finish("stop"), "data: [DONE]"]).error, undefined)
  })
  it("half a character pair in one escape waits for its other half", () => {
    const half = (escape: string) => `data: {"choices":[{"delta":{"content":"${escape}"}}]}\n\n`
    assert.deepStrictEqual(text(answer(half("a\\ud83c"), half("\\udf0d!"))), ["a🌍!"])
    assert.deepStrictEqual(text(answer(half("a\\ud83c"))), ["a\ufffd"])
  })
  it("bytes that are not UTF-8 are replaced, never thrown at", () => {
    const bytes = new TextEncoder().encode(delta({ content: "a?b" }))
    bytes[bytes.indexOf(0x3f)] = 0xff
    assert.deepStrictEqual(text(decode([bytes, finish("stop"), DONE])), ["a\ufffdb"])
  })
  it("an event without end is refused at its limit, not kept", () => {
    const megabyte = "x".repeat(1024 * 1024)
    const { error } = decode([`data: ${megabyte}`, megabyte, megabyte, megabyte, megabyte], false)
    assert.deepStrictEqual(
      [error?.code, error?.detail],
      ["provider_bad_stream", "The model server sent an event that is too large."]
    )
  })
})
