/** Who follows the end of a conversation, and who has left it (R248). */
import { assert, describe, it } from "@effect/vitest"
import { Pin } from "../../src/console/session/pin.ts"

const at = (...moves: ReadonlyArray<(pin: Pin) => void>): boolean => {
  const pin = new Pin()
  for (const move of moves) move(pin)
  return pin.pinned
}
const look = (gap: number, now: number) => (pin: Pin) => pin.look(gap, now)
const up = (now: number) => (pin: Pin) => pin.leave(now)
const touch = (now: number) => (pin: Pin) => pin.touch(now)

describe("the end of a conversation", () => {
  it("is followed while the list moves by itself, and left by a person", () => {
    assert.isTrue(at(look(500, 0)))
    assert.isFalse(at(touch(0), look(500, 10)))
    assert.isTrue(at(touch(0), look(500, 1_001)))
  })

  it("a key that goes up leaves it at once, and no measuring of the list takes that back", () => {
    assert.isFalse(at(up(0)))
    assert.isFalse(at(up(0), look(0, 10), look(40, 20), look(0, 2_000)))
  })

  it("is followed again by who comes back to it: when the key has led away, at the next touch, or by the button", () => {
    assert.isTrue(at(up(0), look(300, 10), look(0, 20)))
    assert.isTrue(at(up(0), look(40, 10), touch(500), look(40, 510)))
    assert.isTrue(at(up(0), (pin) => pin.toEnd(), look(0, 10)))
    assert.isFalse(at(up(0), look(300, 10), look(200, 20)))
  })

  it("what is opened there stays where it is, and is followed again once the list has come to rest", () => {
    const hold = (pin: Pin) => pin.hold(0)
    assert.deepStrictEqual([at(hold), at(hold, look(200, 300)), at(hold, look(0, 300))], [false, false, true])
  })
})
