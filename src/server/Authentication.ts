/**
 * Who may use `claw serve` (issue 3, Identity; SETTLED 21): API tokens, JWTs of one issuer, the start token, and the
 * cookie that a browser gets for one of these. Owns: the order in which they are tried, and the one layer behind
 * `Authenticator` (connections) and `Auth` (HTTP). Invariants: what is wrong is `unauthenticated` whatever it is, and
 * the reason goes to the log without the token; a start token is exchanged for a cookie once; without auth everybody
 * is this machine's own, so that is for loopback only.
 */
import type { Scope } from "effect"
import { Clock, Context, Effect, Layer } from "effect"
import { AuthError, Authenticator } from "../channel/Authenticator.ts"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import { ConfigError } from "../config/ConfigError.ts"
import { localPrincipal, ownerOf, type Principal } from "../domain/Principal.ts"
import { attributes } from "../observability/Telemetry.ts"
import { type KeptLogin, LoginStore } from "../store/LoginStore.ts"
import type { StoreError } from "../store/StoreError.ts"
import { counts, looksLikeToken, TokenStore } from "../store/TokenStore.ts"
import { type AskedBy, Auth } from "./Auth.ts"
import * as CookieSessions from "./cookieSessions.ts"
import * as Credentials from "./credentials.ts"
import { digestOf } from "./digest.ts"
import * as Jwt from "./jwt.ts"
import { allowedCookie, allowedOrigin, isLoopback, type Own } from "./Origins.ts"
import { withIssuer } from "./oidcAuth.ts"
import * as OidcLogin from "./oidcLogin.ts"
import * as StartTokens from "./startTokens.ts"
import * as WrongTokens from "./wrongTokens.ts"

export interface Options {
  /** What counts as the server's own; asked at each request, for a free port is known only once the server listens. */
  readonly own: () => Own
}

interface Parts {
  readonly own: () => Own
  readonly tokens: TokenStore["Service"]
  readonly credentials: Credentials.Credentials
  readonly cookies: ReturnType<typeof CookieSessions.make>
  readonly verifyJwt: Effect.Success<ReturnType<typeof Jwt.make>>
  readonly tooMany: (address: string, now: number) => number | undefined
  readonly logins: LoginStore["Service"]
  readonly start: StartTokens.StartTokens | undefined
  readonly scope: Scope.Scope
}

const fail = (code: AuthError["code"], retry_after_ms?: number) =>
  Effect.fail(new AuthError({ code, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }))

const ofStore = (error: StoreError) =>
  Effect.andThen(
    Effect.logError("a token could not be looked up", { code: error.code, operation: error.operation }),
    fail("storage_unavailable")
  )

const wrong = Effect.fnUntraced(function* ({ tooMany }: Parts, address: string, reason: string) {
  const wait = tooMany(address, yield* Clock.currentTimeMillis)
  if (wait !== undefined) return yield* fail("rate_limited", wait)
  yield* Effect.logWarning("a token was refused", { reason, address, [attributes.code]: "unauthenticated" })
  return yield* fail("unauthenticated")
})

const byApiToken = Effect.fnUntraced(function* (parts: Parts, secret: string, address: string) {
  const token = yield* Effect.catch(parts.tokens.find(secret), ofStore)
  if (token === undefined) return yield* wrong(parts, address, "no such token, or it has ended")
  const { token_id, role, name, expires_at } = token
  // Whoever it lets in does not wait for the note of its use.
  yield* Effect.forkIn(Effect.ignore(parts.tokens.used(token_id)), parts.scope)
  const until = expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
  return parts.credentials.vouch({ ...ownerOf(token), role, name }, { token_id, until })
})

const byJwt = Effect.fnUntraced(function* (parts: Parts, token: string, address: string) {
  if (parts.verifyJwt === undefined) return yield* wrong(parts, address, "not a token of this server")
  const verified = yield* Effect.catch(parts.verifyJwt(token), (error) =>
    error.unavailable
      ? Effect.andThen(
          Effect.logError("the issuer's keys cannot be had", { reason: error.reason }),
          fail("storage_unavailable")
        )
      : wrong(parts, address, error.reason)
  )
  return parts.credentials.vouch(verified.principal, { until: verified.until })
})

const authenticate = (parts: Parts, token: string, address: string): Effect.Effect<Principal, AuthError> => {
  const { start, credentials } = parts
  if (start !== undefined && StartTokens.isOne(start, token)) {
    return Effect.sync(() => credentials.vouch(localPrincipal, start.credential))
  }
  return looksLikeToken(token) ? byApiToken(parts, token, address) : byJwt(parts, token, address)
}

/** A login of before this start, as far as what it rests on counts now. */
const revived = ({ credentials, start }: Parts, login: KeptLogin): CookieSessions.CookieSession | undefined => {
  const { principal, until, token_id } = login
  if (login.start === true && start === undefined) return undefined
  const parent = login.start === true ? start?.credential : token_id === undefined ? undefined : { token_id, until }
  const credential: Credentials.Credential = { until, ...(parent === undefined ? {} : { parent }) }
  return { principal: credentials.vouch(principal, credential), credential }
}

const byCookie = Effect.fnUntraced(function* (parts: Parts, headers: AskedBy["headers"]) {
  if (!allowedCookie(parts.own(), headers)) return undefined
  for (const value of CookieSessions.cookiesOf(headers)) {
    const session = yield* Effect.catch(
      parts.cookies.find(value, (login) => revived(parts, login)),
      ofStore
    )
    if (session === undefined) continue
    if (yield* Effect.catch(parts.credentials.good(session.credential), ofStore)) return session.principal
    yield* Effect.ignore(parts.cookies.close(value))
  }
  return undefined
})

const recognise = Effect.fnUntraced(function* (parts: Parts, { headers, address }: AskedBy) {
  if (!allowedOrigin(parts.own(), headers)) return yield* fail("forbidden")
  const { authorization } = headers
  if (authorization === undefined) return yield* byCookie(parts, headers)
  const token = /^Bearer +([^\s,]+) *$/i.exec(authorization)?.[1]
  return token === undefined
    ? yield* wrong(parts, address, "no bearer token")
    : yield* authenticate(parts, token, address)
})

const login = Effect.fnUntraced(function* (parts: Parts, token: string, { headers, address }: AskedBy) {
  const { own, credentials, cookies, logins, start } = parts
  if (!allowedOrigin(own(), headers)) return yield* fail("forbidden")
  const principal = yield* authenticate(parts, token, address)
  const parent = credentials.of(principal)
  if (parent === undefined) return yield* fail("unauthenticated")
  const isStart = parent === start?.credential
  if (isStart && !(yield* Effect.catch(logins.spend(digestOf(token)), ofStore))) return yield* fail("unauthenticated")
  const now = yield* Clock.currentTimeMillis
  const kept = { principal, ...(isStart ? { start: true as const } : {}) }
  const vouch = (credential: Credentials.Credential) => credentials.vouch(principal, credential)
  return yield* Effect.catch(cookies.open(parent, now, own().scheme === "https", kept, vouch), ofStore)
})

const logout = Effect.fnUntraced(function* (parts: Parts, { headers }: AskedBy) {
  const { own, cookies, credentials } = parts
  for (const value of allowedCookie(own(), headers) ? CookieSessions.cookiesOf(headers) : []) {
    const session = yield* Effect.catch(
      cookies.find(value, (kept) => revived(parts, kept)),
      ofStore
    )
    if (session !== undefined) credentials.close(session.credential)
    yield* Effect.catch(cookies.close(value), ofStore)
  }
  return CookieSessions.clearCookie(own().scheme === "https")
})

/** Everybody is this machine's own; a page of another origin is nobody all the same. */
const withoutAuth = (own: () => Own) => {
  const judge = ({ headers }: AskedBy) =>
    Effect.suspend(() => (allowedOrigin(own(), headers) ? Effect.succeed(localPrincipal) : fail("forbidden")))
  const cookie = () => CookieSessions.clearCookie(own().scheme === "https")
  return Context.make(Authenticator, {
    anonymous: localPrincipal,
    authenticate: () => Effect.succeed(localPrincipal),
    revoked: () => Effect.never
  }).pipe(
    Context.add(Auth, {
      recognise: judge,
      login: (_, request) => Effect.map(judge(request), cookie),
      logout: () => Effect.sync(cookie),
      startToken: undefined
    })
  )
}

/** For the first minutes of a new installation: as long as there is no other way in, and nobody else can reach it. */
const startTokens = Effect.fnUntraced(function* (
  tokens: TokenStore["Service"],
  logins: LoginStore["Service"],
  { host, oidc_issuer }: ConfigShape["server"]
) {
  const now = yield* Clock.currentTimeMillis
  const others = oidc_issuer !== undefined || (yield* tokens.list).some((token) => counts(token, now))
  if (isLoopback(host) && !others) return yield* StartTokens.make(logins)
  yield* logins.endStarts
  return undefined
})

/** A browser's own way to the issuer, where the console is known there. */
const withOidc = Effect.fnUntraced(function* (parts: Parts, server: ConfigShape["server"]) {
  const { oidc_issuer: issuer, oidc_client_id: client_id } = server
  if (issuer === undefined || client_id === undefined) return {}
  const { own, cookies, credentials } = parts
  const verifyJwt = yield* Jwt.make({ ...server, oidc_audience: client_id })
  return withIssuer({
    own,
    login: OidcLogin.make({ issuer, client_id }),
    verify: (id_token) =>
      verifyJwt === undefined
        ? Effect.die("an issuer has a verifier")
        : Effect.map(
            Effect.mapError(
              verifyJwt(id_token),
              ({ unavailable, reason }) => new OidcLogin.OidcError({ unavailable, reason })
            ),
            ({ principal }) => principal
          ),
    signIn: Effect.fnUntraced(
      function* (principal) {
        const now = yield* Clock.currentTimeMillis
        const vouch = (credential: Credentials.Credential) => credentials.vouch(principal, credential)
        const forLong = { until: Number.POSITIVE_INFINITY }
        return yield* cookies.open(forLong, now, own().scheme === "https", { principal }, vouch)
      },
      Effect.mapError(({ code }) => new OidcLogin.OidcError({ unavailable: true, reason: code }))
    )
  })
})

const make = Effect.fnUntraced(function* ({ own }: Options) {
  const { server, limit } = yield* AppConfig
  const [tokens, logins] = [yield* TokenStore, yield* LoginStore]
  if (!server.auth && !isLoopback(server.host)) {
    const detail = `server.auth is false, and ${server.host} can be reached from outside.`
    return yield* new ConfigError({ where: "server", key: "server.auth", detail })
  }
  if (!server.auth) return withoutAuth(own)
  const parts: Parts = {
    own,
    tokens,
    credentials: Credentials.make(tokens),
    logins,
    cookies: CookieSessions.make(logins),
    verifyJwt: yield* Jwt.make(server),
    tooMany: WrongTokens.make(limit.bad_tokens_per_minute),
    start: yield* startTokens(tokens, logins, server),
    scope: yield* Effect.scope
  }
  yield* Effect.forkScoped(parts.credentials.watch)
  return Context.make(Authenticator, {
    anonymous: undefined,
    authenticate: (token, address) => Effect.suspend(() => authenticate(parts, token, address)),
    revoked: parts.credentials.ended
  }).pipe(
    Context.add(Auth, {
      ...(yield* withOidc(parts, server)),
      recognise: (request) => recognise(parts, request),
      login: (token, request) => login(parts, token, request),
      logout: (request) => logout(parts, request),
      startToken: parts.start?.secret
    })
  )
})

/** Both services over the process's configuration and token store. */
export const layer = (
  options: Options
): Layer.Layer<Authenticator | Auth, ConfigError | StoreError, AppConfig | TokenStore | LoginStore> =>
  Layer.effectContext(make(options))
