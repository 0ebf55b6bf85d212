/**
 * Calls, texts and names as servers of `/chat/completions` send them when they do not send them as OpenAI does
 * (R101–R104, LESSONS 1–4), and what of an answer leaves the room well-formed in either dialect.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Decoder, openEventDecoder } from "../../src/provider/openai/decoder.ts"
import { openResponsesAnswer, responsesErrorIn } from "../../src/provider/openai/responses/answer.ts"
import { delta, DONE, event, finish } from "../support/fakeModelScript.ts"
import { decode, options } from "./decoding.ts"

const completedOf = (chunks: ReadonlyArray<string>, decoder?: Decoder) => {
  const { error, parts } = decode(chunks, true, decoder)
  const last = parts.at(-1)
  assert(last?.type === "completed", error?.message)
  return last
}
const call = (fields: object) => delta({ tool_calls: [fields] })
const fn = (fields: object) => delta({ function_call: fields })
const whole = (message: object) => event({ choices: [{ delta: {}, message, finish_reason: "stop" }] })
const ls = { id: "c1", function: { name: "bash", arguments: '{"command":"ls"}' } }
const LS = ["c1", "bash", '{"command":"ls"}']

describe("calls", () => {
  it.each<[string, ReadonlyArray<string>, ReadonlyArray<ReadonlyArray<string>>, string?]>([
    ["with finish reason stop", [call({ index: 0, ...ls }), finish("stop")], [LS]],
    [
      "numbered by texts",
      [
        call({ index: "0", id: "c1", function: { name: "bash", arguments: '{"command"' } }),
        call({ index: "1", id: "c2", function: { name: "read", arguments: "" } }),
        call({ index: "0", function: { arguments: ':"ls"}' } }),
        call({ index: "1", function: { arguments: '{"path":"a"}' } })
      ],
      [LS, ["c2", "read", '{"path":"a"}']]
    ],
    [
      "with their name on every piece",
      ['{"command"', ":", '"ls"}'].map((args) =>
        call({ index: 0, id: "c1", function: { name: "bash", arguments: args } })
      ),
      [LS]
    ],
    [
      "with a name in pieces",
      [
        call({ index: 0, id: "c1", function: { name: "ba" } }),
        call({ index: 0, function: { name: "sh", arguments: "" } }),
        call({ index: 0, function: { arguments: '{"command":"ls"}' } })
      ],
      [LS]
    ],
    [
      "with a name that grows",
      ["b", "bas", "bash"].map((name) => call({ index: 0, id: "c1", function: { name } })).concat(call(ls)),
      [LS]
    ],
    [
      "with arguments as an object",
      [call({ id: "c1", function: { name: "bash", arguments: { command: "ls" } } })],
      [LS]
    ],
    [
      "in the old form",
      [
        fn({ name: "bash", arguments: "" }),
        fn({ arguments: '{"command":' }),
        fn({ arguments: '"ls"}' }),
        finish("function_call")
      ],
      [["made", "bash", '{"command":"ls"}']]
    ],
    [
      "in the old form and the new one",
      [
        delta({ tool_calls: [{ index: 0, ...ls }], function_call: ls.function }),
        delta({ function_call: { arguments: "" } })
      ],
      [LS]
    ],
    [
      "in the whole message alone",
      [delta({ content: "look" }), whole({ content: "look", tool_calls: [ls] })],
      [LS],
      "look"
    ],
    [
      "again in the whole message",
      [call({ index: 0, ...ls }), whole({ content: "", tool_calls: [{ ...ls, id: "another" }] })],
      [LS]
    ],
    [
      "and a text that is whole at its end",
      [delta({ content: "lo" }), call(ls), whole({ content: "look" })],
      [LS],
      "look"
    ]
  ])("%s", (_, chunks, calls, said = "") => {
    const decoder = openEventDecoder({ ...options, offered: new Set(["bash", "read"]) })
    const { bad_calls, message } = completedOf([...chunks, DONE], decoder)
    const found = message.tool_calls.map((one) => [one.call_id as string, one.tool_name, one.arguments])
    assert.deepStrictEqual([found, message.content, bad_calls], [calls, said, []])
  })
  it("a name in pieces that was not offered is the first of them", () => {
    const chunks = ["ba", "sh"].map((name) => call({ index: 0, id: "c1", function: { name } }))
    assert.strictEqual(completedOf([...chunks, call(ls), DONE]).message.tool_calls[0]?.tool_name, "ba")
  })
})

describe("half a character is none", () => {
  const HALF = "\ud800"
  const args = `{"${HALF}":1}`
  const responses = openEventDecoder({
    ...options,
    open: () => openResponsesAnswer({ base_url: "http://x", model: "m" }),
    errorIn: responsesErrorIn
  })
  const item = { type: "function_call", id: HALF, call_id: HALF, name: `a${HALF}`, arguments: args }
  const response = { object: "response", status: "completed", model: `m${HALF}`, output: [item] }
  it.each([
    [
      "chat",
      undefined,
      [
        event({ model: `m${HALF}`, choices: [] }),
        call({ index: 0, id: HALF, function: { name: `a${HALF}`, arguments: args } }),
        call({ index: 1, id: "c2", function: { name: "b", arguments: `[${HALF}` } })
      ]
    ],
    ["responses", responses, [event({ type: "response.completed", response })]]
  ])("in names, ids and complaints: %s", (_, decoder, chunks) => {
    const { bad_calls, message, model } = completedOf([...chunks, DONE], decoder)
    assert.deepStrictEqual(
      [model, message.tool_calls[0]],
      ["m\ufffd", { call_id: "made", tool_name: "a\ufffd", arguments: '{"\ufffd":1}' } as never]
    )
    assert.isTrue(bad_calls.every(({ complaint, raw }) => complaint.isWellFormed() && raw.isWellFormed()))
  })
})
