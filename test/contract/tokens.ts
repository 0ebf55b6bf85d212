/** What every driver of the token store must do (issue 3, Identity; R241, R272). A function of a layer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { TokenId } from "../../src/domain/Ids.ts"
import type { Owner } from "../../src/domain/Principal.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { type NewToken, TokenStore } from "../../src/store/TokenStore.ts"

type Store = Layer.Layer<TokenStore, StoreError>

const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
const spec: NewToken = { name: "laptop", owner: ada, role: "member" }

const life = (store: Store) => {
  it.effect("a token is 256 random bits behind a known prefix, given once, and found by nothing but itself", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const { token, secret } = yield* tokens.create(spec)
      const text = Redacted.value(secret)
      assert.match(text, /^claw_[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(token, {
        token_id: token.token_id,
        name: "laptop",
        tenant: "acme",
        project: "web",
        user: "ada",
        role: "member",
        created_at: "1970-01-01T00:00:00.000Z"
      })
      assert.match(token.token_id, /^tok_/)
      assert.deepStrictEqual(yield* tokens.find(text), token)
      const flipped = text.slice(0, -2) + (text.at(-2) === "A" ? "B" : "A") + text.slice(-1)
      for (const wrong of [flipped, text.slice(0, -1), `${text}A`, text.slice(5), ` ${text}`, "", token.token_id]) {
        assert.isUndefined(yield* tokens.find(wrong), wrong)
      }
      assert.isUndefined(yield* tokens.find("claw_".padEnd(100_000, "A")))
    }).pipe(Effect.provide(store))
  )

  it.effect("no two are alike, and a list tells all of them but no secret", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const made = yield* Effect.forEach(Array.from({ length: 20 }), () => tokens.create(spec))
      const secrets = made.map(({ secret }) => Redacted.value(secret))
      assert.strictEqual(new Set(secrets).size, 20)
      const listed = yield* tokens.list
      assert.deepStrictEqual(
        listed.map((token) => token.token_id),
        made.map(({ token }) => token.token_id).toReversed()
      )
      const told = JSON.stringify([listed, made])
      for (const secret of secrets) assert.notInclude(told, secret.slice(5))
    }).pipe(Effect.provide(store))
  )

  it.effect("a revoked one is found no more, and stays in the list with the time", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const [gone, kept] = [yield* tokens.create(spec), yield* tokens.create(spec)]
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* tokens.revoke(gone.token.token_id))
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* tokens.revoke(gone.token.token_id))
      assert.isFalse(yield* tokens.revoke(TokenId.make("tok_none")))
      assert.isUndefined(yield* tokens.find(Redacted.value(gone.secret)))
      assert.deepStrictEqual(yield* tokens.find(Redacted.value(kept.secret)), kept.token)
      const { revoked_at } = (yield* tokens.list).find((each) => each.token_id === gone.token.token_id) ?? {}
      assert.strictEqual(revoked_at, "1970-01-01T01:00:00.000Z")
    }).pipe(Effect.provide(store))
  )

  it.effect("one that expires counts until then and not at that instant", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const { token, secret } = yield* tokens.create({ ...spec, lasts_ms: 10_000 })
      const found = Effect.map(tokens.find(Redacted.value(secret)), (each) => each !== undefined)
      yield* TestClock.adjust(9_999)
      assert.deepStrictEqual([yield* found, yield* tokens.ended([token.token_id])], [true, []])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([yield* found, yield* tokens.ended([token.token_id])], [false, [token.token_id]])
      assert.strictEqual(token.expires_at, "1970-01-01T00:00:10.000Z")
    }).pipe(Effect.provide(store))
  )
}

const watching = (store: Store) => {
  it.effect("tells which of many have ended: revoked, or never there", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const [a, b] = [yield* tokens.create(spec), yield* tokens.create(spec)]
      const [none, odd] = [TokenId.make("tok_none"), TokenId.make(`'"]--`)]
      yield* tokens.revoke(b.token.token_id)
      const ended = yield* tokens.ended([a.token.token_id, b.token.token_id, none, odd])
      assert.deepStrictEqual(ended, [b.token.token_id, none, odd])
      assert.deepStrictEqual(yield* tokens.ended([]), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("remembers the last use to the minute, and writes it at most every ten minutes", () =>
    Effect.gen(function* () {
      const tokens = yield* TokenStore
      const { token } = yield* tokens.create(spec)
      const use = Effect.andThen(
        tokens.used(token.token_id),
        Effect.map(tokens.list, (all) => all[0]?.last_used_at)
      )
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual(yield* use, "1970-01-01T00:01:00.000Z")
      yield* TestClock.adjust("8 minutes")
      assert.strictEqual(yield* use, "1970-01-01T00:01:00.000Z")
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* use, "1970-01-01T00:11:00.000Z")
      yield* tokens.used(TokenId.make("tok_none"))
    }).pipe(Effect.provide(store))
  )
}

export const tokenContract = (name: string, store: Store) =>
  describe(`TokenStore, ${name}`, () => {
    life(store)
    watching(store)
  })
