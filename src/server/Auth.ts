/**
 * Who asks over HTTP (R176, R241, R273, SETTLED 21): bearer token, JWT, or the console's cookie. Owns: the contract that
 * WebSocket upgrade and HTTP API share. Invariants: a secret is never read from a URL; a cookie is good only with an
 * allowed Origin; a start token is exchanged once for a cookie.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Context, type Effect } from "effect"
import type { AuthError } from "../channel/Authenticator.ts"
import type { Principal } from "../domain/Principal.ts"

export interface AskedBy {
  readonly headers: IncomingHttpHeaders
  /** The peer's address, behind trusted proxies. */
  readonly address: string
}

export interface Redirect {
  readonly location: string
  /** `Set-Cookie` values. */
  readonly cookies: ReadonlyArray<string>
}

export class Auth extends Context.Service<
  Auth,
  {
    /** The principal of this request; `undefined` where it carries nothing and none is needed yet (a WebSocket may still say `hello`). */
    readonly recognise: (request: AskedBy) => Effect.Effect<Principal | undefined, AuthError>
    /** Exchanges the start token (or an API token) for a `Set-Cookie` value: HttpOnly, SameSite=Strict. */
    readonly login: (token: string, request: AskedBy) => Effect.Effect<string, AuthError>
    readonly logout: (request: AskedBy) => Effect.Effect<string, AuthError>
    /** Signing in at the issuer; absent: there is none where a browser could. */
    readonly oidc?: {
      readonly begin: (request: AskedBy, to: string | undefined) => Effect.Effect<Redirect>
      /** `query`: what the issuer sent the browser back with, `?` included. Whoever is refused goes back, too. */
      readonly finish: (request: AskedBy, query: string) => Effect.Effect<Redirect>
    }
    /** Printed once in the console's URL; absent where no auth is needed or tokens are configured. */
    readonly startToken: string | undefined
  }
>()("claw/server/Auth") {}
