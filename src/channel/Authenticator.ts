/**
 * How a token becomes a principal (R176, R241). Owns: the contract; `server` provides the one that knows tokens and
 * JWTs, a program or a test its own. Invariant: a wrong token and a missing one are told apart by nothing but the code
 * `unauthenticated`; too many wrong ones of one address answer `rate_limited`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { localPrincipal, type Principal } from "../domain/Principal.ts"

export class AuthError extends Schema.TaggedError<AuthError>()("AuthError", {
  code: Schema.Literals(["unauthenticated", "forbidden", "rate_limited", "storage_unavailable"]),
  retry_after_ms: Schema.optionalKey(Schema.Int)
}) {}

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** Who a connection is that says nothing; absent: it has to say something. */
    readonly anonymous: Principal | undefined
    /** Judges a token that came from `address`. */
    readonly authenticate: (token: string, address: string) => Effect.Effect<Principal, AuthError>
    /** Ends when the token that made this principal no longer counts (revoked, expired): its connections end then. */
    readonly revoked: (principal: Principal) => Effect.Effect<void>
  }
>()("claw/channel/Authenticator") {}

/** Everybody is this principal: one person on loopback, tests. */
export const layerAnonymous = (principal: Principal = localPrincipal) =>
  Layer.succeed(
    Authenticator,
    Authenticator.of({
      anonymous: principal,
      authenticate: () => Effect.succeed(principal),
      revoked: () => Effect.never
    })
  )
