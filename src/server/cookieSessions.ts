/**
 * Browser sessions: a cookie stands for a credential that was shown once (SETTLED 21). Owns: the cookie's text and who
 * it is. Invariants: only the digest of a cookie is kept; a session lives at most `LIFE_MS` and never longer than what
 * it stands for, also over a start of the server; the oldest goes where there are too many.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Effect } from "effect"
import type { Principal } from "../domain/Principal.ts"
import { type KeptLogin, type LoginStore, MOST_LOGINS } from "../store/LoginStore.ts"
import type { Credential } from "./credentials.ts"
import { digestOf, newSecret } from "./digest.ts"

export const COOKIE = "claw_session"
const LIFE_MS = 43_200_000

export interface CookieSession {
  readonly principal: Principal
  readonly credential: Credential
}

const setCookie = (value: string, seconds: number, secure: boolean): string =>
  `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? "; Secure" : ""}`

export const clearCookie = (secure: boolean): string => setCookie("", 0, secure)

/** Every value under the name: a page of another path may have put one of its own in front. */
export const cookiesOf = ({ cookie = "" }: IncomingHttpHeaders, name: string = COOKIE): ReadonlyArray<string> =>
  cookie
    .split(";")
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))

/** What is given back for what was kept; absent: it counts no more. */
export type Revive = (login: KeptLogin) => CookieSession | undefined

export const make = (logins: LoginStore["Service"]) => {
  const sessions = new Map<string, CookieSession>()
  const remember = (digest: string, session: CookieSession): CookieSession => {
    const there = sessions.get(digest)
    if (there !== undefined) return there
    sessions.set(digest, session)
    const oldest = sessions.keys().next()
    if (sessions.size > MOST_LOGINS && oldest.done !== true) sessions.delete(oldest.value)
    return session
  }
  return {
    /** The `Set-Cookie` value of a new session; `vouch` makes its principal. */
    open: Effect.fnUntraced(function* (
      parent: Credential,
      now: number,
      secure: boolean,
      login: Pick<KeptLogin, "principal" | "start">,
      vouch: (credential: Credential) => Principal
    ) {
      const until = Math.floor(Math.min(now + LIFE_MS, parent.until))
      const credential: Credential = { until, parent }
      const value = newSecret()
      const token = parent.token_id === undefined ? {} : { token_id: parent.token_id }
      yield* logins.keep(digestOf(value), { ...login, until, ...token })
      remember(digestOf(value), { principal: vouch(credential), credential })
      return setCookie(value, Math.max(1, Math.floor((until - now) / 1000)), secure)
    }),
    find: Effect.fnUntraced(function* (value: string, revive: Revive) {
      const digest = digestOf(value)
      const there = sessions.get(digest)
      if (there !== undefined) return there
      const login = yield* logins.find(digest)
      const session = login === undefined ? undefined : revive(login)
      return session === undefined ? undefined : remember(digest, session)
    }),
    close: (value: string) =>
      Effect.suspend(() => {
        sessions.delete(digestOf(value))
        return logins.forget(digestOf(value))
      })
  }
}
