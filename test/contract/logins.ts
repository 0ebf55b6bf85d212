/** What every driver of the login store must do (issue 6; SETTLED 21). A function of a layer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { TokenId } from "../../src/domain/Ids.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { type KeptLogin, LoginStore } from "../../src/store/LoginStore.ts"
import type { StoreError } from "../../src/store/StoreError.ts"

export const loginContract = (name: string, store: Layer.Layer<LoginStore, StoreError>) =>
  describe(`LoginStore, ${name}`, () => {
    it.effect("gives back a login until it ends or is forgotten, and nothing for another digest", () =>
      Effect.gen(function* () {
        const logins = yield* LoginStore
        const a: KeptLogin = { principal: localPrincipal, until: 1000, start: true }
        const b: KeptLogin = {
          principal: { ...localPrincipal, user: "ada" },
          until: 5000,
          token_id: TokenId.make("tok_1")
        }
        yield* logins.keep("a", a)
        yield* logins.keep("b", b)
        assert.deepStrictEqual([yield* logins.find("a"), yield* logins.find("b")], [a, b])
        assert.isUndefined(yield* logins.find("c"))
        yield* TestClock.adjust(1000)
        assert.deepStrictEqual([yield* logins.find("a"), yield* logins.find("b")], [undefined, b])
        yield* logins.forget("b")
        yield* logins.forget("b")
        assert.isUndefined(yield* logins.find("b"))
      }).pipe(Effect.provide(store))
    )

    it.effect("a start token is spent once; those of long ago are forgotten with a new one", () =>
      Effect.gen(function* () {
        const logins = yield* LoginStore
        yield* logins.started("old", 0)
        yield* TestClock.adjust(100)
        yield* logins.started("new", 0)
        assert.deepStrictEqual(yield* logins.starts, ["old", "new"])
        const spent = [yield* logins.spend("old"), yield* logins.spend("old"), yield* logins.spend("none")]
        assert.deepStrictEqual(spent, [true, false, false])
        yield* TestClock.adjust(100)
        yield* logins.started("newer", 100)
        assert.deepStrictEqual(yield* logins.starts, ["new", "newer"])
        assert.isFalse(yield* logins.spend("old"))
        yield* logins.keep("a", { principal: localPrincipal, until: 1000 })
        yield* logins.keep("s", { principal: localPrincipal, until: 1000, start: true })
        yield* logins.endStarts
        assert.deepStrictEqual([yield* logins.starts, yield* logins.find("s")], [[], undefined])
        assert.isDefined(yield* logins.find("a"))
        yield* logins.started("last", 0)
        yield* logins.forgetAll
        assert.deepStrictEqual([yield* logins.starts, yield* logins.find("a")], [[], undefined])
      }).pipe(Effect.provide(store))
    )
  })
