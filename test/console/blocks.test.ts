/** A Markdown text in blocks: joined they are the text, and a growing text is cut as a whole one is (R246). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Blocks, definitions, split } from "../../src/console/text/blocks.ts"

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

  it("share the definitions of their links", () => {
    assert.strictEqual(
      definitions("[a]\n\n[a]: https://a.example/\n  [b]: <x>\nno [c]: here"),
      "[a]: https://a.example/\n  [b]: <x>"
    )
    assert.strictEqual(definitions("nothing"), "")
  })
})
