/** Authenticators of tests: whom a token makes, and when that ends. */
import { Effect, Layer } from "effect"
import { AuthError, Authenticator } from "../../src/channel/Authenticator.ts"
import { localPrincipal, type Principal } from "../../src/domain/Principal.ts"

export interface Signing {
  /** Default: `good` is the local principal's, every other is wrong. */
  readonly who?: (token: string) => Principal | undefined
  /** Who says nothing is this one; default: has to say something. */
  readonly anonymous?: Principal
  /** Default: no token ever ends. */
  readonly revoked?: Authenticator["Service"]["revoked"]
}

const good = (token: string) => (token === "good" ? localPrincipal : undefined)

export const signing = ({ who = good, anonymous, revoked = () => Effect.never }: Signing = {}) =>
  Layer.succeed(
    Authenticator,
    Authenticator.of({
      anonymous,
      authenticate: (token) => {
        const found = who(token)
        return found === undefined ? Effect.fail(new AuthError({ code: "unauthenticated" })) : Effect.succeed(found)
      },
      revoked
    })
  )
