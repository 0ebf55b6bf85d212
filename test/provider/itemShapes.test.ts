/** What servers of `/responses` are known to leave out, repeat, or say in an end only (LESSONS 1–3). */
import { assert, describe, it } from "@effect/vitest"
import { concluded, type Fields, got } from "./responding.ts"

const call = (n: number, args: string, more: Fields = {}): Fields => ({
  type: "function_call",
  call_id: `fc_${n}`,
  name: "bash",
  arguments: args,
  ...more
})
const says = (value: string): Fields => ({
  type: "message",
  id: "msg_1",
  content: [{ type: "output_text", text: value }]
})
const added = (item: Fields, more: Fields = {}): Fields => ({ type: "response.output_item.added", item, ...more })
const done = (item: Fields, more: Fields = {}): Fields => ({ type: "response.output_item.done", item, ...more })
const piece = (delta: string, more: Fields = {}): Fields => ({ type: "response.output_text.delta", delta, ...more })
const argPiece = (delta: string, more: Fields): Fields => ({
  type: "response.function_call_arguments.delta",
  delta,
  ...more
})
const completed = (...output: ReadonlyArray<Fields>): Fields => ({
  type: "response.completed",
  response: { object: "response", status: "completed", output }
})
const ARGS = '{"command":"ls"}'
const MORE = '{"command":"pwd"}'

describe("servers as they are", () => {
  it.each<[string, ReadonlyArray<Fields>, ReadonlyArray<ReadonlyArray<string>>, string?]>([
    [
      "no numbers, pieces by the call's own id, all again at the end",
      [
        added({ type: "message", id: "msg_1", content: [] }),
        piece("look", { item_id: "msg_1" }),
        added(call(1, "")),
        argPiece(ARGS, { item_id: "fc_1" }),
        done(says("look")),
        done(call(1, ARGS)),
        completed(says("look"), call(1, ARGS))
      ],
      [["bash", ARGS, "fc_1"]],
      "look"
    ],
    [
      "two calls at once, without numbers",
      [
        added(call(1, "", { id: "a" })),
        added(call(2, "", { id: "b" })),
        argPiece(ARGS, { item_id: "a" }),
        argPiece(MORE, { item_id: "b" }),
        completed()
      ],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", MORE, "fc_2"]
      ]
    ],
    [
      "text in pieces, then a call that only ends",
      [piece("look"), done(says("look")), done(call(1, ARGS)), completed()],
      [["bash", ARGS, "fc_1"]],
      "look"
    ],
    [
      "two calls under one number",
      [done(call(1, ARGS), { output_index: 0 }), done(call(2, MORE), { output_index: 0 }), completed()],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", MORE, "fc_2"]
      ]
    ],
    [
      "the same call twice under two ids is two calls",
      [done(call(1, ARGS)), done(call(2, ARGS)), completed(call(1, ARGS), call(2, ARGS))],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", ARGS, "fc_2"]
      ]
    ],
    [
      "another number than the place in the whole",
      [
        added(call(1, ""), { output_index: 1 }),
        argPiece(ARGS, { output_index: 1 }),
        completed(call(1, '{ "command": "ls" }'))
      ],
      [["bash", ARGS, "fc_1"]]
    ],
    [
      "one id on two calls",
      [done(call(1, ARGS)), done(call(1, MORE)), completed(call(1, ARGS), call(1, MORE))],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", MORE, "made_1"]
      ]
    ],
    [
      "one id on two calls of a whole response",
      [completed(call(1, ARGS), call(1, MORE))],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", MORE, "made_1"]
      ]
    ],
    [
      "pieces that nothing names, of two calls at once, and their ends",
      [
        added(call(1, "")),
        added(call(2, "")),
        argPiece(ARGS, {}),
        argPiece(MORE, {}),
        done(call(1, ARGS)),
        done(call(2, MORE)),
        completed()
      ],
      [
        ["bash", ARGS, "fc_1"],
        ["bash", MORE, "fc_2"]
      ]
    ],
    [
      "a call that is only in the whole response",
      [piece("look"), completed(says("look"), call(1, ARGS))],
      [["bash", ARGS, "fc_1"]],
      "look"
    ],
    [
      "a refusal that only ends",
      [{ type: "response.refusal.done", item_id: "msg_1", refusal: "I can't." }, completed()],
      [],
      "I can't."
    ],
    [
      "the end of a piece of text",
      [piece("I c"), { type: "response.output_text.done", text: "I can." }, completed()],
      [],
      "I can."
    ],
    ["a half-told text", [piece("lo"), completed(says("look"))], [], "look"],
    [
      "arguments as an object, in an end of their own",
      [
        added(call(1, "")),
        { type: "response.function_call_arguments.done", arguments: { command: "ls" } },
        completed()
      ],
      [["bash", ARGS, "fc_1"]]
    ],
    [
      "an end without arguments",
      [added(call(1, "")), argPiece(ARGS, {}), done(call(1, "")), completed(call(1, "{}"))],
      [["bash", ARGS, "fc_1"]]
    ]
  ])("%s", (_, events, calls, said = "") => {
    const found = got(events)
    assert.deepStrictEqual([found.calls, found.text], [calls, said])
  })
})

it("pieces of which nothing ever says whose they are belong to no call, and none runs (SETTLED 15)", () => {
  const result = concluded([added(call(1, "")), added(call(2, "")), argPiece(ARGS, {}), completed()])
  assert("bad_calls" in result)
  const complaint = "The model server did not say which of several calls the arguments belong to."
  assert.deepStrictEqual(
    result.bad_calls.map((one) => [one.call_id, one.raw, one.complaint]),
    [
      ["fc_1", "", complaint],
      ["fc_2", ARGS, complaint]
    ]
  )
})
