/**
 * The bash corpora: nothing wrongly allowed, nothing ordinary refused (SECURITY §2, P1–P12, LESSONS 27, 28).
 * Requirements: R152, R154, R159, R160, R167. No entry is excepted.
 */
import { assert, describe, it } from "@effect/vitest"
import { judgeEntry, passes, type BashEntry } from "../support/approvalCorpus.ts"
import given from "./corpus/bash.json" with { type: "json" }
import hostile from "./corpus/hostile.json" with { type: "json" }
import more from "./corpus/more.json" with { type: "json" }
import spellings from "./corpus/spellings.json" with { type: "json" }
import variants from "./corpus/variants.json" with { type: "json" }

describe.each([
  ["given", given as ReadonlyArray<BashEntry>],
  ["our own", more as ReadonlyArray<BashEntry>],
  ["a hostile reader's", hostile as ReadonlyArray<BashEntry>],
  ["variants of these kinds", variants as ReadonlyArray<BashEntry>],
  ["spellings that bash reads otherwise", spellings as ReadonlyArray<BashEntry>]
])("bash corpus, %s", (_, corpus) => {
  it.each(corpus)("$id $why", (entry) => {
    const { action, reason } = judgeEntry(entry)
    assert.isTrue(passes(entry, action), `expected ${entry.expect}, was ${action}: ${reason}`)
  })
})
