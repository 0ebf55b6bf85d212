/** The table of requirements is whole, and ids are found in tests however they are written. */
import { assert, describe, it } from "@effect/vitest"
import { type Requirement, idsIn, readTable, report } from "../../scripts/requirements.ts"

describe("the table", () => {
  it("has every id once, in order, each with an area, a title and an issue", () => {
    const table = readTable()
    assert.deepStrictEqual(
      table.map(({ id }) => id),
      Array.from({ length: 332 }, (_, i) => `R${String(i + 1).padStart(3, "0")}`)
    )
    for (const row of table) {
      assert.match(row.due, /^(\d+|later)$/, row.id)
      assert.isAbove(row.title.length * row.area.length, 0, row.id)
    }
  })
})

// The ids below are put together here, so that this file itself names none of them.
const id = (digits: string) => `R${digits}`

describe("ids in a test", () => {
  it.each([
    ["one", `// ${id("073")}, LESSONS 1`, ["073"]],
    ["a title", `it("orders results (${id("073")}, ${id("322")})")`, ["073", "322"]],
    ["a range with a dash", `${id("001")}-${id("003")}`, ["001", "002", "003"]],
    ["a range with an en dash, the second without its letter", `${id("107")} – 109`, ["107", "108", "109"]],
    ["no id", `${id("1234")} XR001 r001 ${id("12")}`, []]
  ])("%s", (_, text, expected) => {
    assert.deepStrictEqual([...idsIn(text)], expected.map(id))
  })
})

describe("the report", () => {
  const row = (digits: string, due: string): Requirement => ({ id: id(digits), due, area: "a", title: "t" })
  const table = [row("001", "2"), row("002", "2"), row("003", "later"), row("004", "later")]

  it("tells what is proved, what is missing, what comes later, and what does not exist", () => {
    const { proved, missing, later, unknown } = report(table, new Set(["001", "004", "999"].map(id)))
    assert.deepStrictEqual(
      [proved, missing, later].map((rows) => rows.map((r) => r.id)),
      [[id("001")], [id("002")], [id("003")]]
    )
    assert.deepStrictEqual(unknown, [id("999")])
  })
})
