/** The bash corpus: nothing wrongly allowed, nothing ordinary refused (SECURITY §2, P1–P12, R154, R159, R167). */
import { assert, describe, it } from "@effect/vitest"
import { judgeEntry, passes, type BashEntry } from "../support/approvalCorpus.ts"
import corpus from "./corpus/bash.json" with { type: "json" }

describe("bash corpus", () => {
  it.each(corpus as ReadonlyArray<BashEntry>)("$id $why", (entry) => {
    const { action, reason } = judgeEntry(entry)
    assert.isTrue(passes(entry, action), `expected ${entry.expect}, was ${action}: ${reason}`)
  })
})
