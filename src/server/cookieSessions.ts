/**
 * Browser sessions: a cookie stands for a credential that was shown once (SETTLED 21). Owns: the cookie's text and who
 * it is. Invariants: only the digest of a cookie is kept; a session lives at most `LIFE_MS` and never longer than what
 * it stands for; all of them go with the process; the oldest goes where there are too many.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { Principal } from "../domain/Principal.ts"
import type { Credential } from "./credentials.ts"
import { digestOf, newSecret } from "./digest.ts"

export const COOKIE = "claw_session"
const LIFE_MS = 43_200_000
const MOST_SESSIONS = 10_000

export interface CookieSession {
  readonly principal: Principal
  readonly credential: Credential
}

const setCookie = (value: string, seconds: number, secure: boolean): string =>
  `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? "; Secure" : ""}`

export const clearCookie = (secure: boolean): string => setCookie("", 0, secure)

/** Every value under the name: a page of another path may have put one of its own in front. */
export const cookiesOf = ({ cookie = "" }: IncomingHttpHeaders): ReadonlyArray<string> =>
  cookie
    .split(";")
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${COOKIE}=`) ? [pair.slice(COOKIE.length + 1)] : []))

export const make = () => {
  const sessions = new Map<string, CookieSession>()
  return {
    /** The `Set-Cookie` value of a new session; `vouch` makes its principal. */
    open: (parent: Credential, now: number, secure: boolean, vouch: (credential: Credential) => Principal): string => {
      const until = Math.min(now + LIFE_MS, parent.until)
      const credential: Credential = { until, parent }
      const value = newSecret()
      sessions.set(digestOf(value), { principal: vouch(credential), credential })
      const oldest = sessions.keys().next()
      if (sessions.size > MOST_SESSIONS && oldest.done !== true) sessions.delete(oldest.value)
      return setCookie(value, Math.max(1, Math.floor((until - now) / 1000)), secure)
    },
    find: (value: string): CookieSession | undefined => sessions.get(digestOf(value)),
    close: (value: string): void => void sessions.delete(digestOf(value))
  }
}
