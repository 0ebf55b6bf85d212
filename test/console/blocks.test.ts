/** A Markdown text in blocks: joined they are the text, and a growing text is cut as a whole one is (R246). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Blocks, type Chunk, chunks, definitions, split } from "../../src/console/text/blocks.ts"

const line = fc.constantFrom(
  "",
  "",
  "text",
  "# head",
  "- item",
  "  deeper",
  "1. one",
  "```ts",
  "```",
  "~~~~",
  "| a | b |",
  "> said",
  "    code"
)
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"))
const texts = ({ blocks }: Blocks) => blocks.map((block) => block.text)

describe("blocks", () => {
  it("are the text, each from where it begins", () => {
    fc.assert(
      fc.property(text, (source) => {
        const { blocks } = split(source)
        assert.strictEqual(blocks.map((block) => block.text).join(""), source)
        for (const block of blocks) assert.isTrue(source.startsWith(block.text, block.at))
      }),
      { numRuns: 500 }
    )
  })

  it("of a growing text are those of the whole one, and the first ones stay the same objects", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (source, step) => {
        let grown = split("")
        for (let end = step; end < source.length + step; end += step) {
          const next = split(source.slice(0, end), grown)
          for (const [i, block] of grown.blocks.slice(0, -2).entries()) assert.strictEqual(next.blocks[i], block)
          grown = next
        }
        assert.deepStrictEqual(texts(grown), texts(split(source)))
      }),
      { numRuns: 500 }
    )
  })

  it("keep together what belongs together", () => {
    const table: ReadonlyArray<readonly [source: string, count: number]> = [
      ["one\n\ntwo\n\n\nthree", 3],
      ["```\na\n\nb\n```\nafter", 2],
      ["- a\n\n- b\n\n  of b\n\nafter", 2],
      ["- a\n  ```\n  code\n\n  code\n  ```\n- b", 1],
      ["text\n```js\nx", 2],
      ["~~~\n```\n~~~", 1]
    ]
    for (const [source, count] of table) assert.strictEqual(split(source).blocks.length, count, source)
  })

  const lines = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join("")
  const long: ReadonlyArray<readonly [name: string, source: string, plain: boolean]> = [
    ["a paragraph of many lines", lines(20_000, (i) => `line ${i} of many\n`), true],
    ["one line", "x".repeat(60_000), true],
    ["characters of two units", `a${"\u{1F600}".repeat(30_000)}`, true],
    ["code", `\`\`\`ts\n${lines(5_000, (i) => `const a${i} = 1\n`)}\`\`\`\nafter\n`, true],
    ["a table", `| a |\n| - |\n${lines(2_000, (i) => `| ${i} |\n`)}`, true],
    ["an item with many lines", `- a\n${lines(3_000, (i) => `  of it ${i}\n`)}`, true],
    ["quotes in quotes", `${">".repeat(900)} said`, true],
    ["a list", lines(3_000, (i) => `${i + 1}. item\n   - of it\n`), false],
    ["paragraphs", lines(1_250, (i) => `**p${i}** ${"word ".repeat(170)}\n\n`), false],
    ["code within its bound", `\`\`\`\n${lines(400, () => "code\n")}\`\`\`\n`, false]
  ]

  it("are bounded: what is longer comes in plain pieces, and joined they are the text still (R246)", () => {
    for (const [name, source, plain] of long) {
      const { blocks } = split(source)
      assert.strictEqual(blocks.map((block) => block.text).join(""), source, name)
      assert.strictEqual(
        blocks.some((block) => block.plain),
        plain,
        name
      )
      for (const block of blocks) {
        assert.isAtMost(block.text.length, block.text.startsWith("```") ? 20_000 : 8_000, name)
        assert.isTrue(block.text.isWellFormed(), name)
      }
    }
    assert.deepInclude(split("a\n".repeat(300) + "\n**b**").blocks.at(-1), { text: "**b**", plain: false })
  })

  it("of a growing long text are those of the whole one, and what stands is neither made nor chunked again (R246)", () => {
    for (const [name, source] of long) {
      let [grown, made]: [Blocks, ReadonlyArray<Chunk>] = [split(""), []]
      for (let end = 1_997; end < source.length + 1_997; end += 1_997) {
        const next = split(source.slice(0, end), grown)
        const now = chunks(next, made)
        assert.isTrue(
          grown.blocks.slice(0, -3).every((block, i) => next.blocks[i] === block),
          name
        )
        assert.isTrue(
          made.slice(0, -3).every((chunk, i) => now[i] === chunk),
          name
        )
        // No step of the growth looks at more than what is new and one step of what was there.
        assert.isAtMost(source.slice(0, end).length - next.splitter.at, 4_000, name)
        ;[grown, made] = [next, now]
      }
      assert.deepStrictEqual(grown.blocks, split(source).blocks, name)
    }
  })

  it("are drawn in chunks of a bounded size", () => {
    for (const [name, source] of long) {
      const found = split(source)
      const made = chunks(found)
      assert.deepStrictEqual(
        made.flatMap((chunk) => chunk.blocks),
        found.blocks,
        name
      )
      for (const { blocks } of made) {
        assert.isAtMost(blocks.length, 40, name)
        if (blocks.length > 1) assert.isAtMost(blocks.map((block) => block.text).join("").length, 8_000, name)
      }
    }
  })

  it("what is made of marks is shown as it is, however short it is; code and ordinary text are not taken for it", () => {
    const plain = (text: string) => split(text).blocks.map((block) => block.plain)
    const bombs = [
      "*_".repeat(3_900),
      "*a_ ".repeat(1_900),
      "[".repeat(7_000),
      "[a](b".repeat(1_500),
      "<a ".repeat(2_600)
    ]
    for (const bomb of bombs) assert.deepStrictEqual(plain(`${bomb}\n\nafter **it**`), [true, false], bomb.slice(0, 5))
    const links = Array.from({ length: 150 }, (_, i) => `- [name_${i}](https://e.example/a_b) **b**`).join("\n")
    assert.notInclude(plain(links), true)
    assert.deepStrictEqual(plain("```\n" + "a[b_c[d]] *= ".repeat(500) + "\n```"), [false])
  })

  it("share the definitions of their links", () => {
    assert.strictEqual(
      definitions("[a]\n\n[a]: https://a.example/\n  [b]: <x>\nno [c]: here"),
      "[a]: https://a.example/\n  [b]: <x>"
    )
    assert.strictEqual(definitions("nothing"), "")
  })
})
