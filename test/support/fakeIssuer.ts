/** An OpenID Connect issuer on loopback: its discovery document, its keys, and tokens that it signed. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

export const AUDIENCE = "claw"
/** What the tests' tokens say, at the test clock's zero. */
export const claims: JWTPayload = { sub: "ada", tenant: "acme", project: "web", role: "member" }

export interface SignOptions {
  readonly claims?: JWTPayload
  readonly header?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly audience?: string
  /** Seconds since the epoch; `null`: none. */
  readonly expires?: number | null
  readonly notBefore?: number
}

export interface FakeIssuer {
  readonly issuer: string
  /** Paths that were asked for. */
  readonly asked: Array<string>
  /** Answers instead of the issuer's own; by path, with its query or without. */
  readonly instead: Map<string, (response: ServerResponse) => void>
  readonly sign: (options?: SignOptions) => Effect.Effect<string>
  readonly publicKeys: () => ReadonlyArray<JWK>
}

export const DISCOVERY = "/.well-known/openid-configuration"
export const KEYS = "/keys"

const newKeys = Effect.promise(async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256")
  const kid = crypto.randomUUID()
  return { privateKey, kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } satisfies JWK }
})

type Keys = Effect.Success<typeof newKeys>

const signed = (keys: Keys, own: string, options: SignOptions) =>
  Effect.promise(() => {
    const { issuer = own, audience = AUDIENCE, expires = 3600, notBefore } = options
    const jwt = new SignJWT({ ...claims, ...options.claims })
      .setProtectedHeader({ alg: "ES256", kid: keys.kid, ...options.header })
      .setIssuer(issuer)
      .setAudience(audience)
    if (expires !== null) jwt.setExpirationTime(expires)
    if (notBefore !== undefined) jwt.setNotBefore(notBefore)
    return jwt.sign(keys.privateKey)
  })

export const make = Effect.gen(function* () {
  const keys = yield* newKeys
  const asked: Array<string> = []
  const instead: FakeIssuer["instead"] = new Map()
  const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value))
  const server = createServer(({ url = "" }, response) => {
    asked.push(url)
    const other = instead.get(url) ?? instead.get(url.split("?")[0] ?? "")
    if (other !== undefined) other(response)
    else if (url === DISCOVERY) json(response, { issuer: issuer(), jwks_uri: `${issuer()}${KEYS}` })
    else if (url === KEYS) json(response, { keys: [keys.jwk] })
    else response.writeHead(404).end()
  })
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  )
  return {
    issuer: issuer(),
    asked,
    instead,
    sign: (options = {}) => Effect.suspend(() => signed(keys, issuer(), options)),
    publicKeys: () => [keys.jwk]
  } satisfies FakeIssuer
})
