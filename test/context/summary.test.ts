/** What is kept of a conversation, read from whatever a model wrote, and never longer than its room (LESSONS 14). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import fc from "fast-check"
import { summarise, Summarizer, SummaryFailed } from "../../src/context/Compactor.ts"
import { bounded, merge, none, parse, render, type Summary } from "../../src/context/Summary.ts"
import { factsOf, stateOf } from "../support/longStory.ts"

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

describe("a digest, where no model wrote a summary", () => {
  const told = [
    {
      prompt:
        "Build the importer. Never touch file secret.txt. Let's use sqlite v3.4 for it!\nDon't ask e.g. about v1.2.",
      turns: [{ text: "We decided to keep ids as text. It went well.", results: ["fine"] }]
    },
    { prompt: "不要改动 a.b.txt。采用 UTF-8。", turns: [{ text: "Done.", results: ["fine"] }] }
  ]
  const failed = (answer: Effect.Effect<string, SummaryFailed>) =>
    Effect.provideService(
      summarise({ items: stateOf(factsOf(told)).history, focus: "the goal", most: 4_000, room: 9_000 }),
      Summarizer,
      Summarizer.of({ summarize: () => answer })
    ).pipe(Effect.provide(Logger.layer([])))

  it.effect("says why, and keeps whole rules, what was settled, the focus, and what the model did say", () =>
    Effect.gen(function* () {
      const short = "The importer reads CSV and is half done."
      const rows = [
        [Effect.fail(new SummaryFailed({ detail: "It is down." })), "It is down."],
        [Effect.succeed(short), "What the model wrote is no summary."]
      ] as const
      for (const [answer, why] of rows) {
        const made = yield* failed(answer)
        const found = parse(made.summary)
        assert.strictEqual(made.why, why)
        assert.deepStrictEqual(found?.rules, [
          "Never touch file secret.txt.",
          "Don't ask e.g. about v1.2.",
          "不要改动 a.b.txt。"
        ])
        assert.deepStrictEqual(found?.decisions, [
          "Let's use sqlite v3.4 for it!",
          "We decided to keep ids as text.",
          "采用 UTF-8。"
        ])
        const wrote = why === "It is down." ? [] : [`A model summed it up as: ${short}`]
        assert.deepStrictEqual(found?.notes.slice(-2 - wrote.length), [
          ...wrote,
          "The person asked to keep above all: the goal",
          "No model wrote this: claw put it together. Look again where something is missing."
        ])
      }
    })
  )
})
