/** The issuer's keys: found by discovery, cached, renewed, bounded, and never believed from elsewhere (issue 3, Identity). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Auth } from "../../src/server/Auth.ts"
import { authenticate, layer, refusal } from "../support/authKit.ts"
import { AUDIENCE, DISCOVERY, type FakeIssuer, KEYS, make } from "../support/fakeIssuer.ts"

const trusting = ({ issuer }: FakeIssuer, server: object = {}, log: Array<string> = []) =>
  layer({ server: { oidc_issuer: issuer, oidc_audience: AUDIENCE, ...server }, log })

describe("keys of the issuer", () => {
  it.effect("are looked for at the first JWT, once for many, and then cached", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(issuer.asked, [])
        const token = yield* issuer.sign()
        yield* Effect.forEach(Array.from({ length: 20 }), () => authenticate(token), { concurrency: "unbounded" })
        yield* authenticate(token)
        assert.deepStrictEqual(issuer.asked, [DISCOVERY, KEYS])
      }).pipe(Effect.provide(trusting(issuer)))
    })
  )

  it.effect("come from the configured place where there is one", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      yield* Effect.gen(function* () {
        yield* authenticate(yield* issuer.sign())
        assert.deepStrictEqual(issuer.asked, [KEYS])
      }).pipe(Effect.provide(trusting(issuer, { oidc_jwks_url: `${issuer.issuer}${KEYS}` })))
    })
  )

  it.effect("are not asked for by texts that could not be the issuer's, nor again for each unknown kid", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      yield* Effect.gen(function* () {
        for (const [i, text] of ["", "x", "a.b.c", "e30.e30."].entries()) yield* refusal(text, `192.0.2.${i}`)
        assert.deepStrictEqual(issuer.asked, [])
        for (let i = 0; i < 20; i++) yield* refusal(yield* issuer.sign({ header: { kid: `k${i}` } }), `198.51.100.${i}`)
        assert.deepStrictEqual(issuer.asked, [DISCOVERY, KEYS])
      }).pipe(Effect.provide(trusting(issuer)))
    })
  )
})

type Answer = Parameters<FakeIssuer["instead"]["set"]>[1]
const json =
  (value: (issuer: string) => unknown) =>
  (issuer: string): Answer =>
  (response) =>
    response.end(JSON.stringify(value(issuer)))

const failures: Record<string, readonly [path: string, answer: (issuer: string) => Answer]> = {
  "discovery is not there": [DISCOVERY, () => (response) => response.writeHead(404).end("{}")],
  "discovery is no JSON": [DISCOVERY, () => (response) => response.end("<html>")],
  "discovery names another issuer": [
    DISCOVERY,
    json((issuer) => ({ issuer: "https://issuer.example", jwks_uri: `${issuer}${KEYS}` }))
  ],
  "discovery names keys that come without TLS": [
    DISCOVERY,
    json((issuer) => ({ issuer, jwks_uri: "http://192.0.2.1/keys" }))
  ],
  "discovery names a file": [DISCOVERY, json((issuer) => ({ issuer, jwks_uri: "file:///etc/passwd" }))],
  "discovery leads elsewhere": [
    DISCOVERY,
    (issuer) => (response) => response.writeHead(302, { location: `${issuer}/other` }).end()
  ],
  "the keys are not there": [KEYS, () => (response) => response.writeHead(500).end()],
  "the keys are no set": [KEYS, json(() => ({ keys: "none" }))],
  "the keys are without end": [
    KEYS,
    () => (response) => {
      const more = () => void (response.destroyed || response.write("x".repeat(65_536), more))
      more()
    }
  ],
  "the connection breaks": [KEYS, () => (response) => void response.destroy()]
}

describe("a good JWT is not judged, and not counted as wrong, where", () => {
  for (const [what, [path, answer]] of Object.entries(failures)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const issuer = yield* make
        const log: Array<string> = []
        yield* Effect.gen(function* () {
          issuer.instead.set(path, answer(issuer.issuer))
          const token = yield* issuer.sign()
          const codes = yield* Effect.forEach(Array.from({ length: 8 }), () => refusal(token))
          assert.deepStrictEqual(new Set(codes), new Set(["storage_unavailable"]))
          assert.strictEqual(issuer.asked.filter((each) => each === path).length, 1)
          assert.notInclude(log.join("\n"), token.slice(0, 20))
          issuer.instead.clear()
        }).pipe(Effect.provide(trusting(issuer, {}, log)))
      })
    )
  }

  it.effect("discovery failed, until it is asked again", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      yield* Effect.gen(function* () {
        issuer.instead.set(DISCOVERY, (response) => response.writeHead(503).end())
        const token = yield* issuer.sign()
        yield* refusal(token)
        issuer.instead.clear()
        assert.strictEqual(yield* refusal(token), "storage_unavailable")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* authenticate(token)).user, "ada")
      }).pipe(Effect.provide(trusting(issuer)))
    })
  )
})

describe("the server does not start where", () => {
  const settings: Record<string, readonly [server: object, sentence: string]> = {
    "the issuer is reached without TLS": [
      { oidc_issuer: "http://issuer.example", oidc_audience: "claw" },
      "server: server.oidc_issuer must begin with https://."
    ],
    "the issuer only looks like this machine": [
      { oidc_issuer: "http://localhost.issuer.example", oidc_audience: "claw" },
      "server: server.oidc_issuer must begin with https://."
    ],
    "no audience is given": [
      { oidc_issuer: "https://issuer.example" },
      "server: server.oidc_issuer needs server.oidc_audience."
    ],
    "the keys come without TLS": [
      { oidc_issuer: "https://issuer.example", oidc_audience: "claw", oidc_jwks_url: "http://issuer.example/keys" },
      "server: server.oidc_jwks_url must be https://."
    ]
  }
  for (const [what, [server, sentence]] of Object.entries(settings)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.provide(Auth, layer({ server })))
        assert.strictEqual(error.message, sentence)
      })
    )
  }
})
