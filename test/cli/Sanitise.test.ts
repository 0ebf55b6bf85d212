/** Foreign text never steers the terminal (LESSONS 29, R090). */
import { assert, describe, it } from "@effect/vitest"
import xterm from "@xterm/headless"
import * as fc from "fast-check"
import { makeSanitiser, reveal, revealLine, sanitise, sanitiseLine } from "../../src/cli/Sanitise.ts"

const chunked = (chunks: ReadonlyArray<string>): string => {
  const sanitiser = makeSanitiser()
  return chunks.map(sanitiser.push).join("") + sanitiser.flush()
}

const attacks: ReadonlyArray<readonly [name: string, text: string, shown: string]> = [
  ["erases its line", "git status\x1b[2K\x1b[1Gls", "git status\\x1b[2K\\x1b[1Gls"],
  ["rewrites the line above", "ok\x1b[1A\x1b[2KApproved by admin", "ok\\x1b[1A\\x1b[2KApproved by admin"],
  ["writes the clipboard", "\x1b]52;c;cm0gLXJmIH4=\x07", "\\x1b]52;c;cm0gLXJmIH4=\\x07"],
  ["sets the title", "\x1b]0;fake\x07", "\\x1b]0;fake\\x07"],
  ["makes the terminal answer", '\x1bP$q"p\x1b\\', '\\x1bP$q"p\\x1b\\'],
  ["is cut in the sequence", "safe text \x1b[", "safe text \\x1b["],
  ["uses C1 controls", "\x9b2J\x90q\x9c\x85", "\\x9b2J\\x90q\\x9c\\x85"],
  ["backspaces over itself", "rm -rf src\b\bls", "rm -rf src\\x08\\x08ls"],
  ["returns to the start of the line", "rm x\rls  ", "rm x\\x0dls  "],
  ["overrides the direction", "~/\u202e gnp.eciov", "~/\\u{202e} gnp.eciov"],
  ["isolates a direction", "a\u2066b\u2069\u200f", "a\\u{2066}b\\u{2069}\\u{200f}"],
  ["hides words", "ls \u200b\u200b;\u2060rm x", "ls \\u{200b}\\u{200b};\\u{2060}rm x"],
  ["hides above the BMP", "ls \u{e0100}\u{1d173}\u{e0041}", "ls \\u{e0100}\\u{1d173}\\u{e0041}"],
  ["joins nothing", "a\u200db \u{1f600}\u200d", "a\\u{200d}b \u{1f600}\\u{200d}"],
  ["selects nothing", "a\ufe0f1\ufe0f", "a\\u{fe0f}1\\u{fe0f}"],
  ["names itself backwards", "mcp__files__\u202eelif_daer", "mcp__files__\\u{202e}elif_daer"],
  ["holds half a character", "a\ud83d b\ude00", "a\\u{d83d} b\\u{de00}"],
  ["separates lines and deletes", "a\u2028b\x7fc\u00add\u3164", "a\\u{2028}b\\x7fc\\xadd\\u{3164}"]
]

const plain: ReadonlyArray<string> = [
  "echo 你好 éß e\u0301 한글 ｱｲ",
  "👍 👍🏽 👨‍👩‍👧 🇯🇵 ❤️ ❤️‍🔥 🏳️‍⚧️ 🧑🏽‍🚒 1️⃣ #️⃣ ☺︎",
  "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}x",
  "a\n\tb   c"
]

describe("sanitise", () => {
  for (const [name, text, shown] of attacks) {
    it(`shows text that ${name} (LESSONS 29)`, () => {
      assert.strictEqual(sanitise(text), shown)
      assert.strictEqual(chunked(text.split("")), shown)
    })
  }

  it("leaves what people write unchanged, whole and cut anywhere", () => {
    for (const text of plain) assert.deepStrictEqual([sanitise(text), chunked(text.split(""))], [text, text])
  })

  it("makes one kind of line break of two", () => {
    assert.deepStrictEqual(
      [sanitise("a\r\nb\r\r\n"), chunked(["a\r", "\nb\r", "\r\n"])],
      ["a\nb\\x0d\n", "a\nb\\x0d\n"]
    )
    assert.strictEqual(sanitiseLine("a\n\tb\r\n"), "a\\n\\tb\\n")
  })
})

const nasty = fc.constantFrom(
  "\x1b[",
  "\x1b]0;",
  "\x1bP",
  "\x9b",
  "\x07",
  "\x1bc",
  "\x1b[6n",
  "\x1b[c",
  "H",
  "2J",
  "\r",
  "\n",
  "\b",
  "\x7f",
  "\x0e",
  "\u200d",
  "\ufe0f",
  "\u{1f600}",
  "\u{1f3fd}",
  "❤",
  "\u{1f3f4}",
  "\u{e0067}\u{e0062}",
  "\u{e007f}",
  "\ud83d",
  "\ude00",
  "1",
  "\u20e3",
  "你",
  "\t"
)
const text = fc.array(fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 3 }), fc.string({ maxLength: 4 })), {
  maxLength: 30
})
const cuts = fc.array(fc.nat(60), { maxLength: 8 })
const split = (whole: string, at: ReadonlyArray<number>): ReadonlyArray<string> => {
  const points = [0, ...at.filter((one) => one < whole.length).toSorted((a, b) => a - b), whole.length]
  return points.slice(1).map((end, i) => whole.slice(points[i], end))
}

describe("a real terminal behind the sanitiser", () => {
  it("sees the same text however it was cut", () => {
    fc.assert(
      fc.property(text, cuts, (parts, at) => {
        const whole = parts.join("")
        assert.strictEqual(chunked(split(whole, at)), sanitise(whole))
      }),
      { numRuns: 2_000 }
    )
  })

  it("keeps what stands above, its title and its silence (LESSONS 29)", async () => {
    const terminal = new xterm.Terminal({
      cols: 40,
      rows: 10,
      scrollback: 5_000,
      allowProposedApi: true,
      convertEol: true
    })
    const noise: Array<string> = []
    terminal.onData((data) => noise.push(`answered ${data}`))
    terminal.onTitleChange((title) => noise.push(`title ${title}`))
    terminal.onBell(() => noise.push("bell"))
    const write = (data: string) => new Promise<void>((done) => terminal.write(data, done))
    const buffer = terminal.buffer
    const row = () => buffer.active.baseY + buffer.active.cursorY
    await fc.assert(
      fc.asyncProperty(text, cuts, async (parts, at) => {
        terminal.clear()
        await write("\nkeep this\n")
        const kept = row() - 1
        const sanitiser = makeSanitiser()
        const out = [...split(parts.join(""), at).map(sanitiser.push), sanitiser.flush()]
        for (const chunk of out) {
          const before = row()
          await write(chunk)
          assert.isAtLeast(row(), before)
        }
        assert.strictEqual(buffer.active.getLine(kept)?.translateToString(true), "keep this")
        assert.strictEqual(buffer.active.type, "normal")
        assert.deepStrictEqual(noise, [])
      }),
      { numRuns: 300 }
    )
    terminal.dispose()
  })
})

const ESC = "\x1b"
const B = "\\"

describe("what is asked about (P16, T10)", () => {
  it("shows an escape and a text that looks like one differently, whatever stands in front of them", () => {
    assert.deepStrictEqual(
      [reveal(ESC), reveal(`${B}x1b`), reveal(`${B}${ESC}`), reveal(`${B}${B}x1b`), reveal(`${B}u{2800}`)],
      [`${B}x1b`, `${B}${B}x1b`, `${B}${B}${B}x1b`, `${B}${B}${B}${B}x1b`, `${B}${B}u{2800}`]
    )
    const piece = fc.constantFrom(B, "x1b", "u{202e}", "x", "n", ESC, "\u202e", "\n", "\t", "⏎", "⇥", "a")
    const pieces = fc.array(piece, { maxLength: 8 }).map((all) => all.join(""))
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        if (a === b) return
        assert.notStrictEqual(reveal(a), reveal(b))
        assert.notStrictEqual(revealLine(a), revealLine(b))
      }),
      { numRuns: 5_000 }
    )
  })

  it("shows a break in a line by a sign, so that the two letters of it stay what they are", () => {
    assert.strictEqual(revealLine("a\n\tb\r\n"), "a⏎⇥b⏎")
    assert.strictEqual(revealLine(`printf 'a${B}n${B}t'`), `printf 'a${B}n${B}t'`)
    assert.strictEqual(revealLine("⏎⇥"), `${B}u{23ce}${B}u{21e5}`)
  })

  it("shows blanks that are no space, and marks beyond two on a letter", () => {
    assert.strictEqual(reveal("ls a\u2800b\u00a0c\u3000d\u3164"), "ls a\\u{2800}b\\xa0c\\u{3000}d\\u{3164}")
    assert.strictEqual(reveal("e\u0301\u0302\u0303\u0304!"), "e\u0301\u0302\\u{303}\\u{304}!")
  })

  it("leaves what people write unchanged", () => {
    for (const one of [...plain, "C:\\users\\x", String.raw`sed 's/\x/\u/;s/\\n//'`])
      assert.strictEqual(reveal(one), one)
  })
})
