/** What a killed claw had left is told as claw's own: a list of paths alone reads as a loss. */
import { assert, it } from "@effect/vitest"
import { clearedLine } from "../../src/app/remains.ts"

it("what claw took away is told as its own, and the person's as untouched", () => {
  assert.isUndefined(clearedLine({ held: [], standIns: [] }, "en"))
  assert.strictEqual(
    clearedLine({ held: ["/w/.git"], standIns: ["/w/.claw", "/w/.clawrc"] }, "en"),
    "claw: a claw that was killed here had left empty places of its own (/w/.claw, /w/.clawrc) and lock files of its own in /w/.git. They are gone; nothing of yours was touched."
  )
  assert.include(clearedLine({ held: [], standIns: Array.from({ length: 9 }, String) }, "zh-CN"), "另有 3 处")
})
