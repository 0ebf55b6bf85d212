/** The framing under bytes that no client should send (`npm run fuzz`), for a moment and from a known seed (LESSONS 38, 39). */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OUTSIDE, outsideRun } from "../support/servedProgram.ts"

const FUZZ = fileURLToPath(new URL("../../scripts/fuzzFraming.ts", import.meta.url))

describe("npm run fuzz", OUTSIDE, () => {
  it.live("holds for a few seconds: nothing dies, hangs, leaks or starts", () =>
    Effect.gen(function* () {
      const ended = yield* outsideRun(process.execPath, [FUZZ, "--seconds", "5", "--seed", "20261129"])
      assert.deepStrictEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" })
      assert.match(ended.stdout, /^fuzz: seed 20261129, \d{2,} cases/m)
    })
  )
})
