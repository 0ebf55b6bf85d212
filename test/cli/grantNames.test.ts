/** How a person names a grant: ids begin with the time, and only their ends differ within an afternoon. */
import { assert, describe, it } from "@effect/vitest"
import { namedGrants } from "../../src/cli/GrantWords.ts"
import type { GrantId } from "../../src/domain/Ids.ts"

const all = ["grant_01a22ef6-cdc1-7000-8001-da3f670ad29a", "grant_01a22ffe-0b1c-7000-8000-04c887eb913c"].map((id) => ({
  grant_id: id as GrantId
}))

describe("the name of a grant", () => {
  it("is its last six characters; the first are those of every grant of an afternoon", () => {
    assert.deepStrictEqual(namedGrants("0ad29a", all), all.slice(0, 1))
    assert.deepStrictEqual(namedGrants("eb913c", all), all.slice(1))
    assert.deepStrictEqual(namedGrants("grant_01a22f", all), all.slice(1))
    assert.deepStrictEqual(namedGrants("01a22", all), [])
    const early = all.map(({ grant_id }) => ({ grant_id: grant_id.replace("01a22ffe", "01a22ef9") as GrantId }))
    assert.deepStrictEqual(namedGrants("01a22e", early), early)
  })
})
