/**
 * What is asked for before the page itself has been read: who is there, and what draws what the address shows. Owns: the
 * token of the address, which becomes a cookie. Invariants: it needs next to nothing, so that both are on their way while
 * the rest is still being fetched; no history and no copied link holds the token.
 */
import { type ErrorBody, errorBody } from "../domain/ErrorCode.ts"
import { api } from "./net/api.ts"
import { fetchFor } from "./shell/later.ts"
import { tokenOf } from "./shell/route.ts"

let refusal: ErrorBody | undefined

/** Why the token of the address does not count: the page says so, and asks for another one. */
export const linkRefusal = (): ErrorBody | undefined => refusal

const signIn = async (): Promise<void> => {
  const token = tokenOf(location.hash)
  if (token === undefined) return
  // Gone from the address before anything else happens.
  history.replaceState(null, "", location.pathname + location.search)
  try {
    await api.login(decodeURIComponent(token))
  } catch (error) {
    refusal = error instanceof URIError ? errorBody("unauthenticated") : (error as ErrorBody)
  }
}

fetchFor(location.pathname)

/** Whoever draws the page hears what becomes of it. */
export const asked = signIn().then(api.me)
asked.catch(() => {})
