/** Width by display columns (LESSONS 49). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import stringWidth from "string-width"
import { clusters, cut, fold, width, wrap } from "../../src/cli/Width.ts"

const widths: ReadonlyArray<readonly [string, number]> = [
  ["abc", 3],
  ["你好", 4],
  ["，", 2],
  ["한글", 4],
  ["ｱｲ", 2],
  ["e\u0301", 1],
  ["👍", 2],
  ["👍🏽", 2],
  ["👨‍👩‍👧", 2],
  ["🇯🇵", 2],
  ["a\u200bb", 2],
  ["\x1b[31mred\x1b[0m", 3],
  ["", 0]
]

const words = fc
  .array(fc.constantFrom("a", "word", " ", "  ", "你好", "，", "。", "한", "👍", "e\u0301"), { maxLength: 30 })
  .map((parts) => parts.join(""))
const columns = fc.integer({ min: 2, max: 20 })

describe("display width", () => {
  it("counts columns per grapheme cluster (H15)", () => {
    assert.deepStrictEqual(
      widths.map(([text]) => width(text)),
      widths.map(([, columns]) => columns)
    )
  })

  it("takes no shortcut that counts differently", () => {
    for (let code = 0; code < 0xd800; code++) {
      const text = String.fromCharCode(code)
      for (const one of [text, `${text}a`, `你${text}好`]) assert.strictEqual(width(one), stringWidth(one), one)
      const joined = [...new Intl.Segmenter().segment(`你${text}好`)].map(({ segment }) => segment)
      assert.deepStrictEqual(clusters(`你${text}好`), joined)
    }
  }, 120_000)

  it("cuts between clusters, never wider than asked (H15)", () => {
    assert.strictEqual(cut("日本語テキスト", 5, ""), "日本")
    assert.strictEqual(cut("日本語テキスト", 5), "日本…")
    assert.strictEqual(cut("a👍b", 2, ""), "a")
    assert.strictEqual(cut("fits", 4), "fits")
    assert.strictEqual(cut("你好", 0), "")
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, columns) => {
        assert.isAtMost(width(cut(text, columns)), columns)
      })
    )
  })

  it("wraps at spaces and between wide characters, and does not begin a line with a comma", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("你好世界，再见", 8), ["你好世", "界，再见"])
    assert.deepStrictEqual(wrap("a incomprehensible", 8), ["a", "incompre", "hensible"])
    assert.deepStrictEqual(wrap("用 git 提交代码", 8), ["用 git", "提交代码"])
    assert.deepStrictEqual(wrap("", 8), [""])
    assert.deepStrictEqual(wrap("a\n\n  b", 8), ["a", "", "  b"])
  })

  it("folds between words where asked, and keeps every space", () => {
    assert.deepStrictEqual(fold("exactly this call, and nothing", 12, true), ["exactly ", "this call, ", "and nothing"])
    assert.deepStrictEqual(fold("a  b incomprehensible", 8, true), ["a  b ", "incompre", "hensible"])
    assert.deepStrictEqual(fold("a  b incomprehensible", 8), ["a  b inc", "omprehen", "sible"])
  })

  it("wraps without losing a character or passing the edge", () => {
    fc.assert(
      fc.property(words, columns, (text, limit) => {
        const lines = wrap(text, limit)
        for (const line of lines) assert.isAtMost(width(line), limit)
        assert.strictEqual(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""))
        assert.strictEqual(fold(text, limit).join(""), text)
        for (const line of fold(text, limit)) assert.isAtMost(width(line), limit)
        assert.strictEqual(fold(text, limit, true).join(""), text)
        for (const line of fold(text, limit, true)) assert.isAtMost(width(line), limit)
        assert.strictEqual(clusters(text).join(""), text)
      })
    )
  })
})
