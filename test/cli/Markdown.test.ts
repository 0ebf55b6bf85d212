/** Markdown on a terminal stays readable while it streams (R090, R106, LESSONS 29, 49). */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { loadMarkdown, openFence, renderMarkdown, stablePrefix } from "../../src/cli/Markdown.ts"
import { width } from "../../src/cli/Width.ts"

beforeAll(loadMarkdown)

const plain = (text: string, columns = 40) => renderMarkdown(text, { columns, color: false })

describe("rendering Markdown", () => {
  it("sets headings, paragraphs, emphasis, code and links", () => {
    assert.deepStrictEqual(plain("## Title\nSome **bold** `code`\n*soft* &amp; ~~old~~  \nhard\n\n---"), [
      "## Title",
      "",
      "Some bold `code` soft & old",
      "hard",
      "",
      "─".repeat(40)
    ])
    assert.deepStrictEqual(plain("[docs](https://a.example/x?y) <https://b.example> [f](src/a.ts)", 80), [
      "docs (a.example) https://b.example f (src/a.ts)"
    ])
    assert.deepStrictEqual(renderMarkdown("**b** `c`", { columns: 40, color: true }), [
      "\x1b[1mb\x1b[22m \x1b[36mc\x1b[39m"
    ])
  })

  it("nests lists and quotes behind their marks", () => {
    assert.deepStrictEqual(plain("9. one two three\n10. b\n    - c\n      > q\n\n- [x] done\n- [ ] open", 14), [
      " 9. one two",
      "    three",
      "10. b",
      "    • c",
      "      │ q",
      "",
      "• ☑ done",
      "• ☐ open"
    ])
    assert.deepStrictEqual(plain("> 你好世界再见\n> - x", 10), ["│ 你好世界", "│ 再见", "│", "│ • x"])
  })

  it("keeps code as it is written, unfinished too, and breaks it only at the edge", () => {
    assert.deepStrictEqual(plain("a\n```js\nif (x) {\n\tgo()  // *no*\n", 40), [
      "a",
      "",
      "  if (x) {",
      "      go()  // *no*"
    ])
    assert.deepStrictEqual(plain("```\n0123456789abcdef\n```", 12), ["  0123456789", "  abcdef"])
  })

  it("aligns tables by columns, and lists them where they do not fit", () => {
    const table = "|名|n|\n|-|-:|\n|你好|1|\n|a|**22**|"
    assert.deepStrictEqual(plain(table), ["名      n", "─────────", "你好    1", "a      22"])
    assert.deepStrictEqual(plain(table, 8), ["名: 你好", "n: 1", "", "名: a", "n: 22"])
  })

  it("shows controls inside Markdown, wherever they hide (LESSONS 29)", () => {
    const lines = plain("# \x1b[2J\n`\x9b1A` [\u202ex](http://\x1b]0;t\x07)\n```\n\x07\n```", 80)
    assert.deepStrictEqual(lines, ["# \\x1b[2J", "", "`\\x9b1A` \\u{202e}x (http://\\x1b]0;t\\x07)", "", "  \\x07"])
  })

  it("gives up on the grammar, not on the text, where nesting is absurd", () => {
    const deep = ">".repeat(3_000) + " x"
    assert.include(plain(deep, 80).join(""), "x")
  })
})

const piece = fc.constantFrom(
  "# H\n",
  "para\n",
  "word ",
  "**b** ",
  "\n\n",
  "\n",
  "- ",
  "  - ",
  "1. ",
  "2) ",
  "> ",
  "```js\n",
  "```\n",
  "~~~\n",
  "`x` ",
  "---\n",
  "=",
  "|a|b|\n|-|-|\n",
  "|1|2|\n",
  "<div>\n",
  "你好，",
  "    ",
  "[l](http://x.y) ",
  "#",
  "-",
  "*",
  "1",
  "\t",
  "\r\n"
)
const source = fc.array(piece, { maxLength: 25 }).map((parts) => parts.join(""))

describe("Markdown in the making", () => {
  it("never draws a finished block differently because of what follows", () => {
    fc.assert(
      fc.property(source, fc.nat(100), (text, at) => {
        const seen = text.slice(0, at)
        const stable = stablePrefix(seen)
        const lines = plain(seen.slice(0, stable))
        const all = plain(text)
        if (lines.length > 0) assert.deepStrictEqual(all.slice(0, lines.length), lines)
        if (stable > 0) {
          const rest = plain(text.slice(stable))
          assert.deepStrictEqual(
            all.filter((line) => line !== ""),
            [...lines, ...rest].filter((line) => line !== "")
          )
        }
      }),
      { numRuns: 5_000 }
    )
  })

  it("finishes a block as soon as the next one is known", () => {
    assert.strictEqual(stablePrefix("one\n\nt"), 5)
    assert.strictEqual(stablePrefix("one\n\n"), 0)
    assert.strictEqual(stablePrefix("- a\n\n-"), 0)
    assert.strictEqual(stablePrefix("1. a\n\n2"), 0)
    assert.strictEqual(stablePrefix("# T\ntext\n"), 4)
    assert.strictEqual(stablePrefix("```\na\n\nb\n"), 0)
    assert.strictEqual(stablePrefix("para\n```js\nx"), 5)
    assert.strictEqual(stablePrefix("para\n- a\n"), 0)
    assert.strictEqual(stablePrefix("para\n1. \n--"), 0)
  })

  it("knows the code block that a text ends in", () => {
    assert.deepStrictEqual(["a\n\n```js\nx\n", "```js\nx\n```\n", "```", "~~~~\n```\n", "x"].map(openFence), [
      "```js\n",
      undefined,
      undefined,
      "~~~~\n",
      undefined
    ])
  })

  it("stays inside the columns, however narrow", () => {
    fc.assert(
      fc.property(source, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        for (const line of renderMarkdown(text, { columns, color: true })) assert.isAtMost(width(line), columns)
      }),
      { examples: [["12) ", 2]] }
    )
  })
})
