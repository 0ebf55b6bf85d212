/** A model that goes in circles is told, then stopped; honest repetition is left alone (LESSONS 37, R313). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Engine } from "../../src/engine/Engine.ts"
import { reminderTexts } from "../../src/domain/FromClaw.ts"
import { judge } from "../../src/engine/loopGuard.ts"
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
      assert.deepStrictEqual(told, [reminderTexts.repeating])
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
      const told = seen.events.flatMap((event) => (event.type === "prompt_steered" ? [event.content] : []))
      assert.deepStrictEqual(told, [reminderTexts.failingAlike])
      assert.match(end.error?.message ?? "", /^The model makes the same calls again and again, and they fail .* probe/)
    })
  )

  it.effect("takes nothing but failures for a loop, whatever was called, and nothing else", () => {
    const { tool } = probe({
      run: ({ n = 0 }) =>
        n < 0
          ? Effect.fail(new ToolError({ code: "tool_failed", detail: `there is no file ${n}` }))
          : Effect.succeed({ content: `file ${n}` })
    })
    const step = (turn: number, ...of: ReadonlyArray<number>) =>
      answer(
        "",
        of.map((n, i) => call(`c${turn}_${i}`, "probe", { n }))
      )
    const rows: ReadonlyArray<readonly [Script, string, number, ReadonlyArray<string>]> = [
      [(_, turn) => step(turn, -1 - turn), "doom_loop", 16, [reminderTexts.failing]],
      [(_, turn) => step(turn, -1 - turn, -100 - turn), "doom_loop", 32, [reminderTexts.failing]],
      // Something succeeds now and then, or beside it, or all of it does.
      [
        (_, turn) => step(turn, turn % 15 === 14 ? turn : -1 - turn),
        "max_turns",
        40,
        [reminderTexts.failing, reminderTexts.failing, reminderTexts.failing]
      ],
      [(_, turn) => step(turn, -1 - turn, turn), "max_turns", 80, []],
      [(_, turn) => step(turn, turn), "max_turns", 40, []]
    ]
    return Effect.forEach(
      rows,
      Effect.fnUntraced(function* ([script, code, results, told]) {
        const { layer, seen } = kit({ tools: [tool], script, limits: { max_turns: 40 } })
        const end = yield* Effect.provide(
          Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })),
          layer
        )
        assert.strictEqual(end.error?.code, code)
        assert.strictEqual(seen.events.filter((event) => event.type === "tool_result").length, results)
        const steered = seen.events.flatMap((event) => (event.type === "prompt_steered" ? [event.content] : []))
        assert.deepStrictEqual(steered, told)
        const way =
          code === "max_turns"
            ? /40 turns\. The next prompt has as many again/
            : /The last 16 steps .* The last call: probe \{"n":-\d+\}\. Say/
        assert.match(end.error?.message ?? "", way)
      }),
      { discard: true }
    )
  })

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
