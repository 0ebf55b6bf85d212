/** An answer has a limit of calls: what is beyond it is not looked at, and nothing of it runs (DESIGN, idea 7). */
import { assert, it } from "@effect/vitest"
import { absorb, CALLS_LIMIT, nothing } from "../../src/provider/openai/toolCalls.ts"

const calls = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ index: i, id: `c${i}`, function: { name: "noop", arguments: "{}" } }))

it("takes as many calls as an answer may have, and says when there were more", () => {
  const full = absorb(nothing, calls(CALLS_LIMIT))
  assert.deepStrictEqual([full.drafts.length, full.flooded], [CALLS_LIMIT, false])
  const over = absorb(nothing, calls(50_000))
  assert.deepStrictEqual([over.drafts.length, over.flooded], [CALLS_LIMIT, true])
})
