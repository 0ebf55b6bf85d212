/** Tool calls out of fragments: which call a fragment belongs to, and what is never run (R101–R103, R301, LESSONS 1–4). */
import { assert, describe, it } from "@effect/vitest"
import type { CallId } from "../../src/domain/Ids.ts"
import { absorb, finish, nothing } from "../../src/provider/openai/toolCalls.ts"

type Fragments = ReadonlyArray<unknown>

const assemble = (chunks: ReadonlyArray<Fragments>) => {
  let made = 0
  return finish(chunks.reduce(absorb, nothing), () => `made_${++made}` as CallId)
}
/** id, name and arguments of each call. */
const calls = (chunks: ReadonlyArray<Fragments>) =>
  assemble(chunks).calls.map((call) => [call.call_id, call.tool_name, call.arguments])

const fn = (name: string | null | undefined, args?: unknown) => ({
  ...(name === undefined ? {} : { name }),
  ...(args === undefined ? {} : { arguments: args })
})

describe("which call a fragment belongs to (LESSONS 1)", () => {
  it("by the id, whatever the order, without an index", () => {
    assert.deepStrictEqual(
      calls([
        [{ id: "a", function: fn("read", '{"p":') }],
        [{ id: "b", function: fn("list", '{"q":') }],
        [{ id: "a", function: fn(undefined, "1}") }],
        [{ id: "b", function: fn(undefined, "2}") }]
      ]),
      [
        ["a", "read", '{"p":1}'],
        ["b", "list", '{"q":2}']
      ]
    )
  })
  it("by the index where there is no id", () => {
    assert.deepStrictEqual(
      calls([
        [
          { index: 0, id: "a", function: fn("read", "") },
          { index: 1, id: "b", function: fn("list", "") }
        ],
        [{ index: 1, function: fn(undefined, '{"q"') }],
        [{ index: 0, function: fn(undefined, '{"p"') }],
        [{ index: 1, function: fn(undefined, ":2}") }],
        [{ index: 0, function: fn(undefined, ":1}") }]
      ]),
      [
        ["a", "read", '{"p":1}'],
        ["b", "list", '{"q":2}']
      ]
    )
  })
  it("by the position where there is neither", () => {
    assert.deepStrictEqual(
      calls([
        [
          { id: "a", function: fn("read", "") },
          { id: "b", function: fn("list", "") }
        ],
        [{ function: fn(undefined, '{"p":') }, { function: fn(undefined, '{"q":') }],
        [{ function: fn(undefined, "1}") }, { function: fn(undefined, "2}") }]
      ]),
      [
        ["a", "read", '{"p":1}'],
        ["b", "list", '{"q":2}']
      ]
    )
    assert.deepStrictEqual(calls([[{ id: "a", function: fn("read", "") }], [{ function: fn(undefined, '{"p":1}') }]]), [
      ["a", "read", '{"p":1}']
    ])
  })
  it("a missing index is unknown, not 0", () => {
    assert.deepStrictEqual(
      calls([[{ index: 0, id: "a", function: fn("read", "{}") }], [{ id: "b", function: fn("list", '{"q":2}') }]]),
      [
        ["a", "read", "{}"],
        ["b", "list", '{"q":2}']
      ]
    )
  })
  it("a new id on a used index is a new call", () => {
    assert.deepStrictEqual(
      calls([
        [{ index: 0, id: "a", function: fn("read", '{"p":1}') }],
        [{ index: 0, id: "b", function: fn("read", '{"p":') }],
        [{ index: 0, function: fn(undefined, "2}") }]
      ]),
      [
        ["a", "read", '{"p":1}'],
        ["b", "read", '{"p":2}']
      ]
    )
  })
  it("id and name are set once and never concatenated; an id may come late", () => {
    const part = (args: string) => [{ index: 0, id: "call_r1", function: fn("bash", args) }]
    assert.deepStrictEqual(calls([part('{"com'), part('mand":"ec'), part('ho hi"}')]), [
      ["call_r1", "bash", '{"command":"echo hi"}']
    ])
    assert.deepStrictEqual(
      calls([[{ index: 0, function: fn("bash", '{"a"') }], [{ index: 0, id: "late", function: fn(null, ":1}") }]]),
      [["late", "bash", '{"a":1}']]
    )
  })
  it("a name is no identity: two calls of one tool stay two", () => {
    assert.deepStrictEqual(
      calls([
        [
          { index: 0, id: "a", function: fn("read", '{"p":1}') },
          { index: 1, id: "b", function: fn("read", '{"p":1}') }
        ]
      ]),
      [
        ["a", "read", '{"p":1}'],
        ["b", "read", '{"p":1}']
      ]
    )
  })
})

describe("nothing is nothing (LESSONS 2)", () => {
  it.each([[null], [undefined], [""], ["  \n"], [{}]])("arguments %j of a finished call are {} (R103)", (args) => {
    assert.deepStrictEqual(calls([[{ index: 0, id: "a", function: fn("now", args) }]]), [["a", "now", "{}"]])
  })
  it.each([
    [null],
    [undefined],
    [[]],
    [{}],
    [""],
    [[null]],
    [[{}]],
    [[{ index: 0, id: "", function: { name: "", arguments: "" } }]]
  ])("tool_calls %j make no call", (tool_calls) => {
    assert.deepStrictEqual(
      finish(absorb(nothing, tool_calls), () => "x" as CallId),
      { calls: [], bad: [] }
    )
  })
  it("empty fields of later fragments change nothing", () => {
    assert.deepStrictEqual(
      calls([
        [{ index: 0, id: "a", function: fn("read", '{"p":') }],
        [{ index: 0, id: "", function: fn("", "1") }],
        [{ index: 0, id: null, function: fn(null, "}") }],
        [{ index: 0, function: null }]
      ]),
      [["a", "read", '{"p":1}']]
    )
  })
  it("arguments that come as an object are its text", () => {
    assert.deepStrictEqual(calls([[{ index: 0, id: "a", function: fn("read", { p: 1 }) }]]), [["a", "read", '{"p":1}']])
  })
})

describe("exact whole repeats are recognised, real repetition survives (LESSONS 3)", () => {
  const one = (...args: ReadonlyArray<string>) =>
    calls(
      args.map((a, i) => [{ index: 0, ...(i === 0 ? { id: "a" } : {}), function: fn(i === 0 ? "t" : undefined, a) }])
    )
  const is = (text: string) => [["a", "t", text]]

  it("the whole again at the end", () => assert.deepStrictEqual(one('{"a":', "1}", '{"a":1}'), is('{"a":1}')))
  it("the whole again in the same pieces", () =>
    assert.deepStrictEqual(one('{"a":', "1}", '{"a":', "1}"), is('{"a":1}')))
  it("every fragment twice", () =>
    assert.deepStrictEqual(
      one('{"com', '{"com', 'mand":1,', 'mand":1,', '"b":2}', '"b":2}'),
      is('{"command":1,"b":2}')
    ))
  it("every fragment twice, with id and name on each", () => {
    const part = (args: string) => [{ index: 0, id: "a", function: fn("t", args) }]
    assert.deepStrictEqual(calls(['{"a":', '{"a":', "1}", "1}"].map(part)), is('{"a":1}'))
  })
  it("a repetition inside a string", () => assert.deepStrictEqual(one('{"a":"', "ha", "ha", '"}'), is('{"a":"haha"}')))
  it("a repetition inside the structure", () =>
    assert.deepStrictEqual(one('{"a":', '{"a":', "1}", "}"), is('{"a":{"a":1}}')))
  it("what parses as it came is never changed, even where every fragment came twice", () =>
    assert.deepStrictEqual(one('{"a":', '{"a":', "1", "1", "}", "}"), is('{"a":{"a":11}}')))
  it("what does not parse is listed raw and never run (R104, SETTLED 15)", () => {
    const { calls: made, bad } = assemble([[{ index: 0, id: "a", function: fn("t", '{"a": 1, "te') }]])
    assert.deepStrictEqual(made, [{ call_id: "a" as CallId, tool_name: "t", arguments: "{}" }])
    assert.deepStrictEqual([bad[0]?.call_id, bad[0]?.raw], ["a" as CallId, '{"a": 1, "te'])
  })
  it.each([['"text"'], ["[1]"], ["1"], ["null"], ['{"a":1'], ['{"a":1}}'], ['{"a":1}{"b":2}'], ["{'a':1}"]])(
    "arguments %s are refused",
    (args) => {
      const { calls: made, bad } = assemble([[{ index: 0, id: "a", function: fn("t", args) }]])
      assert.deepStrictEqual([made[0]?.arguments, bad[0]?.raw], ["{}", args])
    }
  )
  it("arguments over a mebibyte are refused and not kept", () => {
    const piece = "x".repeat(600_000)
    const { bad } = assemble([
      [{ index: 0, id: "a", function: fn("t", `{"a":"${piece}`) }],
      [{ index: 0, function: fn(undefined, piece) }]
    ])
    assert.match(bad[0]?.complaint ?? "", /longer than/)
    assert.isBelow(bad[0]?.raw.length ?? 0, 700_000)
  })
})

describe("ids (LESSONS 4)", () => {
  it("missing and unusable ids are made", () => {
    assert.deepStrictEqual(
      calls([
        [
          { index: 0, function: fn("t", "{}") },
          { index: 1, id: "", function: fn("t", "{}") },
          { index: 2, id: "a\nb", function: fn("t", "{}") }
        ]
      ]),
      [
        ["made_1", "t", "{}"],
        ["made_2", "t", "{}"],
        ["made_3", "t", "{}"]
      ]
    )
  })
  it("one id on two indexes is two calls", () => {
    assert.deepStrictEqual(
      calls([
        [{ index: 0, id: "same", function: fn("t", '{"i":') }],
        [{ index: 1, id: "same", function: fn("t", '{"i":') }],
        [{ index: 0, id: "same", function: fn(undefined, "1}") }],
        [{ index: 1, id: "same", function: fn(undefined, "2}") }]
      ]),
      [
        ["same", "t", '{"i":1}'],
        ["made_1", "t", '{"i":2}']
      ]
    )
  })
  it("one id on two whole calls without an index is two calls", () => {
    const whole = (args: string) => [{ id: "same", function: fn("t", args) }]
    assert.deepStrictEqual(calls([whole('{"i":1}'), whole('{"i":2}')]), [
      ["same", "t", '{"i":1}'],
      ["made_1", "t", '{"i":2}']
    ])
  })
  it("whole calls on one index without ids are as many calls", () => {
    const whole = (args: string) => [{ index: 0, function: fn("t", args) }]
    assert.deepStrictEqual(calls([whole('{"i":1}'), whole('{"i":2}')]), [
      ["made_1", "t", '{"i":1}'],
      ["made_2", "t", '{"i":2}']
    ])
  })
})
