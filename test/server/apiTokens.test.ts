/** API tokens at the door: who they make, how they end, how often one may guess (R176, R241, R272; attack W013). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../../src/channel/Authenticator.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { TokenStore } from "../../src/store/TokenStore.ts"
import { ada, authenticate, layer, newToken, recognise, refusal, spec } from "../support/authKit.ts"

const revoked = (principal: typeof localPrincipal) =>
  Effect.flatMap(Authenticator, (service) => service.revoked(principal))

describe("an API token", () => {
  it.effect("makes its own principal, over a connection and as a bearer", () =>
    Effect.gen(function* () {
      const { secret } = yield* newToken()
      const expected = { ...ada, role: "member", name: "laptop" }
      assert.deepStrictEqual(yield* authenticate(secret), expected)
      assert.deepStrictEqual(yield* recognise({ authorization: `Bearer ${secret}` }), expected)
      assert.deepStrictEqual(yield* recognise({ authorization: `bearer  ${secret}` }), expected)
      assert.strictEqual((yield* Authenticator).anonymous, undefined)
      assert.strictEqual(yield* recognise({}), undefined)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is refused as anything else is: wrong, empty, cut, spaced, revoked, under another scheme", () =>
    Effect.gen(function* () {
      const { secret, token } = yield* newToken()
      yield* (yield* TokenStore).revoke(token.token_id)
      for (const [i, text] of [secret, "", "claw_", `${secret}x`, ` ${secret}`, token.token_id].entries()) {
        assert.strictEqual(yield* refusal(text, `198.51.100.${i}`), "unauthenticated", text)
      }
      for (const authorization of [`Basic ${secret}`, secret, "Bearer", "Bearer a b", "Bearer a, Bearer b"]) {
        const error = yield* Effect.flip(recognise({ authorization }))
        assert.strictEqual(error.code, "unauthenticated", authorization)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends its live connections within 5 s of its revocation, and no other's (W013)", () =>
    Effect.gen(function* () {
      const [gone, kept] = [yield* newToken(), yield* newToken()]
      const waits = yield* Effect.forEach([gone, gone, kept], ({ secret }) =>
        Effect.flatMap(authenticate(secret), (principal) =>
          Effect.forkChild(revoked(principal), { startImmediately: true })
        )
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        waits.map((fiber) => fiber.pollUnsafe() !== undefined),
        [false, false, false]
      )
      yield* (yield* TokenStore).revoke(gone.token.token_id)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(
        waits.map((fiber) => fiber.pollUnsafe() !== undefined),
        [true, true, false]
      )
      yield* Fiber.interruptAll(waits)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends its live connections when it expires", () =>
    Effect.gen(function* () {
      const { secret } = yield* newToken({ lasts_ms: 60_000 })
      const fiber = yield* Effect.forkChild(revoked(yield* authenticate(secret)), { startImmediately: true })
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      yield* TestClock.adjust("6 seconds")
      assert.notStrictEqual(fiber.pollUnsafe(), undefined)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("counts as ended where the principal is nobody's that was let in", () =>
    Effect.gen(function* () {
      const { secret } = yield* newToken()
      yield* revoked({ ...(yield* authenticate(secret)) })
      yield* revoked(localPrincipal)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("has its last use noted", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      yield* authenticate((yield* newToken()).secret)
      yield* Effect.yieldNow
      assert.strictEqual((yield* (yield* TokenStore).list)[0]?.last_used_at, "1970-01-01T01:00:00.000Z")
    }).pipe(Effect.provide(layer()))
  )
})

describe("wrong tokens of one address", () => {
  const tries = (count: number, address: string) =>
    Effect.forEach(Array.from({ length: count }), () => refusal("claw_guess", address))

  it.effect("are told apart from the sixth on in a minute, of that address alone", () =>
    Effect.gen(function* () {
      const { secret } = yield* newToken()
      assert.deepStrictEqual(yield* tries(6, "192.0.2.9"), [
        ...Array.from({ length: 5 }, () => "unauthenticated"),
        "rate_limited"
      ])
      assert.strictEqual(yield* refusal("claw_guess", "192.0.2.10"), "unauthenticated")
      yield* TestClock.adjust("20 seconds")
      const limited = yield* Effect.flip(authenticate("claw_guess", "192.0.2.9"))
      assert.deepStrictEqual([limited.code, limited.retry_after_ms], ["rate_limited", 40_000])
      assert.strictEqual((yield* authenticate(secret, "192.0.2.9")).user, "ada")
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(yield* refusal("claw_guess", "192.0.2.9"), "unauthenticated")
    }).pipe(Effect.provide(layer({ existing: [spec] })))
  )

  it.effect("of one IPv6 network are those of one host, and IPv4 in IPv6 is IPv4", () =>
    Effect.gen(function* () {
      yield* tries(5, "2001:db8:1:2::1")
      assert.strictEqual(yield* refusal("claw_guess", "2001:DB8:1:2:ffff:0:0:9"), "rate_limited")
      assert.strictEqual(yield* refusal("claw_guess", "2001:db8:1:3::1"), "unauthenticated")
      yield* tries(5, "::ffff:192.0.2.20")
      assert.strictEqual(yield* refusal("claw_guess", "192.0.2.20"), "rate_limited")
      assert.strictEqual(yield* refusal("claw_guess", "192.0.2.21"), "unauthenticated")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("from very many addresses are forgotten, oldest first", () =>
    Effect.gen(function* () {
      yield* tries(5, "10.255.0.1")
      for (let i = 0; i < 10_000; i++) yield* refusal("claw_guess", `10.0.${i >> 8}.${i & 255}`)
      assert.strictEqual(yield* refusal("claw_guess", "10.255.0.1"), "unauthenticated")
    }).pipe(Effect.provide(layer()))
  )
})

it.effect("no log line and no error holds any part of a token (R272, SECURITY T6)", () => {
  const log: Array<string> = []
  return Effect.gen(function* () {
    const { secret, token } = yield* newToken()
    const canaries = [secret, "claw_CANARY-not-a-token-0123456789", "eyJhbGciOiJub25lIn0.CANARY.", "CANARY plain"]
    yield* (yield* TokenStore).revoke(token.token_id)
    const errors = yield* Effect.forEach(canaries, (text, i) =>
      Effect.flip(Effect.andThen(refusal(text, `203.0.113.${i}`), authenticate(text, `203.0.113.${i}`)))
    )
    const headers = yield* Effect.forEach(canaries, (text) =>
      Effect.flip(recognise({ authorization: `Basic ${text}` }))
    )
    assert.isAbove(log.length, 6)
    const told = `${log.join("\n")}\n${JSON.stringify(errors)}${JSON.stringify(headers)}${errors.map(String).join("")}`
    assert.include(told, "a token was refused")
    for (const part of [secret.slice(5, 15), secret.slice(-10), "CANARY", "eyJhbGci"]) assert.notInclude(told, part)
  }).pipe(Effect.provide(layer({ log })))
})
