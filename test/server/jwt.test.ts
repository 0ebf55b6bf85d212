/** JWTs of an issuer: which count, and every way to forge one that must not (issue 3, Identity; R241). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { base64url, exportSPKI, generateKeyPair, importJWK, SignJWT } from "jose"
import { Authenticator } from "../../src/channel/Authenticator.ts"
import type { Auth } from "../../src/server/Auth.ts"
import type { TokenStore } from "../../src/store/TokenStore.ts"
import { authenticate, cookieOf, HOME, layer, login, recognise, refusal } from "../support/authKit.ts"
import { AUDIENCE, claims, type FakeIssuer, make } from "../support/fakeIssuer.ts"

const withIssuer = <A, E>(
  f: (
    issuer: FakeIssuer,
    log: ReadonlyArray<string>
  ) => Effect.Effect<A, E, Authenticator | Auth | TokenStore | Scope.Scope>,
  server: object = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const issuer = yield* make
      const log: Array<string> = []
      const settings = { oidc_issuer: issuer.issuer, oidc_audience: AUDIENCE, ...server }
      return yield* Effect.provide(f(issuer, log), layer({ server: settings, log }))
    })
  )

const part = (value: unknown) => base64url.encode(JSON.stringify(value))
const [issued, audience] = [{ ...claims, exp: 3600 }, AUDIENCE]

describe("a JWT of the issuer", () => {
  it.effect("makes the principal that its claims name, as a bearer, over a connection and as a cookie", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const token = yield* issuer.sign()
        const expected = { tenant: "acme", project: "web", user: "ada", role: "member", name: "ada" }
        assert.deepStrictEqual(yield* authenticate(token), expected)
        assert.deepStrictEqual(yield* recognise({ authorization: `Bearer ${token}` }), expected)
        const cookie = cookieOf(yield* login(token))
        assert.deepStrictEqual(yield* recognise({ cookie, origin: HOME }), expected)
      })
    )
  )

  it.effect("counts until 30 s after its expiry and from 30 s before its begin, and its connections end then", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const token = yield* issuer.sign({ expires: 100, notBefore: 30 })
        const principal = yield* authenticate(token)
        const { revoked } = yield* Authenticator
        const fiber = yield* Effect.forkChild(revoked(principal), { startImmediately: true })
        yield* TestClock.adjust("129 seconds")
        assert.strictEqual((yield* authenticate(token)).user, "ada")
        assert.strictEqual(fiber.pollUnsafe(), undefined)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* refusal(token), "unauthenticated")
        assert.notStrictEqual(fiber.pollUnsafe(), undefined)
      })
    )
  )
})

/** Each gives a token that must not count. */
const forgeries: Record<string, (issuer: FakeIssuer) => Effect.Effect<string>> = {
  "alg none": () => Effect.succeed(`${part({ alg: "none" })}.${part({ ...issued, aud: audience })}.`),
  "alg None, in other letters": () => Effect.succeed(`${part({ alg: "nOnE" })}.${part({ ...issued, aud: audience })}.`),
  "a signature cut off": (issuer) => Effect.map(issuer.sign(), (token) => token.slice(0, token.lastIndexOf(".") + 1)),
  "claims changed after signing": (issuer) =>
    Effect.map(issuer.sign(), (token) => {
      const [header, , signature] = token.split(".")
      const changed = { ...issued, iss: issuer.issuer, aud: audience, role: "admin" }
      return `${header}.${part(changed)}.${signature}`
    }),
  "another issuer": (issuer) => issuer.sign({ issuer: "https://issuer.example" }),
  "the issuer with a slash": (issuer) => issuer.sign({ issuer: `${issuer.issuer}/` }),
  "another audience": (issuer) => issuer.sign({ audience: "another-service" }),
  "an expiry long ago": (issuer) => issuer.sign({ expires: -31 }),
  "a begin that is to come": (issuer) => issuer.sign({ notBefore: 31 }),
  "no expiry": (issuer) => issuer.sign({ expires: null }),
  "a key of somebody else under the issuer's kid": (issuer) =>
    Effect.promise(async () => {
      const { privateKey } = await generateKeyPair("ES256")
      const kid = issuer.publicKeys()[0]?.kid ?? ""
      const jwt = new SignJWT({ ...issued, iss: issuer.issuer, aud: audience })
      return jwt.setProtectedHeader({ alg: "ES256", kid }).sign(privateKey)
    }),
  "HS256 with the public key as secret": (issuer) =>
    Effect.promise(async () => {
      const jwk = issuer.publicKeys()[0] ?? {}
      const pem = await exportSPKI(
        (await importJWK(jwk, "ES256", { extractable: true })) as Parameters<typeof exportSPKI>[0]
      )
      const jwt = new SignJWT({ ...issued, iss: issuer.issuer, aud: audience })
      return jwt.setProtectedHeader({ alg: "HS256", kid: jwk.kid ?? "" }).sign(new TextEncoder().encode(pem))
    }),
  "a kid that is a path, a query or a list": (issuer) => issuer.sign({ header: { kid: "../../dev/null' OR 1=1 --" } }),
  "a kid that nobody has": (issuer) => issuer.sign({ header: { kid: "another" } }),
  "a critical extension that is not known": (issuer) =>
    Effect.map(issuer.sign(), (token) => {
      const [, body, signature] = token.split(".")
      return `${part({ alg: "ES256", crit: ["x"], x: true })}.${body}.${signature}`
    }),
  "something that is no JWT": () => Effect.succeed("a.b.c"),
  "a very long one": (issuer) => issuer.sign({ claims: { padding: "x".repeat(20_000) } }),
  "a subject that is a list": (issuer) => issuer.sign({ claims: { sub: ["ada"] as never } }),
  "the tenant of this machine's own people": (issuer) => issuer.sign({ claims: { tenant: "local" } }),
  "a tenant with a separator": (issuer) => issuer.sign({ claims: { tenant: "acme/web" } }),
  "a role that is not ours": (issuer) => issuer.sign({ claims: { role: "root" } })
}

describe("a JWT is refused with", () => {
  for (const [what, forge] of Object.entries(forgeries)) {
    it.effect(what, () =>
      withIssuer((issuer, log) =>
        Effect.gen(function* () {
          const token = yield* forge(issuer)
          assert.strictEqual(yield* refusal(token), "unauthenticated")
          assert.strictEqual(log.length, 1)
          assert.match(log[0] ?? "", /a token was refused.*"reason":"[^"]{5,}"/)
          for (const piece of token.split(".").filter((each) => each.length > 8)) assert.notInclude(log[0] ?? "", piece)
          assert.strictEqual((yield* authenticate(yield* issuer.sign())).user, "ada")
        })
      )
    )
  }

  it.effect("a key that its own header brings or names, and nothing is fetched from there", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const other = yield* make
        const [jwk] = other.publicKeys()
        const kid = issuer.publicKeys()[0]?.kid
        const headers = [{ jku: `${other.issuer}/keys` }, { x5u: `${other.issuer}/keys` }, { jwk }]
        for (const header of headers) {
          const token = yield* other.sign({ issuer: issuer.issuer, header: { ...header, kid } })
          assert.strictEqual(yield* refusal(token), "unauthenticated")
        }
        assert.deepStrictEqual(other.asked, [])
      })
    )
  )
})
