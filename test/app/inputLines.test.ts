/** Lines of `claw policy check`: one that cannot be read costs itself only, however the bytes were cut (R160). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type InputLine, inputLines } from "../../src/app/inputLines.ts"

const read = (chunks: ReadonlyArray<Uint8Array>, cap: number) =>
  Stream.runCollect(
    Stream.fromAsyncIterable(inputLines(Stream.toAsyncIterable(Stream.fromIterable(chunks)), cap), String)
  )

const input = Buffer.concat([
  Buffer.from('{"a":1}\r\n\n  \n'),
  Buffer.from([0xff, 0xfe, 10]),
  Buffer.from(`${"x".repeat(40)}\né\nlast`)
])

const expected: ReadonlyArray<InputLine> = [
  { kind: "line", text: '{"a":1}\r' },
  { kind: "broken", code: "bad_utf8" },
  { kind: "broken", code: "too_large" },
  { kind: "line", text: "é" },
  { kind: "line", text: "last" }
]

describe("inputLines", () => {
  it.effect.each([1, 2, 3, 7, 1000])("in pieces of %d bytes", (size) =>
    Effect.gen(function* () {
      const chunks = Array.from({ length: Math.ceil(input.length / size) }, (_, at) =>
        input.subarray(at * size, (at + 1) * size)
      )
      assert.deepStrictEqual(Array.from(yield* read(chunks, 20)), expected)
    })
  )
})
