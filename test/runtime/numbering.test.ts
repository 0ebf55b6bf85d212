/** Numbers of sessions: given once, one by one for people, in blocks for a crowd (PROTOCOL §4, R304). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeNumbering } from "../../src/runtime/numbering.ts"

const counter = () => {
  let last = 0
  const taken: Array<number> = []
  const take = (count: number) =>
    Effect.gen(function* () {
      taken.push(count)
      const first = last + 1
      last += count
      yield* Effect.yieldNow
      return first
    })
  return { take, taken }
}

const times = (count: number) => Array.from({ length: count }, (_, i) => i)

describe("numbers of sessions", () => {
  it.effect("who comes alone takes one, so that none is lost at a restart", () =>
    Effect.gen(function* () {
      const { take, taken } = counter()
      const number = makeNumbering()
      const given = yield* Effect.forEach(times(3), () =>
        Effect.tap(number("tcp", take), () => TestClock.adjust("1 second"))
      )
      assert.deepStrictEqual(
        [given, taken],
        [
          [1, 2, 3],
          [1, 1, 1]
        ]
      )
    })
  )
  it.effect("a crowd takes blocks, and each number is given once and in order", () =>
    Effect.gen(function* () {
      const { take, taken } = counter()
      const number = makeNumbering()
      const given = yield* Effect.forEach(times(200), () => number("tcp", take), { concurrency: "unbounded" })
      assert.deepStrictEqual(given, times(201).slice(1))
      assert.deepStrictEqual(taken, [1, 2, 4, 8, 16, 32, 64, 64, 64])
    })
  )
  it.effect("each name has numbers of its own, and a failing store gives none", () =>
    Effect.gen(function* () {
      const { take } = counter()
      const number = makeNumbering()
      assert.strictEqual(yield* Effect.flip(number("ws", () => Effect.fail("no disk"))), "no disk")
      const other = counter()
      assert.deepStrictEqual([yield* number("tcp", take), yield* number("ws", other.take)], [1, 1])
    })
  )
})
