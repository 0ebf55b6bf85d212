/**
 * The bash corpora: nothing wrongly allowed, nothing ordinary refused (SECURITY §2, P1–P12, LESSONS 27, 28).
 * Requirements: R152, R154, R159, R160, R167. No entry is excepted.
 */
import { assert, describe, it } from "@effect/vitest"
import { bashCorpus, judgeEntry, passes } from "../support/approvalCorpus.ts"

describe.each([
  ["given", bashCorpus("bash")],
  ["our own", bashCorpus("more")],
  ["a hostile reader's", bashCorpus("hostile")],
  ["variants of these kinds", bashCorpus("variants")],
  ["spellings that bash reads otherwise", bashCorpus("spellings")]
])("bash corpus, %s", (_, corpus) => {
  it.each(corpus)("$id $why", (entry) => {
    const { action, reason } = judgeEntry(entry)
    assert.isTrue(passes(entry, action), `expected ${entry.expect}, was ${action}: ${reason}`)
  })
})
