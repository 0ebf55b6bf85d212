/** A model that goes in circles is told, then stopped; honest repetition is left alone (LESSONS 37, R313). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Engine } from "../../src/engine/Engine.ts"
import { judge, REMINDER } from "../../src/engine/loopGuard.ts"
import type { Script } from "../../src/provider/Provider.ts"
import { answer, call, kit } from "../support/engineKit.ts"
import { ToolError } from "../../src/tools/ToolError.ts"
import { probe } from "../support/tools.ts"

const run = (script: Script, results: (n: number) => string, fails = false) => {
  const { tool } = probe({
    run: ({ n }) =>
      fails
        ? Effect.fail(new ToolError({ code: "tool_failed", detail: results(n ?? 0), trouble: "no_match" }))
        : Effect.succeed({ content: results(n ?? 0) })
  })
  const made = kit({ tools: [tool], script, limits: { max_turns: 30 } })
  return Effect.map(
    Effect.provide(
      Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })),
      made.layer
    ),
    (end) => ({ end, seen: made.seen })
  )
}

const same = (_: unknown, turn: number) => answer("", [call(`c${turn}`, "probe", { n: 1 })])
const cycle = (_: unknown, turn: number) => answer("", [call(`c${turn}`, "probe", { n: turn % 2 })])

describe("the loop guard", () => {
  it.effect("reminds after three identical steps and stops after six", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run(same, () => "same")
      assert.strictEqual(end.error?.code, "doom_loop")
      assert.strictEqual(seen.events.filter((event) => event.type === "tool_result").length, 6)
      const told = seen.events.flatMap((event) => (event.type === "prompt_steered" ? [event.content] : []))
      assert.deepStrictEqual(told, [REMINDER])
    })
  )

  it.effect("sees A-B-A-B as well", () =>
    Effect.gen(function* () {
      const { end } = yield* run(cycle, (n) => `result ${n}`)
      assert.strictEqual(end.error?.code, "doom_loop")
    })
  )

  it.effect("sees failures as well, whose hints are the same each time", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* run(same, () => "there is no such text", true)
      assert.strictEqual(end.error?.code, "doom_loop")
      const read = seen.events.flatMap((event) => (event.type === "tool_result" ? [event.result] : []))
      assert.deepStrictEqual(new Set(read).size, 1)
      assert.match(read[0] ?? "", /^there is no such text\n\(Hint: read the file again .*\)$/)
    })
  )

  it.effect("leaves the same call with changing results alone", () => {
    let count = 0
    return Effect.gen(function* () {
      const { end } = yield* run(same, () => `result ${count++}`)
      assert.strictEqual(end.error?.code, "max_turns")
    })
  })

  it("counts cycles of up to three steps, and only at the end", () => {
    const steps = (text: string) => Array.from(text)
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["", "fine"],
      ["a", "fine"],
      ["aa", "fine"],
      ["aaa", "remind"],
      ["aaaa", "fine"],
      ["aaaaaa", "stop"],
      ["ababab", "remind"],
      ["abcabcabc", "remind"],
      ["abababababab", "stop"],
      ["aaab", "fine"],
      ["abcdabcdabcd", "fine"],
      // The same test after other edits, and a look that is repeated between different steps.
      ["TaTbTcTdTeTf", "fine"],
      ["LaaLbbLccLdd", "fine"],
      ["aaaaab", "fine"],
      ["abaabaaba", "remind"]
    ]
    assert.deepStrictEqual(
      rows.map(([text]) => [text, judge(steps(text))]),
      rows.map(([text, verdict]) => [text, verdict])
    )
  })
})
