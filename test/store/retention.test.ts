/** What retention removes: only what a limit names, oldest first, and never what is in use (issue 5). */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { SessionKey } from "../../src/domain/Principal.ts"
import { beyond, type Kept, type Policy } from "../../src/store/Retention.ts"

const DAY = 86_400_000
const NOW = Date.parse("2026-06-01T00:00:00.000Z")
const aged = (name: string, days: number, bytes = 100, busy = false): Kept => ({
  key: name as SessionKey,
  updated_at: new Date(NOW - days * DAY).toISOString(),
  bytes,
  busy
})
const none: Policy = { days: 0, max_sessions: 0, max_bytes: 0 }
const gone = (sessions: ReadonlyArray<Kept>, policy: Partial<Policy>) =>
  beyond(sessions, { ...none, ...policy }, NOW).map(({ session, because }) => `${session.key} ${because}`)

describe("retention", () => {
  const all = [aged("new", 1), aged("old", 40), aged("mid", 10)]
  it.each([
    [{}, []],
    [{ days: 30 }, ["old days"]],
    [{ max_sessions: 1 }, ["mid max_sessions", "old max_sessions"]],
    [{ max_bytes: 250 }, ["old max_bytes"]],
    [{ days: 5, max_bytes: 1 }, ["new max_bytes", "mid days", "old days"]]
  ] as ReadonlyArray<readonly [Partial<Policy>, ReadonlyArray<string>]>)("%j removes %j", (policy, expected) => {
    assert.deepStrictEqual(gone(all, policy), expected)
  })

  it("keeps what is in use, and counts it", () => {
    const held = [aged("new", 1), aged("held", 90, 100, true), aged("mid", 10)]
    assert.deepStrictEqual(gone(held, { days: 5 }), ["mid days"])
    assert.deepStrictEqual(gone([...held, aged("oldest", 99)], { max_sessions: 3 }), ["oldest max_sessions"])
  })

  it("leaves what is within every limit, whatever there is", () => {
    const one = fc.record({ days: fc.nat(100), bytes: fc.nat(1000), busy: fc.boolean() })
    const limits = fc.record({ days: fc.nat(100), max_sessions: fc.nat(10), max_bytes: fc.nat(5000) })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), limits, (some, policy) => {
        const sessions = some.map(({ days, bytes, busy }, i) => aged(`s${i}`, days, bytes, busy))
        const verdicts = beyond(sessions, policy, NOW)
        const left = sessions.filter((session) => !verdicts.some((one) => one.session === session))
        assert.isTrue(verdicts.every(({ session }) => !session.busy))
        const free = left.filter(({ busy }) => !busy)
        if (policy.days > 0)
          assert.isTrue(free.every(({ updated_at }) => NOW - Date.parse(updated_at) <= policy.days * DAY))
        const busy = left.length - free.length
        if (policy.max_sessions > 0) assert.isAtMost(free.length, Math.max(0, policy.max_sessions - 0))
        if (policy.max_bytes > 0 && busy === 0)
          assert.isAtMost(
            left.reduce((sum, { bytes }) => sum + bytes, 0),
            policy.max_bytes
          )
      })
    )
  })
})
