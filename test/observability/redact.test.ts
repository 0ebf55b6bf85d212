/** No secret comes out of the redactor, and ordinary text comes out unchanged (R272, LESSONS 19, SECURITY T6). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Redact from "../../src/observability/Redact.ts"

const { MASK } = Redact
const nothing = Redact.make([])

describe("known values", () => {
  it("never come out, whatever surrounds them and however they are spelt", () => {
    const secret = fc
      .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
      .filter((text) => text.trim().length >= 8)
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.string(),
        fc.string(),
        (secrets, before, after) => {
          const redactor = Redact.make(secrets)
          for (const value of secrets) {
            const spellings = [value, encodeURIComponent(value), Buffer.from(value).toString("base64")]
            for (const spelling of spellings) {
              // What stands beside it may complete another secret, so only the secret itself is looked for.
              assert.notInclude(redactor.text(`${before}${spelling}${after}`).replaceAll(MASK, "\u0000"), spelling)
            }
            assert.notInclude(redactor.text(JSON.stringify({ k: value })), JSON.stringify(value))
          }
        }
      )
    )
  })

  it("are masked whole where one holds another, and short ones are left alone", () => {
    const redactor = Redact.make(["abcdefgh", "abcdefgh-ijkl", "1"])
    assert.strictEqual(redactor.text("a1 abcdefgh-ijkl abcdefgh"), `a1 ${MASK} ${MASK}`)
  })
})

describe("in pieces", () => {
  const TOKEN = `claw_${"x".repeat(43)}`

  it("a text is masked as it would be whole, however it is cut", () => {
    const word = fc.stringMatching(/^[ab]{6,9}$/)
    const text = fc.array(fc.oneof(fc.constantFrom("a", "b", "claw", TOKEN), word), { maxLength: 12 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), text, fc.nat(), (secrets, parts, seed) => {
        const whole = parts.join("")
        const mask = Redact.maskKnown(secrets)
        const stream = mask.stream()
        let out = ""
        for (let at = 0, step = 1; at < whole.length; at += step) {
          step = 1 + ((seed + at * 7) % 5)
          out += stream.push(whole.slice(at, at + step))
        }
        assert.strictEqual(out + stream.end(), mask(whole))
      })
    )
  })

  it("nothing waits that cannot become a secret", () => {
    const stream = Redact.maskKnown(["hunter2-hunter2"]).stream()
    assert.deepStrictEqual(
      [stream.push("a line\n"), stream.push("hunter"), stream.push("s\n"), stream.push("hun"), stream.end()],
      ["a line\n", "", "hunters\n", "", "hun"]
    )
  })
})

describe("well-known shapes", () => {
  it.each([
    ["key sk-proj-abcdefghijklmnop1234 end", `key ${MASK} end`],
    ["0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp", MASK],
    ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", MASK],
    ["AKIAIOSFODNN7EXAMPLE", MASK],
    ["token claw_jdI5o9LDopcbGJu-K7h8FtXchfqXFt5OtP3LIz9_kNw.", `token ${MASK}.`],
    ["Authorization: Bearer abc.def-ghi_jkl", `Authorization: Bearer ${MASK}`],
    ["postgres://claw:s3cr3t@db/claw", `postgres://claw:${MASK}@db/claw`],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter", `${MASK}\nafter`],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", MASK]
  ])("%s", (text, expected) => {
    assert.strictEqual(nothing.text(text), expected)
  })

  it.each([
    "task-018f3c5e-0000-7000-8000-000000000000 took 12 ms",
    "see https://example.org:8080/a/b?c=d@e and user@example.org",
    "claw_session and claw_export_configuration_of_the_machine",
    "sk-learn and skip; the token count is 1234; basic idea",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "日本語 émoji 👩‍👩‍👧 ok"
  ])("leaves %s", (text) => {
    assert.strictEqual(nothing.text(text), text)
  })

  it("is linear: a megabyte of near misses takes well under a second", () => {
    const pieces = ["-----BEGIN PRIVATE KEY-----", "bearer ", "a://b:", "eyJaaaaaaaa.", "sk-", "0123456789abcdef"]
    for (const piece of pieces) {
      const started = performance.now()
      nothing.text(piece.repeat(Math.ceil(1_000_000 / piece.length)))
      assert.isBelow(performance.now() - started, 2000, piece)
    }
  })
})

describe("values", () => {
  it("are masked by the name of the field and by content, and stay plain data", () => {
    const ring: Record<string, unknown> = { name: "ring" }
    ring["self"] = ring
    const redactor = Redact.make(["hunter2-hunter2"])
    assert.deepStrictEqual(
      redactor.value({
        api_key: "x",
        headers: { Authorization: "y", accept: "z" },
        list: ["hunter2-hunter2", 1, null, 5n],
        error: new Error("hunter2-hunter2 refused")
      }),
      {
        api_key: MASK,
        headers: { Authorization: MASK, accept: "z" },
        list: [MASK, 1, null, "5"],
        error: `Error: ${MASK} refused`
      }
    )
    assert.include(JSON.stringify(redactor.value(ring)), MASK)
  })
})
