/** The memory driver's lines, sealed or not, are the lines that were pushed; they take little heap (PERFORMANCE). */
import { assert, it } from "@effect/vitest"
import * as Segments from "../../src/store/memory/segments.ts"

const line = (i: number) => JSON.stringify({ i, text: "word 漢字 \ud83d\ude00 ".repeat(i % 50) })

const from = (segments: Segments.Segments, index: number, count: number) => {
  const seen: string[] = []
  segments.walk(index, (each) => {
    seen.push(each)
    return seen.length < count
  })
  return seen
}

it("gives lines back from any index, over sealed segments and the open one", () => {
  const segments = Segments.make()
  const lines = Array.from({ length: 2000 }, (_, i) => line(i))
  for (const each of lines) segments.push(each)
  assert.isAbove(lines.join("").length, 10 * Segments.SEGMENT_CHARS)
  assert.strictEqual(segments.length(), 2000)
  for (let index = 0; index <= 2001; index += 23) {
    assert.deepStrictEqual(from(segments, index, 90), lines.slice(index, index + 90))
  }
  assert.deepStrictEqual(from(segments, 0, 9999), lines)
  const back: string[] = []
  segments.walkBack((each) => back.push(each) < 1500)
  assert.deepStrictEqual(back, lines.toReversed().slice(0, 1500))
})
