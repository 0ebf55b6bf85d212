/**
 * Items of `/responses` are told apart whatever a server leaves out of its events, and however often it repeats them: each
 * call comes exactly once with its own arguments, and no text twice (R101, R102, LESSONS 1–3).
 */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { concluded, type Fields, got } from "./responding.ts"

interface Made {
  readonly kind: "message" | "reasoning" | "function_call"
  readonly name: string
  readonly content: string
  readonly cuts: ReadonlyArray<number>
}

/** How a server writes. `index`: what it numbers items by. */
interface Style {
  readonly added: boolean
  readonly addedArgs: boolean
  readonly deltas: boolean
  readonly partDone: boolean
  readonly itemDone: 0 | 1 | 2
  readonly output: boolean
  readonly ids: "none" | "stable" | "new each time" | "the call's"
  readonly callIds: "all" | "only at the end" | "none"
  readonly index: "right" | "text" | "shifted" | "always 0" | "none"
  readonly indexOnDeltas: boolean
  readonly idOnDeltas: boolean
  readonly together: boolean
}

const piecesOf = ({ content, cuts }: Made): ReadonlyArray<string> => {
  const at = [0, ...cuts.map((cut) => cut % content.length).toSorted((a, b) => a - b), content.length]
  return at.slice(1).map((end, i) => content.slice(at[i], end))
}

const words = {
  message: ["response.output_text.delta", "response.output_text.done", "text"],
  reasoning: ["response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "text"],
  function_call: ["response.function_call_arguments.delta", "response.function_call_arguments.done", "arguments"]
} as const

const written = (style: Style) => {
  let fresh = 0
  const id = (i: number): Fields => {
    if (style.ids === "none") return {}
    if (style.ids === "new each time") return { id: `new_${++fresh}` }
    return { id: style.ids === "stable" ? `item_${i}` : `call_${i}` }
  }
  const index = (i: number): Fields => {
    if (style.index === "none") return {}
    const at = style.index === "always 0" ? 0 : style.index === "shifted" ? i + 3 : i
    return { output_index: style.index === "text" ? String(at) : at }
  }
  const item = (made: Made, i: number, filled: boolean, last: boolean): Fields => {
    const whole = filled ? made.content : ""
    const call = { type: made.kind, ...id(i), name: made.name, arguments: whole }
    if (made.kind === "function_call") return style.callIds === "all" || last ? named(call, i) : call
    const part = { type: made.kind === "message" ? "output_text" : "summary_text", text: whole }
    return { type: made.kind, ...id(i), [made.kind === "message" ? "content" : "summary"]: filled ? [part] : [] }
  }
  const named = (call: Fields, i: number) => (style.callIds === "none" ? call : { ...call, call_id: `call_${i}` })
  const at = (i: number): Fields => {
    const { id: item_id } = style.idOnDeltas ? id(i) : {}
    return { ...(style.indexOnDeltas ? index(i) : {}), ...(item_id === undefined ? {} : { item_id }) }
  }
  const begin = (made: Made, i: number): ReadonlyArray<Fields> =>
    style.added
      ? [
          {
            type: "response.output_item.added",
            ...index(i),
            item: item(made, i, style.addedArgs && made.kind === "function_call", false)
          }
        ]
      : []
  const rest = (made: Made, i: number): ReadonlyArray<Fields> => {
    const [delta, done, field] = words[made.kind]
    const end = () => ({ type: "response.output_item.done", ...index(i), item: item(made, i, true, true) })
    return [
      ...(style.deltas ? piecesOf(made).map((piece) => ({ type: delta, ...at(i), delta: piece })) : []),
      ...(style.partDone ? [{ type: done, ...at(i), [field]: made.content }] : []),
      ...Array.from({ length: style.itemDone }, end)
    ]
  }
  return { begin, rest, item }
}

/** Takes from one list after the other as `picks` says, as long as there is any; then the rest in order. */
const interleave = <A>(lists: ReadonlyArray<ReadonlyArray<A>>, picks: ReadonlyArray<number>): ReadonlyArray<A> => {
  const left = lists.map((list) => [...list])
  const out: Array<A> = []
  for (const pick of picks) out.push(...(left[pick % left.length]?.splice(0, 1) ?? []))
  return [...out, ...left.flat()]
}

const eventsOf = (items: ReadonlyArray<Made>, style: Style, picks: ReadonlyArray<number>): ReadonlyArray<Fields> => {
  const { begin, item, rest } = written(style)
  const numbered = items.map((made, i) => ({ made, i }))
  const calls = numbered.filter(({ made }) => style.together && made.kind === "function_call")
  const alone = numbered.filter((one) => !calls.includes(one))
  const output = style.output ? { output: items.map((made, i) => item(made, i, true, true)) } : {}
  return [
    ...alone.flatMap(({ made, i }) => [...begin(made, i), ...rest(made, i)]),
    ...calls.flatMap(({ made, i }) => begin(made, i)),
    ...(calls.length === 0
      ? []
      : interleave(
          calls.map(({ made, i }) => rest(made, i)),
          picks
        )),
    { type: "response.completed", response: { object: "response", status: "completed", ...output } }
  ]
}

/** Whether all that is needed is somewhere in what the server writes. */
const tells = (style: Style): boolean => {
  const numbered = style.index !== "none" && style.index !== "always 0"
  const whole = style.itemDone > 0 || style.output
  if (!style.added && !whole) return false
  if (!style.deltas && !style.partDone && !whole) return false
  // An id that is another each time says nothing, and misleads where no number does better.
  if (style.ids === "new each time" && !(numbered && style.indexOnDeltas)) return false
  const byId = style.idOnDeltas && (style.ids === "stable" || (style.ids === "the call's" && style.callIds === "all"))
  const byNumber = numbered && style.indexOnDeltas
  return !style.together || byId || (byNumber && style.added)
}

const anyStyle: fc.Arbitrary<Style> = fc.record({
  added: fc.boolean(),
  addedArgs: fc.boolean(),
  deltas: fc.boolean(),
  partDone: fc.boolean(),
  itemDone: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
  output: fc.boolean(),
  ids: fc.constantFrom<Style["ids"]>("none", "stable", "new each time", "the call's"),
  callIds: fc.constantFrom<Style["callIds"]>("all", "only at the end", "none"),
  index: fc.constantFrom<Style["index"]>("right", "text", "shifted", "always 0", "none"),
  indexOnDeltas: fc.boolean(),
  idOnDeltas: fc.boolean(),
  together: fc.boolean()
})
const style = anyStyle.filter(tells)

const items: fc.Arbitrary<ReadonlyArray<Made>> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Made["kind"]>("message", "reasoning", "function_call", "function_call"),
      name: fc.constantFrom("read", "bash"),
      body: fc.string({ unit: "grapheme-ascii" }),
      cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 4 })
    }),
    { minLength: 1, maxLength: 5 }
  )
  .map((all) =>
    all.map(({ body, cuts, kind, name }, i) => ({
      kind,
      name,
      cuts,
      content: kind === "function_call" ? JSON.stringify({ [`a${i}`]: body }) : `<${i}>${body}</${i}>`
    }))
  )
  .filter((all) => all.some(({ kind }) => kind !== "reasoning"))

const textsOf = (all: ReadonlyArray<Made>, kind: Made["kind"]) =>
  all.map((made) => (made.kind === kind ? made.content : "")).join("")

it("each call comes once with its own arguments, and each text once, whatever is left out or repeated", () => {
  fc.assert(
    fc.property(items, style, fc.array(fc.nat(), { maxLength: 40 }), (all, how, picks) => {
      const found = got(eventsOf(all, how, picks))
      const expected = all.flatMap(({ content, kind, name }) => (kind === "function_call" ? [[name, content]] : []))
      assert.sameDeepMembers(
        found.calls.map(([name, args]) => [name, args]),
        expected
      )
      assert.strictEqual(new Set(found.calls.map(([, , call_id]) => call_id)).size, expected.length)
      assert.deepStrictEqual([found.text, found.thought], [textsOf(all, "message"), textsOf(all, "reasoning")])
    }),
    { numRuns: 1000 }
  )
})

it("where nothing tells whose a piece is, no call runs twice or with another's arguments", () => {
  fc.assert(
    fc.property(items, anyStyle, fc.array(fc.nat(), { maxLength: 40 }), (all, how, picks) => {
      const result = concluded(eventsOf(all, how, picks))
      if (result instanceof ProviderError) return
      const bad = new Set(result.bad_calls.map(({ call_id }) => call_id))
      const run = result.message.tool_calls.filter(({ call_id }) => !bad.has(call_id))
      const filled = run
        .map(({ arguments: args, tool_name }) => `${tool_name} ${args}`)
        .filter((one) => !one.endsWith(" {}"))
      const expected = new Set(all.map(({ content, name }) => `${name} ${content}`))
      assert.deepStrictEqual(
        filled.filter((one) => !expected.has(one)),
        []
      )
      // Of a server that names no call at all, a repeated end may be a second call.
      if (how.callIds !== "none") assert.strictEqual(new Set(filled).size, filled.length)
    }),
    { numRuns: 1000 }
  )
})
