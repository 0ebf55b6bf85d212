/** What the bench says of its measurements: ratios of one round, medians of rounds, must and goal. */
import { assert, describe, it } from "@effect/vitest"
import type { Plan } from "../../scripts/bench/plan.ts"
import { brokenGates, type Result, summarise } from "../../scripts/bench/summary.ts"

const plan: Plan = {
  job: "speed",
  about: "a job",
  file: "none",
  contenders: ["raw", "claw", "claw-sqlite"],
  params: {},
  quick: {},
  metrics: [
    { key: "rate", label: "rate", more: true, ratio: { must: 0.5, goal: 0.8 }, sqlite: { must: 0.2, goal: 0.2 } },
    { key: "left", label: "left", absolute: { must: 0, goal: 0 }, gate: true }
  ]
}

const result = (round: number, contender: Result["contender"], rate: number, left: number): Result => ({
  job: "speed",
  round,
  contender,
  seconds: 1,
  numbers: { rate, left }
})

// A machine that is twice as slow in round 2 changes no ratio.
const results = [
  result(1, "raw", 100, 0),
  result(1, "claw", 60, 0),
  result(1, "claw-sqlite", 10, 1),
  result(2, "raw", 50, 0),
  result(2, "claw", 30, 0),
  result(2, "claw-sqlite", 5, 1)
]

describe("the bench's summary", () => {
  it("compares with raw of the same round and judges by must and goal", () => {
    const lines = summarise([plan], plan.contenders, results)
    assert.deepStrictEqual(
      lines.map(({ metric, contender, median, ratio, verdict }) => [metric, contender, median, ratio, verdict]),
      [
        ["rate", "raw", 75, undefined, undefined],
        ["rate", "claw", 45, 0.6, "must"],
        ["rate", "claw-sqlite", 7.5, 0.1, "missed"],
        ["left", "raw", 0, undefined, undefined],
        ["left", "claw", 0, undefined, "goal"],
        ["left", "claw-sqlite", 1, undefined, "missed"]
      ]
    )
  })

  it("fails a run for counts only, never for times", () => {
    const broken = brokenGates(summarise([plan], plan.contenders, results))
    assert.deepStrictEqual(
      broken.map(({ metric, contender }) => [metric, contender]),
      [["left", "claw-sqlite"]]
    )
  })
})
