/** The start token and the cookie it is exchanged for (issue 3, Identity; SETTLED 21; attacks W001–W007). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../../src/channel/Authenticator.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { Auth } from "../../src/server/Auth.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { TokenStore } from "../../src/store/TokenStore.ts"
import {
  authenticate,
  cookieOf,
  HOME,
  layer,
  login,
  logout,
  newToken,
  recognise,
  refusal,
  spec,
  starting
} from "../support/authKit.ts"

const start = Effect.map(Auth, ({ startToken }) => startToken ?? "none")
const userOf = (headers: Parameters<typeof recognise>[0]) =>
  Effect.map(recognise(headers), (principal) => principal?.user)

describe("the start token", () => {
  it.effect("is whoever sits at the machine, for bearers and connections as often as they like", () =>
    Effect.gen(function* () {
      const token = yield* start
      assert.match(token, /^claw_[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(yield* authenticate(token), localPrincipal)
      assert.deepStrictEqual(yield* recognise({ authorization: `Bearer ${token}` }), localPrincipal)
      assert.strictEqual(yield* refusal(`${token}x`), "unauthenticated")
      assert.deepStrictEqual(yield* (yield* TokenStore).list, [])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("becomes a cookie once", () =>
    Effect.gen(function* () {
      const token = yield* start
      const set = yield* login(token)
      assert.match(set, /^claw_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
      assert.notInclude(set, token.slice(5))
      assert.strictEqual((yield* Effect.flip(login(token))).code, "unauthenticated")
      assert.strictEqual((yield* authenticate(token)).user, "local")
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "of an earlier start counts on, and what was exchanged stays so, as long as starts have tokens at all",
    () =>
      Effect.gen(function* () {
        const first = yield* Effect.provide(
          Effect.gen(function* () {
            const token = yield* start
            return { token, cookie: cookieOf(yield* login(token)) }
          }),
          starting()
        )
        const { cookie, token } = first
        const second = Effect.gen(function* () {
          assert.notStrictEqual(yield* start, token)
          assert.deepStrictEqual(yield* authenticate(token), localPrincipal)
          assert.strictEqual((yield* Effect.flip(login(token))).code, "unauthenticated")
          assert.strictEqual(yield* userOf({ cookie, origin: HOME }), "local")
          assert.strictEqual(yield* userOf({ cookie: `${cookie}x`, origin: HOME }), undefined)
        })
        yield* Effect.provide(second, starting())
        const closed = Effect.gen(function* () {
          assert.strictEqual(yield* refusal(token), "unauthenticated")
          assert.strictEqual(yield* userOf({ cookie, origin: HOME }), undefined)
        })
        yield* TestClock.adjust("6 days")
        assert.deepStrictEqual(yield* Effect.provide(authenticate(token), starting()), localPrincipal)
        yield* Effect.provide(closed, starting({ server: { host: "0.0.0.0" } }))
        // What was refused once stays refused.
        yield* Effect.provide(closed, starting())
        const next = yield* Effect.provide(start, starting())
        yield* TestClock.adjust("8 days")
        assert.strictEqual(yield* Effect.provide(refusal(next), starting()), "unauthenticated")
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect("of another store is nobody's", () =>
    Effect.gen(function* () {
      const other = yield* Effect.provide(start, layer())
      assert.strictEqual(yield* refusal(other), "unauthenticated")
    }).pipe(Effect.provide(layer()))
  )

  const absent = {
    "an API token exists": { existing: [spec] },
    "the server listens beyond loopback": { server: { host: "0.0.0.0" } },
    "an issuer is configured": { server: { oidc_issuer: "https://issuer.example", oidc_audience: "claw" } },
    "no auth is needed": { server: { auth: false } }
  }
  for (const [why, kit] of Object.entries(absent)) {
    it.effect(`is not there where ${why}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* start, "none")
      }).pipe(Effect.provide(layer(kit)))
    )
  }

  it.effect("is there where every API token has ended", () =>
    Effect.gen(function* () {
      assert.match(yield* start, /^claw_/)
    }).pipe(Effect.provide(layer({ existing: [{ ...spec, lasts_ms: 0 }] })))
  )
})

describe("a cookie", () => {
  it.effect("outlives a start of the server, with whoever it stands for, unless its token or it was ended", () =>
    Effect.gen(function* () {
      const begun = Effect.gen(function* () {
        const { secret, token } = yield* newToken()
        const [kept, out] = [cookieOf(yield* login(secret)), cookieOf(yield* login(secret))]
        yield* logout({ cookie: out, origin: HOME })
        return { kept, out, token }
      })
      const { kept, out, token } = yield* Effect.provide(begun, starting())
      const again = Effect.gen(function* () {
        const found = yield* recognise({ cookie: kept, origin: HOME })
        assert.deepStrictEqual([found?.user, found?.role, found?.name], ["ada", "member", "laptop"])
        assert.strictEqual(yield* userOf({ cookie: out, origin: HOME }), undefined)
        yield* (yield* TokenStore).revoke(token.token_id)
        assert.strictEqual(yield* userOf({ cookie: kept, origin: HOME }), undefined)
      })
      yield* Effect.provide(again, starting())
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("counts with an allowed origin, or where the browser vouches for the page, and not otherwise", () =>
    Effect.gen(function* () {
      const cookie = cookieOf(yield* login(yield* start))
      assert.strictEqual(yield* userOf({ cookie, origin: HOME }), "local")
      assert.strictEqual(yield* userOf({ cookie, origin: "http://localhost:8081" }), "local")
      const mixed = userOf({ cookie, origin: "http://localhost:8081", host: "127.0.0.1:8081" })
      assert.strictEqual((yield* Effect.flip(mixed)).code, "forbidden")
      assert.strictEqual(yield* userOf({ cookie: `a=b; claw_session=forged; ${cookie}`, origin: HOME }), "local")
      assert.strictEqual(yield* userOf({ cookie, "sec-fetch-site": "same-origin" }), "local")
      assert.strictEqual(yield* userOf({ cookie }), undefined)
      assert.strictEqual(yield* userOf({ cookie, "sec-fetch-site": "same-site" }), undefined)
      assert.strictEqual(yield* userOf({ cookie: `${cookie}x`, origin: HOME }), undefined)
      assert.strictEqual(yield* userOf({ cookie: `x${cookie}`, origin: HOME }), undefined)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is Secure under TLS, and then the origin is the https one", () =>
    Effect.gen(function* () {
      const set = yield* login(yield* start, { origin: "https://127.0.0.1:8081" })
      assert.match(set, /; Secure$/)
      const cookie = cookieOf(set)
      assert.strictEqual(yield* userOf({ cookie, origin: "https://127.0.0.1:8081" }), "local")
      assert.strictEqual((yield* Effect.flip(userOf({ cookie, origin: HOME }))).code, "forbidden")
    }).pipe(Effect.provide(layer({ tls: true })))
  )

  it.effect("is Secure behind a proxy that ends TLS, where the page and its sockets have the proxy's name", () =>
    Effect.gen(function* () {
      const origin = "https://claw.example"
      const set = yield* login(yield* start, { origin })
      assert.match(set, /HttpOnly; SameSite=Strict; .*; Secure$/)
      assert.strictEqual(yield* userOf({ cookie: cookieOf(set), origin }), "local")
      assert.strictEqual(yield* userOf({ cookie: cookieOf(set), "sec-fetch-site": "same-origin" }), "local")
      const evil = userOf({ cookie: cookieOf(set), origin: "http://claw.example" })
      assert.strictEqual((yield* Effect.flip(evil)).code, "forbidden")
    }).pipe(Effect.provide(layer({ server: { behind_proxy: true, allowed_hosts: ["claw.example"] } })))
  )

  it.effect("lives 12 hours, and never longer than the token it stands for", () =>
    Effect.gen(function* () {
      const long = cookieOf(yield* login((yield* newToken()).secret))
      const short = yield* login((yield* newToken({ lasts_ms: 3_600_000 })).secret)
      assert.match(short, /Max-Age=3600$/)
      const users = Effect.forEach([long, cookieOf(short)], (cookie) => userOf({ cookie, origin: HOME }))
      assert.deepStrictEqual(yield* users, ["ada", "ada"])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* users, ["ada", undefined])
      yield* TestClock.adjust("11 hours")
      assert.deepStrictEqual(yield* users, [undefined, undefined])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends with the token it stands for, and so do its connections (W013)", () =>
    Effect.gen(function* () {
      const { secret, token } = yield* newToken()
      const cookie = cookieOf(yield* login(secret))
      const principal = (yield* recognise({ cookie, origin: HOME })) ?? localPrincipal
      const fiber = yield* Effect.forkChild((yield* Authenticator).revoked(principal), { startImmediately: true })
      yield* (yield* TokenStore).revoke(token.token_id)
      assert.strictEqual(yield* userOf({ cookie, origin: HOME }), undefined)
      yield* TestClock.adjust("5 seconds")
      assert.notStrictEqual(fiber.pollUnsafe(), undefined)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends at logout with its connections, at once, and no other does", () =>
    Effect.gen(function* () {
      const { secret } = yield* newToken()
      const [mine, other] = [cookieOf(yield* login(secret)), cookieOf(yield* login(secret))]
      const { revoked } = yield* Authenticator
      const principal = (yield* recognise({ cookie: mine, origin: HOME })) ?? localPrincipal
      const fiber = yield* Effect.forkChild(revoked(principal), { startImmediately: true })
      yield* logout({ cookie: mine, origin: "https://evil.example" })
      assert.strictEqual(yield* userOf({ cookie: mine, origin: HOME }), "ada")
      const set = yield* logout({ cookie: mine, origin: HOME })
      assert.strictEqual(set, "claw_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* userOf({ cookie: mine, origin: HOME }), undefined)
      assert.strictEqual(yield* userOf({ cookie: other, origin: HOME }), "ada")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a page of another origin", () => {
  for (const origin of [
    "https://evil.example",
    "http://localhost.evil.example:5173",
    "http://localhost:9999",
    "null"
  ]) {
    it.effect(`${origin} is forbidden, whatever it brings`, () =>
      Effect.gen(function* () {
        const { secret } = yield* newToken()
        const cookie = cookieOf(yield* login(secret))
        const asked = [recognise({ origin, cookie }), recognise({ origin, authorization: `Bearer ${secret}` })]
        for (const each of asked) assert.strictEqual((yield* Effect.flip(each)).code, "forbidden")
        assert.strictEqual((yield* Effect.flip(login(secret, { origin }))).code, "forbidden")
      }).pipe(Effect.provide(layer()))
    )
    it.effect(`${origin} is forbidden also where no auth is needed`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(recognise({ origin }))).code, "forbidden")
        assert.strictEqual((yield* Effect.flip(login("any", { origin }))).code, "forbidden")
      }).pipe(Effect.provide(layer({ server: { auth: false } })))
    )
  }
})

describe("without auth", () => {
  it.effect("everybody on loopback is this machine's own, for ever", () =>
    Effect.gen(function* () {
      const { anonymous, revoked } = yield* Authenticator
      assert.deepStrictEqual(anonymous, localPrincipal)
      assert.deepStrictEqual(yield* recognise({}), localPrincipal)
      assert.deepStrictEqual(yield* authenticate("whatever"), localPrincipal)
      const fiber = yield* Effect.forkChild(revoked(localPrincipal), { startImmediately: true })
      yield* TestClock.adjust("1 day")
      assert.strictEqual(fiber.pollUnsafe(), undefined)
    }).pipe(Effect.provide(layer({ server: { auth: false } })))
  )

  it.effect("nobody is served beyond loopback", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Auth, layer({ server: { auth: false, host: "0.0.0.0" } })))
      assert.strictEqual(error.message, "server: server.auth is false, and 0.0.0.0 can be reached from outside.")
    })
  )
})
