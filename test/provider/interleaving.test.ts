/** Any interleaving of the fragments of several calls gives the same calls; arguments never mix (R102, LESSONS 1). */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { CallId } from "../../src/domain/Ids.ts"
import { absorb, finish, nothing } from "../../src/provider/openai/toolCalls.ts"

interface Made {
  readonly name: string
  readonly args: string
  readonly cuts: ReadonlyArray<number>
}

const made: fc.Arbitrary<Made> = fc.record({
  name: fc.constantFrom("read", "bash", "edit"),
  args: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()).map((value) => JSON.stringify(value)),
  cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 6 })
})

const pieces = ({ args, cuts }: Made): ReadonlyArray<string> => {
  const at = [0, ...cuts.filter((c) => c < args.length).toSorted((a, b) => a - b), args.length]
  return at.slice(1).map((end, i) => args.slice(at[i], end))
}

/** Takes one item at a time from the list that `picks` names, as long as it has any; then the rest in order. */
const interleave = <A>(lists: ReadonlyArray<ReadonlyArray<A>>, picks: ReadonlyArray<number>): ReadonlyArray<A> => {
  const left = lists.map((list) => [...list])
  const out: Array<A> = []
  for (const pick of picks) {
    const item = left[pick % left.length]?.shift()
    if (item !== undefined) out.push(item)
  }
  return [...out, ...left.flat()]
}

type How = (i: number, first: boolean) => Readonly<Record<string, unknown>>
const byIndexAndId: How = (i, first) => ({ index: i, ...(first ? { id: `call_${i}` } : {}) })
const byIdAlone: How = (i) => ({ id: `call_${i}` })
const byBothAlways: How = (i) => ({ index: i, id: `call_${i}` })
const withGaps: How = (i, first) => ({ index: i * 3 + 2, ...(first ? { id: `call_${i}` } : {}) })

const fragments = (call: Made, i: number, how: How) =>
  pieces(call).map((args, n) => ({
    ...how(i, n === 0),
    function: { ...(n === 0 ? { name: call.name } : {}), arguments: args }
  }))

for (const [title, how] of Object.entries({ byIndexAndId, byIdAlone, byBothAlways, withGaps })) {
  it(`fragments named ${title}`, () => {
    fc.assert(
      fc.property(
        fc.array(made, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 60 }),
        (calls, picks) => {
          const stream = interleave(
            calls.map((call, i) => fragments(call, i, how)),
            picks
          )
          const { calls: out, bad } = finish(
            stream.reduce((s, f) => absorb(s, [f]), nothing),
            () => "made" as CallId
          )
          assert.deepStrictEqual(bad, [])
          const found = out.toSorted((a, b) => (a.call_id < b.call_id ? -1 : 1))
          assert.deepStrictEqual(
            found,
            calls.map(({ name, args }, i) => ({
              call_id: `call_${i}` as CallId,
              tool_name: name,
              arguments: args.toWellFormed()
            }))
          )
        }
      ),
      { numRuns: 300 }
    )
  })
}
