/** Retry-After in its usual and unusual forms (H14, R110, LESSONS 10, SETTLED 19). */
import { assert, describe, it } from "@effect/vitest"
import { retryAfterIn, retryAfterMs } from "../../src/provider/retryAfter.ts"

const NOW = Date.parse("2026-01-15T10:00:00Z")
const wait = (headers: Readonly<Record<string, string>>) => retryAfterMs((name) => new Headers(headers).get(name), NOW)
const after = (value: string) => wait({ "retry-after": value })

describe("the forms of H14", () => {
  it.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "Thu, 15 Jan 2026 10:00:20 GMT" }, 20_000],
    [{ "retry-after": "Thu, 15 Jan 2026 09:59:00 GMT" }, 0],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1500],
    [{ "Retry-After": " 3 " }, 3000],
    [{}, undefined]
  ])("%j → %s", (headers, expected) => assert.strictEqual(wait(headers), expected))
})

describe("further forms", () => {
  it.each<[string, number]>([
    ["1.5", 1500],
    ["0.0001", 1],
    ["20s", 20_000],
    ["500ms", 500],
    ["1m", 60_000],
    ["1m30s", 90_000],
    ["2 sec", 2000],
    ["Thursday, 15-Jan-26 10:00:20 GMT", 20_000],
    ["Thu Jan 15 10:00:20 2026", 20_000],
    ["2026-01-15T10:00:20Z", 20_000],
    ["2026-01-15T11:00:20+01:00", 20_000]
  ])("%s is %s ms", (value, expected) => assert.strictEqual(after(value), expected))
  it("a long wait is told as it is; what is honoured is the retry's", () => {
    const told = ["300", "1h", "Thu, 15 Jan 2026 11:00:00 GMT"].map(after)
    assert.deepStrictEqual(told, [300_000, 3_600_000, 3_600_000])
  })
  it.each([
    ["-1"],
    ["soon"],
    ["soon 5"],
    ["NaN"],
    ["Infinity"],
    ["1e3"],
    ["0x10"],
    ["999999999"],
    ["Wed, 15 Jan 2036 10:00:00 GMT"],
    [""],
    ["5 5"],
    ["5 apples"],
    ["99d"]
  ])("%j counts as missing", (value) => assert.strictEqual(after(value), undefined))
  it("an unreadable retry-after-ms leaves the word to retry-after", () => {
    assert.strictEqual(wait({ "retry-after-ms": "x", "retry-after": "2" }), 2000)
  })
})

describe("in words", () => {
  it.each([
    ["Rate limit reached for x in y on tokens per min. Please try again in 6.5s. Visit z", 6500],
    ["Please try again in 1m2s.", 62_000],
    ["Retry after 20ms", 20],
    ["try again in 5 minutes", undefined],
    ["try again in a while", undefined],
    ["try again in 300h", undefined]
  ])("%s: %s ms", (sentence, expected) => assert.strictEqual(retryAfterIn(sentence), expected))
})
