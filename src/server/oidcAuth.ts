/**
 * A browser's way to the issuer and back (issue 6, Login), as `Auth` offers it. Owns: which of the server's names the
 * browser came by, and what it is told when it was not let in. Invariants: it always ends at the console, with a word in
 * the part of the address that is sent to nobody; the reason goes to the log, without what was sent.
 */
import { Effect } from "effect"
import type { Principal } from "../domain/Principal.ts"
import type { AskedBy, Auth, Redirect } from "./Auth.ts"
import { cookiesOf } from "./cookieSessions.ts"
import { clearTry, OidcError, type OidcLogin, TRY_COOKIE } from "./oidcLogin.ts"
import { allowedOrigin, type Own } from "./Origins.ts"

export interface IssuerParts {
  readonly own: () => Own
  readonly login: OidcLogin
  /** Whom an ID token names. */
  readonly verify: (id_token: string) => Effect.Effect<Principal, OidcError>
  /** The `Set-Cookie` value of somebody who is in. */
  readonly signIn: (principal: Principal) => Effect.Effect<string, OidcError>
}

/** As the browser names this server: what the issuer sends it back to. */
const originOf = (own: Own, { host = "" }: AskedBy["headers"]): string | undefined =>
  ["https", "http"]
    .map((scheme) => `${scheme}://${host}`)
    .flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []))
    .find((origin) => allowedOrigin(own, { origin, host }))

const refused = (secure: boolean, { unavailable, reason }: OidcError, address: string): Effect.Effect<Redirect> =>
  Effect.as(Effect.logWarning("somebody was not signed in at the issuer", { reason, address }), {
    location: `/#login=${unavailable ? "unavailable" : "refused"}`,
    cookies: [clearTry(secure)]
  })

export const withIssuer = ({ own, login, verify, signIn }: IssuerParts): Pick<Auth["Service"], "oidc"> => {
  const secure = () => own().scheme === "https"
  const begin = Effect.fnUntraced(function* ({ headers }: AskedBy, to: string | undefined) {
    const origin = originOf(own(), headers)
    if (origin === undefined) return yield* new OidcError({ unavailable: false, reason: "not one of our names" })
    const { location, cookie } = yield* login.begin(origin, to)
    return { location, cookies: [cookie] }
  })
  const finish = Effect.fnUntraced(function* ({ headers }: AskedBy, query: string) {
    const { id_token, to } = yield* login.finish(cookiesOf(headers, TRY_COOKIE)[0], query)
    const cookie = yield* signIn(yield* verify(id_token))
    return { location: to, cookies: [cookie, clearTry(secure())] }
  })
  const orBack = (asked: AskedBy, redirect: Effect.Effect<Redirect, OidcError>) =>
    Effect.catch(redirect, (error) => refused(secure(), error, asked.address))
  return {
    oidc: {
      begin: (asked, to) => orBack(asked, begin(asked, to)),
      finish: (asked, query) => orBack(asked, finish(asked, query))
    }
  }
}
