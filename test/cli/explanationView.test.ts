/** What a person reads of a verdict, in both languages: nothing hidden, nothing cut, no reason without words (R139, R162). */
import { assert, describe, it } from "@effect/vitest"
import { explanationLines } from "../../src/cli/ExplanationView.ts"
import { isKnownReason, reasonText } from "../../src/domain/ReasonTexts.ts"
import type { GrantOption } from "../../src/domain/Approval.ts"
import type { Explanation } from "../../src/domain/Explanation.ts"
import { assessBash, bashCorpus, makeWorkspace } from "../support/approvalCorpus.ts"

const explanation: Explanation = {
  action: "ask",
  rule: "change",
  reason: "runs git status",
  parts: [
    {
      words: ["git", "status"],
      state: "covered",
      by: "grant_1",
      matcher: { kind: "command", argv: ["git", "status"] },
      why: []
    },
    { words: ["tee", "a b"], state: "uncovered", why: [] },
    { words: ["ls"], state: "asks", why: ["writes x"] },
    { words: ["curl"], state: "denied", by: "no network", why: [] }
  ],
  line: ["has a loop"],
  more: 3,
  narrow: "expands a variable"
}

const options: ReadonlyArray<GrantOption> = [
  { id: "exact", label: "x", matcher: { kind: "exact", digest: "d" } },
  { id: "command", label: "x", matcher: { kind: "command", argv: ["tee"] } }
]

const lines = (one: Explanation, locale: "en" | "zh-CN", columns = 200) =>
  explanationLines(one, options, { columns, color: false, locale })

describe("explanationLines", () => {
  it("in English", () => {
    assert.deepStrictEqual(lines(explanation, "en"), [
      "Asks: runs git status",
      "decided by: change (what may change something in the workspace asks, unless a rule or a grant covers it)",
      "✓ 1. git status",
      "     covered by grant_1: plain commands that begin with git status, any words after",
      "? 2. tee 'a b'",
      "     covered by nothing: no rule and no grant names it",
      "? 3. ls",
      "     made it ask: writes x",
      "✗ 4. curl",
      "     the rule no network denies it",
      "… and 3 more commands",
      "The line as a whole: has a loop",
      "Could be granted for the session, in this workspace only:",
      "  1. exactly this call, and nothing else",
      "  2. plain commands that begin with tee, any words after",
      "Nothing wider: expands a variable."
    ])
  })

  it("in Chinese", () => {
    assert.deepStrictEqual(lines(explanation, "zh-CN").slice(0, 8), [
      "需要询问: 运行 git status",
      "决定者：change（可能更改工作区内容的操作需要询问，除非有规则或授权涵盖）",
      "✓ 1. git status",
      "     由 grant_1 涵盖: 以 git status 开头的普通命令，其后参数任意",
      "? 2. tee 'a b'",
      "     无涵盖：没有规则或授权提到它",
      "? 3. ls",
      "     询问原因: 写入 x"
    ])
  })

  it("breaks sentences between words, and commands at the edge alone", () => {
    const shown = lines(explanation, "en", 44)
    assert.deepStrictEqual(shown.slice(1, 4), [
      "decided by: change (what may change",
      "something in the workspace asks, unless a",
      "rule or a grant covers it)"
    ])
    const words = ["x".repeat(30), "y".repeat(30)]
    const [first] = lines({ ...explanation, parts: [{ words, state: "asks", why: [] }] }, "en", 44).slice(4)
    assert.strictEqual(first, `? 1. ${"x".repeat(30)} ${"y".repeat(8)}`)
  })

  it("shows what hides, and cuts nothing at any width", () => {
    const words = ["rm", "-rf", "~/\u202e gnp", "a\u001b[2K", "x".repeat(300)]
    for (const columns of [1, 20, 80]) {
      const shown = lines(
        { ...explanation, parts: [{ words, state: "asks", by: "r\u0007", why: ["writes \u200b"] }] },
        "en",
        columns
      )
      assert.notMatch(shown.join("\n"), /(?!\n)[\p{Cc}\p{Cf}]/u)
      assert.include(shown.join("").replaceAll(" ", ""), `'~/\\u{202e}gnp'`)
      assert.strictEqual(shown.join("").split("x").length - 1 >= 300, true)
    }
  })
})

describe("reasons", () => {
  it("of every command of the corpora have a Chinese sentence", () => {
    const workspace = makeWorkspace()
    try {
      const corpus = bashCorpus("bash", "hostile", "more", "spellings", "variants")
      const reasons = corpus.flatMap(({ command, repeat }) => {
        const plan = assessBash(repeat === undefined ? command : "true", workspace.path).command
        const own = plan?.commands.flatMap((one) => [
          ...one.notPlain,
          ...one.unsettled,
          ...(one.exactOnly === undefined ? [] : [one.exactOnly]),
          ...(one.destroys === undefined ? [] : [one.destroys])
        ])
        return [...(plan?.doubts ?? []), ...(own ?? []), ...(plan?.refused === undefined ? [] : [plan.refused])]
      })
      assert.isAbove(new Set(reasons).size, 100)
      assert.deepStrictEqual(
        [...new Set(reasons)].filter((reason) => !isKnownReason(reason)),
        []
      )
    } finally {
      workspace.remove()
    }
  })

  it("stay English where no row knows them", () => {
    assert.strictEqual(reasonText("does something new", "zh-CN"), "does something new")
  })
})
