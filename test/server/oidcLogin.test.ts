/** Signing in a browser at the issuer: authorization code with PKCE, and every way to come back wrong (issue 6, Login). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Auth, type Redirect } from "../../src/server/Auth.ts"
import { ADDRESS, cookieOf, HOME, layer, recognise } from "../support/authKit.ts"
import { type FakeIssuer, make } from "../support/fakeIssuer.ts"
import { CLIENT, withLogin } from "../support/fakeIssuerLogin.ts"

const trusting = ({ issuer }: Pick<FakeIssuer, "issuer">, log: Array<string> = []) =>
  layer({ server: { oidc_issuer: issuer, oidc_client_id: CLIENT }, log })

const request = (cookie?: string, host = "127.0.0.1:8081") => ({
  headers: { host, ...(cookie === undefined ? {} : { cookie }) },
  address: ADDRESS
})

const oidc = Effect.map(Auth, (auth) => auth.oidc ?? assert.fail("there is no way to the issuer"))
const begin = (to?: string, host?: string) => Effect.flatMap(oidc, (way) => way.begin(request(undefined, host), to))
const finish = (query: string, cookie?: string) => Effect.flatMap(oidc, (way) => way.finish(request(cookie), query))
const carried = ({ cookies }: Redirect) => cookieOf(cookies[0] ?? "")

describe("signing in at the issuer", () => {
  it.live("leads there and back to the page, in as whom the ID token names", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      const pages = withLogin(issuer)
      yield* Effect.gen(function* () {
        const there = yield* begin("/s/one")
        const { origin, pathname, searchParams } = new URL(there.location)
        assert.strictEqual(origin + pathname, `${issuer.issuer}/authorize`)
        const { state, nonce, code_challenge, ...asked } = Object.fromEntries(searchParams)
        for (const random of [state, nonce, code_challenge]) assert.match(String(random), /^[A-Za-z0-9_-]{43}$/)
        assert.deepStrictEqual(asked, {
          client_id: CLIENT,
          response_type: "code",
          scope: "openid",
          redirect_uri: `${HOME}/api/oidc/callback`,
          code_challenge_method: "S256"
        })
        assert.match(
          there.cookies[0] ?? "",
          /^claw_oidc=[\w.-]+; Path=\/api\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/
        )
        const back = yield* finish(pages.visit(there.location), carried(there))
        assert.strictEqual(back.location, "/s/one")
        assert.match(back.cookies[0] ?? "", /^claw_session=.*HttpOnly; SameSite=Strict; Max-Age=43200$/)
        assert.match(back.cookies[1] ?? "", /^claw_oidc=; .*Max-Age=0$/)
        const found = yield* recognise({ cookie: cookieOf(back.cookies[0] ?? ""), origin: HOME })
        assert.deepStrictEqual([found?.tenant, found?.user, found?.role], ["acme", "ada", "member"])
        assert.strictEqual((yield* recognise({ authorization: `Bearer ${yield* bearer(issuer)}` }))?.user, "ada")
      }).pipe(Effect.provide(trusting(issuer)))
    }).pipe(Effect.scoped)
  )

  it.live("lets nobody in who did not begin here, or whom the issuer does not name as it should", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      const pages = withLogin(issuer)
      const log: Array<string> = []
      yield* Effect.gen(function* () {
        const [one, other] = [yield* begin(), yield* begin()]
        const used = pages.visit(one.location)
        assert.strictEqual((yield* finish(used, carried(one))).location, "/")
        const denied = `?error=access_denied&state=${new URL(one.location).searchParams.get("state")}`
        const refusals: Record<string, Effect.Effect<Redirect, never, Auth>> = {
          "a code that was used": finish(used, carried(one)),
          "no cookie": finish(pages.visit(one.location)),
          "a cookie of nobody": finish(pages.visit(one.location), "claw_oidc=a.b.c.d.e"),
          "another try's cookie": finish(pages.visit(one.location), carried(other)),
          "nothing in the address": finish("", carried(one)),
          "somebody who did not want to": finish(denied, carried(one))
        }
        for (const [why, refusal] of Object.entries(refusals)) {
          const { location, cookies } = yield* refusal
          assert.strictEqual(location, "/#login=refused", why)
          assert.deepStrictEqual(
            cookies.map((cookie) => cookie.slice(0, 11)),
            ["claw_oidc=;"],
            why
          )
        }
        const wrong = [
          { audience: "another" },
          { issuer: "https://issuer.example" },
          { expires: Math.floor(Date.now() / 1000) - 120 },
          { claims: { nonce: "another" } },
          { claims: { tenant: "local" } },
          { claims: { role: "root" } }
        ]
        for (const says of wrong) {
          pages.says(says)
          const again = yield* begin("/s/one")
          const { location, cookies } = yield* finish(pages.visit(again.location), carried(again))
          assert.strictEqual(location, "/#login=refused", JSON.stringify(says))
          assert.strictEqual(cookies.length, 1, JSON.stringify(says))
        }
        assert.isAbove(log.filter((line) => line.includes("was not signed in")).length, 10)
        assert.notMatch(log.join(""), /eyJ|code=/)
      }).pipe(Effect.provide(trusting(issuer, log)))
    }).pipe(Effect.scoped)
  )

  it.live("goes back to a place of the console alone, and is offered under the server's own names", () =>
    Effect.gen(function* () {
      const issuer = yield* make
      const pages = withLogin(issuer)
      yield* Effect.gen(function* () {
        for (const to of ["//evil.example", "/\\evil.example", "https://evil.example", "s/one", "/s/\r\nx", ""]) {
          const there = yield* begin(to)
          assert.strictEqual((yield* finish(pages.visit(there.location), carried(there))).location, "/", to)
        }
        const named = yield* begin("/", "localhost:8081")
        const { searchParams } = new URL(named.location)
        assert.strictEqual(searchParams.get("redirect_uri"), "http://localhost:8081/api/oidc/callback")
        assert.strictEqual((yield* begin("/", "evil.example")).location, "/#login=refused")
      }).pipe(Effect.provide(trusting(issuer)))
      issuer.instead.set("/.well-known/openid-configuration", (response) => response.writeHead(503).end())
      assert.strictEqual((yield* Effect.provide(begin(), trusting(issuer))).location, "/#login=unavailable")
    }).pipe(Effect.scoped)
  )

  it.effect("is there only where the console is known to an issuer", () =>
    Effect.gen(function* () {
      const without = layer({ server: { oidc_issuer: "https://issuer.example", oidc_audience: "claw" } })
      assert.isUndefined((yield* Effect.provide(Auth, without)).oidc)
      const alone = yield* Effect.flip(Effect.provide(Auth, layer({ server: { oidc_client_id: CLIENT } })))
      assert.strictEqual(alone.message, "server: server.oidc_client_id needs server.oidc_issuer.")
    })
  )
})

/** What a program shows, where no other audience is configured. */
const bearer = (issuer: FakeIssuer) => issuer.sign({ audience: CLIENT, expires: Math.floor(Date.now() / 1000) + 300 })
