/** The line being typed: grapheme by grapheme, and what is submitted is what was typed (case H15). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { continued, type Editor, empty, insert, layout, press, textOf, withText } from "../../src/cli/lineEditor.ts"
import { clusters, width } from "../../src/cli/Width.ts"

const key = (name: string, text = "") => ({ name, text })
const after = (editor: Editor, names: ReadonlyArray<string>, history: ReadonlyArray<string> = []): Editor =>
  names.reduce((state, name) => press(state, key(name), history) ?? state, editor)
/** Typed one code point at a time, as a keyboard sends them. */
const typed = (text: string): Editor => Array.from(text).reduce((editor, point) => insert(editor, point), empty)
const column = (editor: Editor): number => layout(editor, "", 80).column

const PROMPT = "claw> "
const text = fc.string({ unit: "grapheme", maxLength: 30 })
const moves = fc.array(
  fc.constantFrom("left", "right", "home", "end", "alt+left", "alt+right", "up", "down", "ctrl+a", "ctrl+e"),
  { maxLength: 12 }
)

describe("type, then backspace (H15)", () => {
  it("deletes what a person sees as one character", () => {
    const rows: ReadonlyArray<readonly [typed: string, left: string]> = [
      ["x👨‍👩‍👧", "x"],
      ["xe\u0301", "x"],
      ["ab한", "ab"],
      ["a🇯🇵", "a"],
      ["a👍🏽", "a"]
    ]
    for (const [before, left] of rows) assert.strictEqual(textOf(after(typed(before), ["backspace"])), left)
  })

  it("puts the caret at the column of the screen, for the input method (LESSONS 49)", () => {
    assert.strictEqual(column(typed("你好a")), 5)
    assert.strictEqual(column(after(typed("你好a"), ["left", "left"])), 2)
  })

  it("submits exactly the code points typed, wherever the caret went", () => {
    fc.assert(fc.property(text, moves, (value, names) => assert.strictEqual(textOf(after(typed(value), names)), value)))
  })

  it("inserts at the caret and undoes by backspace, cluster by cluster", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z你好 ]{0,12}$/u),
        fc.stringMatching(/^[a-z你好]{1,6}$/u),
        moves,
        (value, more, names) => {
          const at = after(withText(empty, value), names)
          const back = after(
            insert(at, more),
            clusters(more).map(() => "backspace")
          )
          assert.deepStrictEqual([back.before, back.after], [at.before, at.after])
        }
      )
    )
  })
})

describe("keys", () => {
  const cases: ReadonlyArray<readonly [from: string, keys: ReadonlyArray<string>, to: string]> = [
    ["one two", ["ctrl+w"], "one "],
    ["one two", ["ctrl+w", "ctrl+y", "ctrl+y"], "one twotwo"],
    ["one two", ["home", "ctrl+k", "ctrl+y"], "one two"],
    ["one two", ["alt+left", "ctrl+u"], "two"],
    ["one two", ["ctrl+a", "alt+d"], " two"],
    ["one two", ["home", "delete", "ctrl+d"], "e two"],
    ["a\nbc", ["up", "ctrl+k"], "a\nbc"],
    ["ab\ncd", ["up", "backspace"], "a\ncd"],
    ["ab\ncd", ["home", "backspace"], "abcd"],
    ["a", ["alt+enter"], "a\n"]
  ]
  it("edit as in a shell", () => {
    for (const [from, keys, to] of cases)
      assert.strictEqual(textOf(after(withText(empty, from), keys)), to, keys.join(" "))
  })

  it("that type nothing change nothing", () => {
    for (const name of ["f5", "ctrl+z", "constructor", "__proto__"])
      assert.isUndefined(press(typed("a"), key(name), []))
  })

  it("walk the history and come back to the draft", () => {
    const history = ["first", "second\nline"]
    const draft = typed("draft")
    const walked = ["up", "up", "up", "up", "down", "down", "down", "down"]
    const seen = walked.map((_, i) => textOf(after(draft, walked.slice(0, i + 1), history)))
    assert.deepStrictEqual(seen.slice(0, 3), ["second\nline", "second\nline", "first"])
    assert.strictEqual(seen.at(-1), "draft")
  })

  it("a backslash before Enter asks for another line, anywhere else it does not", () => {
    assert.strictEqual(textOf(continued(typed("a\\")) ?? empty), "a\n")
    assert.isUndefined(continued(after(typed("a\\b"), ["left"])))
    assert.isUndefined(continued(typed("a")))
  })
})

describe("layout", () => {
  it("shows pasted controls and invisible characters instead of sending them to the terminal (LESSONS 29)", () => {
    const { lines } = layout(insert(empty, "a\x1b[2J\u202eb\tc"), PROMPT, 80)
    assert.deepStrictEqual(lines, ["claw> a\\x1b[2J\\u{202e}b    c"])
  })

  it("holds the whole text in lines inside the columns, and the caret where it stands in the text", () => {
    fc.assert(
      fc.property(text, moves, fc.integer({ min: 12, max: 60 }), (value, names, columns) => {
        const editor = after(typed(value.replaceAll("\t", " ")), names)
        const { lines, row, column: at } = layout(editor, PROMPT, columns)
        for (const line of lines) assert.isAtMost(width(line), columns)
        assert.isBelow(at, columns)
        assert.isBelow(row, lines.length)
        const body = lines.map((line) => line.slice(PROMPT.length)).join("")
        assert.strictEqual(body, textOf(editor).replaceAll("\n", ""))
      })
    )
  })
})
