/** A window of newest facts never shows anything but what the journal has (R215, RELIABILITY 3.1: reconnect storm). */
import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import type { DurableEvent } from "../../src/domain/Event.ts"
import * as ReplayWindow from "../../src/runtime/replayWindow.ts"

const fact = (seq: number, content = "x") => ({ type: "prompt_queued", seq, content }) as unknown as DurableEvent
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => fact(from + 1 + i))

const step = fc.oneof(
  fc.record({ kind: fc.constant("fill" as const), from: fc.nat(40), length: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("commit" as const), length: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant("take" as const), from: fc.nat(40), length: fc.integer({ min: 1, max: 12 }) })
)

it("gives all of a range or nothing, whatever was read and committed before", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const window = ReplayWindow.make()
      let end = 10
      for (const one of steps) {
        if (one.kind === "commit") {
          window.push(range(end, end + one.length))
          end += one.length
        } else if (one.kind === "fill")
          window.fill(range(Math.min(one.from, end), Math.min(one.from + one.length, end)))
        else {
          const to = Math.min(one.from + one.length, end)
          if (one.from >= to) continue
          const got = window.take(one.from, to)
          if (got !== undefined) assert.deepStrictEqual(got, range(one.from, to))
        }
      }
    })
  )
})

it("a range that was read is taken from memory by the next reader, and what is committed meanwhile joins it", () => {
  const window = ReplayWindow.make()
  window.fill(range(0, 1000))
  window.fill(range(1000, 1500))
  window.push(range(1500, 1502))
  assert.deepStrictEqual(window.take(400, 1502), range(400, 1502))
  assert.isUndefined(window.take(400, 1503))
})

it("holds no more than its share, however large the facts are", () => {
  const window = ReplayWindow.make()
  const large = Array.from({ length: 100 }, (_, i) => fact(i + 1, "x".repeat(100_000)))
  window.fill(large)
  assert.isAtMost(window.size() * 100_000, ReplayWindow.MOST_UNITS)
  assert.isAbove(window.size(), 10)
  assert.deepStrictEqual(window.take(98, 100), large.slice(98))
  for (let seq = 101; seq < 300; seq++) window.push([fact(seq, "x".repeat(100_000))])
  assert.isAtMost(window.size() * 100_000, 2 * ReplayWindow.MOST_UNITS)
})
