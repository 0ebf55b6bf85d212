/** A task over a faulty model is interrupted wherever it is (R124, R315, LESSONS 33): one path, one end, nothing left. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { breaksOff, type FaultOptions, quick, run } from "../support/faultKit.ts"
import { calls, refusal } from "../support/fakeModelScript.ts"

describe("an interrupt at any of ten things that are told", () => {
  const whole = calls([{ id: "c1", name: "probe", arguments: '{"n":1}' }], "Half")
  const cell = { phase: "text", streaming: true } as const
  it.live.each<[string, FaultOptions["turns"], FaultOptions["config"]?]>([
    ["a reset after text", [breaksOff({ gap_ms: 30 }, "reset")({ phase: "text", streaming: true }), whole]],
    ["silence after a call", [breaksOff("hang")({ phase: "call", streaming: true })], quick(cell)],
    ["a wait that the server asked for", [refusal(429, { message: "x" }, { "retry-after-ms": "60" }), whole]],
    ["calls that are run", [whole, whole]]
  ])(
    "%s: one end, every call with its result, and the next prompt works (R124, R315, LESSONS 33)",
    ([, turns, config = {}]) =>
      Effect.gen(function* () {
        const points = Array.from({ length: 10 }, (_, i) => i + 1)
        const ran = yield* Effect.forEach(points, (interruptAt) => run({ cell, turns, interruptAt, config }), {
          concurrency: "unbounded"
        })
        for (const { broken, effects, log, next } of ran) {
          const ends = log.filter(({ type }) => /^task_(?:completed|failed|canceled)$/.test(type))
          const paired = effects.filter((effect) => effect === "+1").length === effects.length / 2
          assert.deepStrictEqual([broken, ends.length, log.at(-1), paired, next], [[], 1, ends[0], true, "completed"])
        }
        assert.isTrue(ran.some(({ line }) => line.endsWith("canceled")))
      })
  )
})
