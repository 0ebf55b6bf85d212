/**
 * JWTs of one OpenID Connect issuer (issue 3, Identity). Owns: finding the issuer's keys, and which tokens count.
 * `jose` verifies. Invariants: only signatures with a public key count (neither `none` nor a shared secret), and only by
 * keys that the issuer itself publishes: nothing in a token's header names where a key is; issuer, audience, expiry and
 * subject are needed; a reason to refuse holds nothing of the token.
 */
import { Clock, Effect, Schema, Semaphore } from "effect"
import type { JWTPayload, JWTVerifyGetKey } from "jose"
import type { ConfigShape } from "../config/AppConfig.ts"
import { ConfigError } from "../config/ConfigError.ts"
import type { Principal } from "../domain/Principal.ts"
import { FETCH_MS, fetchBounded, trustworthy } from "./fetchJson.ts"
import { principalOf } from "./jwtClaims.ts"

/** Why a token does not count. `unavailable`: the issuer's keys cannot be had, and the token may be a good one. */
export class JwtError extends Schema.TaggedError<JwtError>()("JwtError", {
  unavailable: Schema.Boolean,
  reason: Schema.String
}) {}

export interface Verified {
  readonly principal: Principal
  /** Epoch milliseconds at which it stops counting. */
  readonly until: number
}

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
const TOLERANCE_S = 30
const LONGEST = 16_384
/** After the keys could not be had nobody asks for them again for so long. */
const PAUSE_MS = 5_000

type Jose = typeof import("jose")

/** What is wrong with a token, by jose's code. Everything else is about getting the keys. */
const ofTheToken =
  /^ERR_(?:JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/

const refused = (reason: string) => new JwtError({ unavailable: false, reason })
const unavailable = (reason: string) => new JwtError({ unavailable: true, reason })

const toError = (cause: unknown): JwtError => {
  if (cause instanceof JwtError) return cause
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  const claim = typeof cause === "object" && cause !== null && "claim" in cause ? ` (${String(cause.claim)})` : ""
  return ofTheToken.test(code) ? refused(`${code}${claim}`) : unavailable(code === "" ? "no answer" : code)
}

/** The issuer's own word on where its keys are. */
const discover = async (issuer: string, signal: AbortSignal): Promise<string> => {
  const response = await fetchBounded(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, signal)
  if (response.status !== 200) throw unavailable(`discovery answered ${response.status}`)
  const document = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
  if (document.issuer !== issuer) throw unavailable("discovery names another issuer")
  const { jwks_uri } = document
  if (typeof jwks_uri !== "string" || !trustworthy(jwks_uri)) throw unavailable("discovery names no usable keys")
  return jwks_uri
}

/** Cached by jose, which asks again for a key it does not know at most every half minute; what failed, we do not repeat at once. */
const keysAt = (jose: Jose, url: string): JWTVerifyGetKey => {
  let pausedUntil = 0
  const ask = async (at: string, signal: AbortSignal): Promise<Response> => {
    if (Date.now() < pausedUntil) throw unavailable("keys were asked for a moment ago")
    pausedUntil = Date.now() + PAUSE_MS
    const response = await fetchBounded(at, signal)
    if (response.status !== 200) throw unavailable(`keys answered ${response.status}`)
    return response
  }
  return jose.createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_MS,
    [jose.customFetch]: (at, { signal }) => ask(at, signal)
  })
}

/** The keys, found once; one fiber looks for them, and a failure is remembered for a while. */
const keyFinder = (jose: Jose, issuer: string, known: string | undefined) => {
  const lock = Semaphore.makeUnsafe(1)
  let keys = known === undefined ? undefined : keysAt(jose, known)
  let pausedUntil = Number.NEGATIVE_INFINITY
  const find = Effect.gen(function* () {
    if (keys !== undefined) return keys
    const now = yield* Clock.currentTimeMillis
    if (now < pausedUntil) return yield* unavailable("discovery failed a moment ago")
    pausedUntil = now + PAUSE_MS
    const url = yield* Effect.tryPromise({ try: (signal) => discover(issuer, signal), catch: toError })
    keys = keysAt(jose, url)
    return keys
  })
  return lock.withPermits(1)(find)
}

type Server = ConfigShape["server"]

const check = (server: Server) => {
  const { oidc_issuer: issuer, oidc_client_id: client, oidc_audience: audience = client, oidc_jwks_url: jwks } = server
  const wrong = (key: string, detail: string) => new ConfigError({ where: "server", key: `server.${key}`, detail })
  if (issuer === undefined && client !== undefined)
    return wrong("oidc_client_id", "server.oidc_client_id needs server.oidc_issuer.")
  if (issuer === undefined) return undefined
  if (!trustworthy(issuer)) return wrong("oidc_issuer", "server.oidc_issuer must begin with https://.")
  if (audience === undefined) return wrong("oidc_audience", "server.oidc_issuer needs server.oidc_audience.")
  if (jwks !== undefined && !trustworthy(jwks)) return wrong("oidc_jwks_url", "server.oidc_jwks_url must be https://.")
  return { issuer, audience, jwks }
}

/** Judges JWTs; `undefined` where no issuer is configured. */
export const make = Effect.fnUntraced(function* (server: Server) {
  const checked = check(server)
  if (checked === undefined) return undefined
  if (checked instanceof ConfigError) return yield* checked
  const { issuer, audience } = checked
  const jose = yield* Effect.promise(() => import("jose"))
  const keys = keyFinder(jose, issuer, checked.jwks)
  const names = { tenant: server.oidc_tenant_claim, project: server.oidc_project_claim, role: server.oidc_role_claim }
  const verify = Effect.fnUntraced(function* (token: string) {
    if (token.length > LONGEST) return yield* refused("too long")
    // Looked at before the keys are: what is no JWT of an allowed kind makes nobody ask the issuer.
    const header = yield* Effect.try({ try: () => jose.decodeProtectedHeader(token), catch: () => refused("no JWT") })
    if (!ALGORITHMS.includes(String(header.alg))) return yield* refused("algorithm not allowed")
    const key = yield* keys
    const currentDate = new Date(yield* Clock.currentTimeMillis)
    const rules = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: TOLERANCE_S, currentDate }
    const { payload } = yield* Effect.tryPromise({
      try: () => jose.jwtVerify<JWTPayload>(token, key, { ...rules, requiredClaims: ["exp", "sub"] }),
      catch: toError
    })
    const principal = yield* Effect.mapError(Effect.fromResult(principalOf(payload, names)), refused)
    return { principal, until: (Number(payload.exp) + TOLERANCE_S) * 1000 } satisfies Verified
  })
  return verify
})
