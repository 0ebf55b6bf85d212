/** A subagent whose own conversation becomes shorter: its caller's keeps every word (LESSONS 14, 32). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fold } from "../../src/domain/Fold.ts"
import { initial } from "../../src/domain/Session.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { answer, call } from "../support/engineKit.ts"
import { checkPrefixes, go, isBelow, over, resultOf, sub } from "../support/subagentKit.ts"
import { honest, isSummary, said } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const LOOKS = 14

/** Counts its turns itself: behind a summary its answers are no longer in the request. */
const model = (): { readonly script: Script; readonly above: Array<ModelRequest> } => {
  const above: Array<ModelRequest> = []
  let turns = 0
  return {
    above,
    script: (request) => {
      if (isSummary(request)) return said(honest(request.messages[1]?.content ?? ""))
      if (isBelow(request)) {
        turns += 1
        return turns > LOOKS ? said("All seen.") : answer("", [call(`b${turns}`, "probe", { n: 2_000 + turns })])
      }
      above.push(request)
      return above.length === 1 ? answer("", [sub("a", "look")]) : said("Done.")
    }
  }
}

describe("a subagent with more to read than its window holds", () => {
  it.effect("is compacted by itself, and its caller's conversation stays whole", () => {
    const { script, above } = model()
    const { tool } = probe({ run: ({ n = 0 }) => Effect.succeed({ content: `${n} ${"word ".repeat(n / 5)}` }) })
    const { layer, seen } = over({ tools: [tool], script, limits: { context_window: 6_000, subagent_turns: 40 } })
    return Effect.gen(function* () {
      const end = yield* go
      assert.strictEqual(end.status, "completed")
      const compacted = seen.events.filter(({ type }) => type === "compacted")
      assert.isAbove(compacted.length, 0)
      assert.isTrue(compacted.every((event) => "parent_call_id" in event && event.parent_call_id === "a"))
      assert.strictEqual(resultOf(seen.events, "a")?.result, "All seen.")
      const state = seen.events.reduce((folded, event) => fold(folded, event), initial)
      assert.deepStrictEqual(
        state.history.map(({ kind }) => kind),
        ["prompt", "answer", "answer"]
      )
      assert.strictEqual(above[1]?.messages[1], above[0]?.messages[1])
      checkPrefixes(seen.events)
    }).pipe(Effect.provide(layer))
  })
})
