/** Bytes of a terminal become keys and pastes, however they were cut on their way. */
import { StringDecoder } from "node:string_decoder"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as fc from "fast-check"
import { type Input, makeDecoder } from "../../src/cli/Keyboard.ts"

const ESC = "\x1b"
const paste = (text: string): string => `${ESC}[200~${text}${ESC}[201~`

const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((value) => !/\p{Cc}/u.test(value))
const pasted = fc
  .array(fc.oneof(text, fc.constantFrom("\n", "\r\n", "\t", "y\r")), { maxLength: 6 })
  .map((all) => all.join(""))
const cuts = fc.array(fc.nat(40), { maxLength: 8 })

/** Inputs of bytes that arrive in these pieces, with as much time between them. */
const decode = (sent: string, at: ReadonlyArray<number>, pause_ms: number): ReadonlyArray<Input> => {
  const found: Array<Input> = []
  const decoder = makeDecoder((input) => void found.push(input))
  const utf8 = new StringDecoder("utf8")
  const bytes = Buffer.from(sent)
  let from = 0
  for (const to of [...at.toSorted((a, b) => a - b), bytes.length]) {
    decoder.push(utf8.write(bytes.subarray(from, Math.max(from, to))))
    from = Math.max(from, to)
    vi.advanceTimersByTime(pause_ms)
  }
  vi.advanceTimersByTime(1_000)
  decoder.close()
  return found
}

const typed = (inputs: ReadonlyArray<Input>): string => inputs.map((input) => input.text).join("")
const names = (sent: string): ReadonlyArray<string> =>
  decode(sent, [], 0).map((input) => (input.kind === "key" ? input.name : "paste"))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("the keyboard", () => {
  it("types exactly the code points that were sent, wherever the bytes were cut (H15)", () => {
    fc.assert(fc.property(text, cuts, (value, at) => assert.strictEqual(typed(decode(value, at, 0)), value)))
  })

  it("makes one event of a bracketed paste, wherever and however long it was cut; its line breaks are \\n (LESSONS 49)", () => {
    fc.assert(
      fc.property(pasted, cuts, fc.constantFrom(0, 100), (value, at, pause_ms) => {
        const bytes = Buffer.from(paste(value))
        // A cut right behind the escape cannot be told from the key.
        const sane = at.filter((position) => bytes[Math.min(position, bytes.length) - 1] !== 0x1b)
        const expected = value.replaceAll("\r\n", "\n").replaceAll("\r", "\n")
        assert.deepStrictEqual(decode(paste(value), sane, pause_ms), [{ kind: "paste", text: expected }])
      })
    )
  })

  it("tells keys that came in one read from a person's single ones, an escape sequence being one", () => {
    const together = (...reads: ReadonlyArray<string>) => {
      const found: Array<Input> = []
      const decoder = makeDecoder((input) => void found.push(input))
      for (const read of reads) decoder.push(read)
      vi.advanceTimersByTime(1_000)
      decoder.close()
      return found.map((input) => input.kind === "key" && input.together === true)
    }
    assert.deepStrictEqual(together("y\ry\r"), [true, true, true, true])
    assert.deepStrictEqual(together("y", "\r", `${ESC}[A`), [false, false, false])
  })

  it("tells keys before and behind a paste from it", () => {
    assert.deepStrictEqual(names(`a${paste("y\r")}\r`), ["a", "paste", "enter"])
  })

  it("knows the keys that the prompt uses", () => {
    const keys: ReadonlyArray<readonly [string, string]> = [
      ["\r", "enter"],
      ["\n", "ctrl+j"],
      ["\x7f", "backspace"],
      ["\x03", "ctrl+c"],
      ["\x04", "ctrl+d"],
      ["\t", "tab"],
      [`${ESC}[A`, "up"],
      [`${ESC}OB`, "down"],
      [`${ESC}[H`, "home"],
      [`${ESC}[1~`, "home"],
      [`${ESC}[4~`, "end"],
      [`${ESC}[7~`, "home"],
      [`${ESC}[3~`, "delete"],
      [`${ESC}\r`, "alt+enter"],
      [`${ESC}[1;5D`, "ctrl+left"],
      [`${ESC}b`, "alt+left"],
      [ESC, "escape"]
    ]
    assert.deepStrictEqual(
      keys.map(([sent]) => names(sent)),
      keys.map(([, name]) => [name])
    )
  })

  it("answers of a terminal and mouse reports type nothing", () => {
    for (const sent of [
      `${ESC}[0n`,
      `${ESC}[12;40R`,
      `${ESC}[?62;22c`,
      `${ESC}[<0;3;4M`,
      `${ESC}]11;rgb:00/00/00\x07`
    ]) {
      assert.strictEqual(typed(decode(sent, [], 0)), "", JSON.stringify(sent))
    }
  })
})
