/**
 * Signing in a browser at the issuer (issue 6, Login): authorization code with PKCE, by `openid-client`. Owns: what a
 * browser carries between its two visits, and who came back. Does not own: cookies of those who are in (cookieSessions),
 * claims (jwt). Invariants: what it carries is encrypted with a key of this process, bound to one try and short-lived,
 * so nothing is kept here; whoever comes back is judged as any JWT of the issuer is; the way back is below this server.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import type { Configuration } from "openid-client"
import { FETCH_MS, fetchWithin, trustworthy } from "./fetchJson.ts"

export const CALLBACK = "/api/oidc/callback"
export const TRY_COOKIE = "claw_oidc"
const TRY_MS = 600_000
const PAUSE_MS = 5_000

const Try = Schema.Struct({
  verifier: Schema.String,
  state: Schema.String,
  nonce: Schema.String,
  /** As the browser knows this server. */
  origin: Schema.String,
  to: Schema.String,
  until: Schema.Int
})
type Try = typeof Try.Type
const readTry = Schema.decodeUnknownSync(Schema.fromJsonString(Try))

/** Why somebody is not let in; never what was sent. */
export class OidcError extends Schema.TaggedError<OidcError>()("OidcError", {
  /** The issuer cannot be asked, or does not answer as it should. */
  unavailable: Schema.Boolean,
  reason: Schema.String
}) {}

const refused = (reason: string) => new OidcError({ unavailable: false, reason })

/** Codes of `oauth4webapi` that are about what came back with the browser; all others are about the issuer. */
const OF_THE_BROWSER = /^OAUTH_(?:RESPONSE_BODY_ERROR|AUTHORIZATION_RESPONSE_ERROR|INVALID_RESPONSE|JWT_)/

const toError = (cause: unknown): OidcError => {
  const found = cause instanceof Error ? cause : new Error("no answer")
  const reason = "code" in found ? String(found.code) : found.name
  return new OidcError({ unavailable: !OF_THE_BROWSER.test(reason), reason })
}

const attempt = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: toError })

const cookieOf = (value: string, seconds: number, secure: boolean): string =>
  `${TRY_COOKIE}=${value}; Path=/api/oidc; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? "; Secure" : ""}`

export const clearTry = (secure: boolean): string => cookieOf("", 0, secure)

/** A place of the console: nothing that a browser would take for another server. */
const placeOf = (to: string | undefined): string =>
  to !== undefined && /^\/(?![/\\])[\x21-\x7e]{0,1024}$/.test(to) ? to : "/"

export interface OidcSettings {
  readonly issuer: string
  readonly client_id: string
}

/** Asked for when somebody signs in, kept from then on; what failed is not asked for again at once. */
const discoverer = ({ issuer, client_id }: OidcSettings) => {
  let known: Configuration | undefined
  let pausedUntil = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const client = yield* Effect.promise(() => import("openid-client"))
    if (known !== undefined) return { client, config: known }
    const now = yield* Clock.currentTimeMillis
    if (now < pausedUntil) return yield* new OidcError({ unavailable: true, reason: "discovery failed a moment ago" })
    pausedUntil = now + PAUSE_MS
    const config = yield* attempt(() =>
      client.discovery(new URL(issuer), client_id, undefined, client.None(), {
        // http is for an issuer on this machine alone; whatever it names is judged again when it is asked.
        execute: issuer.startsWith("http://") ? [client.allowInsecureRequests] : [],
        timeout: FETCH_MS / 1000,
        [client.customFetch]: (url, init) => fetchWithin(url, init as RequestInit)
      })
    )
    known = config
    return { client, config }
  })
}

/** What the browser carries, readable here alone. */
const sealing = (key: Uint8Array) => ({
  seal: (what: Try) =>
    Effect.promise(async () => {
      const { CompactEncrypt } = await import("jose")
      const text = new TextEncoder().encode(JSON.stringify(what))
      return await new CompactEncrypt(text).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(key)
    }),
  open: (sealed: string) =>
    Effect.tryPromise({
      try: async () => {
        const { compactDecrypt } = await import("jose")
        const { plaintext } = await compactDecrypt(sealed, key, { keyManagementAlgorithms: ["dir"] })
        return readTry(new TextDecoder().decode(plaintext))
      },
      catch: () => refused("the browser did not begin here, or too long ago")
    })
})

export const make = (settings: OidcSettings) => {
  const found = discoverer(settings)
  const { seal, open } = sealing(randomBytes(32))
  return {
    /** Where the browser goes, and what it carries. */
    begin: Effect.fnUntraced(function* (origin: string, to: string | undefined) {
      const { client, config } = yield* found
      const until = (yield* Clock.currentTimeMillis) + TRY_MS
      const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
      const code_challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(verifier))
      const location = client.buildAuthorizationUrl(config, {
        redirect_uri: `${origin}${CALLBACK}`,
        scope: "openid",
        code_challenge,
        code_challenge_method: "S256",
        state,
        nonce
      }).href
      if (!trustworthy(location)) return yield* new OidcError({ unavailable: true, reason: "no place to sign in" })
      const sealed = yield* seal({ verifier, state, nonce, origin, to: placeOf(to), until })
      return { location, cookie: cookieOf(sealed, TRY_MS / 1000, origin.startsWith("https:")) }
    }),
    /** The ID token of whoever came back, and where the browser goes on. */
    finish: Effect.fnUntraced(function* (sealed: string | undefined, query: string) {
      const { verifier, state, nonce, origin, to, until } = yield* open(sealed ?? "")
      if (until <= (yield* Clock.currentTimeMillis)) return yield* refused("the browser took too long")
      const { client, config } = yield* found
      const tokens = yield* attempt(() =>
        client.authorizationCodeGrant(config, new URL(`${origin}${CALLBACK}${query}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true
        })
      )
      return { id_token: tokens.id_token ?? "", to }
    })
  }
}

export type OidcLogin = ReturnType<typeof make>
