/** The one retry decision (R110, R111, R114, RELIABILITY 3.6). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type ProviderCode, ProviderCode as Codes, ProviderError } from "../../src/provider/ProviderError.ts"
import { type RetryInput, decide, defaults } from "../../src/provider/Retry.ts"

const error = (code: ProviderCode, retryAfterMs?: number) =>
  new ProviderError({ code, detail: "x", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
const input = (code: ProviderCode, more: Partial<RetryInput> & { readonly after?: number } = {}): RetryInput => ({
  attempt: 1,
  elapsed_ms: 0,
  random: 0,
  error: error(code, more.after),
  ...more
})

describe("decide", () => {
  it("retries what may pass, and nothing else", () => {
    const retried = Codes.literals.filter((code) => decide(defaults, input(code))._tag === "retry")
    assert.deepStrictEqual(retried, [
      "provider_rate_limited",
      "provider_unavailable",
      "provider_unreachable",
      "provider_timeout_connect",
      "provider_timeout_first_token",
      "provider_timeout_idle",
      "provider_timeout_total",
      "provider_bad_stream"
    ])
  })
  it("backs off between half a second and a doubling ceiling, where requests are limited in its upper half", () => {
    const delay = (attempt: number, random: number, code: ProviderCode = "provider_unavailable") =>
      decide({ ...defaults, max_attempts: 99 }, input(code, { attempt, random }))
    assert.deepStrictEqual(
      [delay(1, 0), delay(1, 0.9999), delay(2, 0.9999), delay(9, 0), delay(9, 0.99999)],
      [500, 999, 1999, 500, 19_999].map((delay_ms) => ({ _tag: "retry", delay_ms }))
    )
    const limited = [1, 2, 3, 9].flatMap((attempt) =>
      [0, 0.9999].map((random) => delay(attempt, random, "provider_rate_limited"))
    )
    assert.deepStrictEqual(
      limited,
      [500, 999, 1000, 1999, 2000, 3999, 10_000, 19_999].map((delay_ms) => ({ _tag: "retry", delay_ms }))
    )
  })
  it("stops after three calls, whatever failed and whether the server gave a hint", () => {
    const at = (code: ProviderCode, attempt: number, after?: number) =>
      decide(defaults, input(code, { attempt, ...(after === undefined ? {} : { after }) }))._tag
    const rows = [["provider_unavailable"], ["provider_rate_limited"], ["provider_rate_limited", 1000]] as const
    for (const [code, after] of rows) {
      assert.deepStrictEqual(
        [1, 2, 3].map((n) => at(code, n, after)),
        ["retry", "retry", "stop"]
      )
    }
  })
  it("waits as told, with jitter only on top", () => {
    assert.deepStrictEqual(
      [
        decide(defaults, input("provider_rate_limited", { after: 7000 })),
        decide(defaults, input("provider_rate_limited", { after: 7000, random: 0.9999 }))
      ],
      [
        { _tag: "retry", delay_ms: 7000 },
        { _tag: "retry", delay_ms: 7499 }
      ]
    )
  })
  it("says at once what will not pass, or not soon, where nothing is lost or another model can be asked", () => {
    const lasting = new ProviderError({ code: "provider_unreachable", detail: "x", lasting: true })
    const long = error("provider_rate_limited", 3_600_000)
    const reason = (failed: ProviderError, more: Partial<RetryInput>) => {
      const found = decide(defaults, { ...input("provider_unreachable", more), error: failed })
      return found._tag === "stop" ? found.reason : found.delay_ms
    }
    const rows = [{}, { fresh: true }, { other: true }]
    assert.deepStrictEqual(
      [lasting, long].map((failed) => rows.map((more) => reason(failed, more))),
      [
        [500, "lasting", 500],
        [120_000, 120_000, "too_long"]
      ]
    )
  })
  it("begins no retry after 300 s", () => {
    assert.deepStrictEqual(decide(defaults, input("provider_rate_limited", { after: 100_000, elapsed_ms: 200_001 })), {
      _tag: "stop",
      reason: "elapsed"
    })
  })
  it("never waits longer than the policy allows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.option(fc.nat()),
        (attempt, elapsed_ms, random, after) => {
          const found = decide(
            { ...defaults, max_attempts: 100 },
            { attempt, elapsed_ms, random, error: error("provider_unavailable", after ?? undefined) }
          )
          if (found._tag === "stop") return
          assert.isTrue(found.delay_ms >= 0 && found.delay_ms <= 120_500 && found.delay_ms + elapsed_ms <= 300_000)
          assert.isTrue(after !== null || (found.delay_ms >= 500 && found.delay_ms <= 20_000))
        }
      )
    )
  })
})
