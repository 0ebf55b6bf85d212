/** What is kept of a conversation, read from whatever a model wrote, and never longer than its room (LESSONS 14). */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { bounded, merge, none, parse, render, type Summary } from "../../src/context/Summary.ts"

const word = fc
  .stringMatching(/^[a-z\u4e00-\u9fa5][a-z0-9 ./_\u4e00-\u9fa5-]{0,60}[a-z0-9]$/)
  .map((text) => text.replace(/\s+/g, " "))
const list = fc.uniqueArray(word, { maxLength: 8 })
const summaries: fc.Arbitrary<Summary> = fc.record({
  goal: word,
  rules: list,
  decisions: list,
  open_items: list,
  files: list,
  notes: list
})

const wanted: Summary = {
  ...none,
  goal: "ship it",
  rules: ["never touch vendor/"],
  open_items: ["write the test"],
  files: ["src/a.ts: made"]
}
const json = JSON.stringify({
  goal: "ship it",
  rules: ["never touch vendor/"],
  open_items: ["write the test"],
  files: ["src/a.ts: made"]
})

describe("a summary", () => {
  it("is read from what models make of the form that they were asked for", () => {
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["plain", json],
      ["fenced", `Here it is:\n\`\`\`json\n${json}\n\`\`\`\nDone.`],
      ["thought about", `<think>{"goal": "no"}</think>${json}`],
      [
        "other names and shapes",
        `{"Goal": ["ship it"], "constraints": "- never touch vendor/", "TODO": [["write the test"]], "file state": {"src/a.ts": "made"}, "extra": 1}`
      ],
      [
        "headings",
        "# Goal\nship it\n\n**Rules:**\n* never touch vendor/\n\n## Open items\n1. write the test\n\n### Files\n- src/a.ts: made"
      ]
    ]
    for (const [name, text] of rows) assert.deepStrictEqual(parse(text), wanted, name)
  })

  it("is none where nothing can be told apart", () => {
    for (const text of ["", "summary", "{}", "{not json", '{"a":1}', "I cannot do that.", "[1,2]"])
      assert.strictEqual(parse(text), undefined, text)
  })

  it("is looked for in a time that grows with the text alone, whatever a model repeats", () => {
    const many = 200_000
    const hostile = [
      `#${" ".repeat(many)}#`,
      `**${"\t".repeat(many)}*`,
      "<think>".repeat(many),
      "# Goal\n".repeat(many)
    ]
    for (const text of hostile) assert.strictEqual(parse(text), undefined)
    assert.deepStrictEqual(parse(`${"<think>".repeat(many)}</think>${json}`), wanted)
    assert.strictEqual(parse(`# Rules\n${"- a\n".repeat(many)}`)?.rules.length, 1)
  })

  it("reads back as itself", () => {
    fc.assert(
      fc.property(summaries, (summary) => assert.deepStrictEqual(parse(render(summary)), summary)),
      {
        numRuns: 200
      }
    )
  })

  it("keeps rules and goal of those before it, and takes the newer list of what is open", () => {
    const next: Summary = {
      ...none,
      rules: ["be brief"],
      open_items: ["release"],
      files: ["src/a.ts: tested", "b.ts: new"]
    }
    assert.deepStrictEqual(merge(wanted, next, { files: ["c.ts (edit_file)"] }), {
      ...wanted,
      rules: ["never touch vendor/", "be brief"],
      open_items: ["release"],
      files: ["src/a.ts: tested", "c.ts (edit_file)", "b.ts: new"]
    })
    assert.deepStrictEqual(merge(wanted, none, { files: [] }), wanted)
  })

  it("fits its room, whatever it holds", () => {
    const long = fc.record({
      goal: fc.string({ maxLength: 5_000 }),
      rules: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 60 }),
      decisions: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 60 }),
      open_items: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 60 }),
      files: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 60 }),
      notes: fc.array(fc.string({ maxLength: 9_000 }), { maxLength: 3 })
    })
    fc.assert(
      fc.property(long, fc.integer({ min: 600, max: 10_000 }), (summary, chars) => {
        assert.isAtMost(render(bounded(summary, chars)).length, chars + 400)
      }),
      { numRuns: 100 }
    )
  })
})
