/** Lines of a stream, however the network cuts them (R185, R188, LESSONS 38; SETTLED 22; R194, R198). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Framed, make } from "../../src/protocol/Framing.ts"

const utf8 = new TextEncoder()
const bytesOf = (text: string): Uint8Array => utf8.encode(text)
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
const line = (text: string): Framed => ({ kind: "line", text })
const broken = (code: "too_large" | "bad_utf8" | "bad_json"): Framed => ({ kind: "broken", code })

const framesOf = (packets: ReadonlyArray<Uint8Array>, bytes = 65_536): ReadonlyArray<Framed> => {
  const framing = make({ bytes })
  return [...packets.flatMap((packet) => framing.push(packet)), ...framing.end()]
}

const split = (bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

describe("lines", () => {
  it("several in one packet, CR LF and LF, empty ones ignored", () => {
    assert.deepStrictEqual(framesOf([bytesOf("a\nb\r\n\n\r\nc c\n")]), [line("a"), line("b"), line("c c")])
  })

  it("one over many packets, a character cut in its middle, the CR in another packet than the LF", () => {
    const packets = Array.from(bytesOf('{"n":"é🌍"}\r\n'), (byte) => Uint8Array.of(byte))
    assert.deepStrictEqual(framesOf(packets), [line('{"n":"é🌍"}')])
  })

  it("a CR that ends no line belongs to its line", () => {
    assert.deepStrictEqual(framesOf([bytesOf("a\rb\r\r\n")]), [line("a\rb\r")])
  })

  it("a byte order mark is not swallowed", () => {
    assert.deepStrictEqual(framesOf([bytesOf("\ufeff{}\n")]), [line("\ufeff{}")])
  })

  it("a last line without its end is reported and never a message", () => {
    assert.deepStrictEqual(framesOf([bytesOf('{"type":"prompt","content":"a"}')]), [broken("bad_json")])
    assert.deepStrictEqual(framesOf([bytesOf("a\n\r")]), [line("a")])
  })

  it("bytes that are no UTF-8 lose the framing; what came before is kept, what comes after is not", () => {
    for (const bad of ["\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82", "\x80"])
      assert.deepStrictEqual(framesOf([bytesOf("a\n"), latin1(`"${bad}"\n`), bytesOf("b\n")]), [
        line("a"),
        broken("bad_utf8")
      ])
  })
})

describe("the cap", () => {
  const x = (count: number) => "x".repeat(count)

  it("a line of just the cap is taken, with LF or CR LF, whole or cut", () => {
    for (const end of ["\n", "\r\n"])
      for (const cut of [0, 1, 9, 10, 11])
        assert.deepStrictEqual(framesOf(split(bytesOf(x(10) + end), [cut]), 10), [line(x(10))])
  })

  it("a byte more is too large, with its end and without", () => {
    for (const text of [x(11), `${x(11)}\n`, `${x(11)}\r\n`, `${x(10)}\r${x(1)}`, `${x(10)}\r\r\n`])
      for (const cut of [0, 1, 10, 11, 12])
        assert.deepStrictEqual(framesOf(split(bytesOf(text), [cut]), 10), [broken("too_large")])
  })

  it("it is counted while bytes arrive: a line that never ends is known at the first byte too many, and not kept", () => {
    const framing = make({ bytes: 1000 })
    const packets = Array.from({ length: 100 }, () => bytesOf(x(99)))
    const seen = packets.map((packet) => framing.push(packet).length)
    assert.deepStrictEqual([seen.indexOf(1), framing.pending(), framing.end()], [10, 0, []])
  })

  it("it counts bytes and not characters", () => {
    assert.deepStrictEqual(framesOf([bytesOf("ééé\n")], 5), [broken("too_large")])
    assert.deepStrictEqual(framesOf([bytesOf("ééé\n")], 6), [line("ééé")])
  })
})

describe("a line that has begun shows", () => {
  it("from its first byte to its end", () => {
    const framing = make({ bytes: 100 })
    const at = ["a", "bc", "\nd", "e\n", "\n", "f\ng\n"].map((text) => (framing.push(bytesOf(text)), framing.pending()))
    assert.deepStrictEqual(at, [1, 3, 1, 0, 0, 0])
  })
})

describe("any cutting of any bytes gives the same", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "🌍", "\n", "\r", '"', "\ufeff", "\u2028") })
  const bytes = fc.oneof(text.map(bytesOf), fc.uint8Array({ maxLength: 60 }))

  it("as in one packet", () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(200)), fc.integer({ min: 1, max: 12 }), (all, cuts, cap) => {
        assert.deepStrictEqual(framesOf(split(all, cuts), cap), framesOf([all], cap))
      }),
      { numRuns: 500 }
    )
  })

  it("as splitting the text would, where nothing is wrong with it", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (all, cuts) => {
        const lines = all.split("\n").slice(0, -1)
        const want = lines.map((one) => one.replace(/\r$/, "")).filter((one) => one !== "")
        const got = framesOf(split(bytesOf(`${all}\n`), cuts))
        assert.deepStrictEqual(got.filter(({ kind }) => kind === "line").slice(0, want.length), want.map(line))
        assert.isFalse(got.some(({ kind }) => kind === "broken"))
      })
    )
  })
})
