/**
 * What is asked for before the page itself has been read: who is there, and what draws what the address shows. Owns: the
 * token of the address, which becomes a cookie. Invariants: it needs next to nothing, so that both are on their way while
 * the rest is still being fetched; no history and no copied link holds the token.
 */
import { api } from "./net/api.ts"
import { fetchFor } from "./shell/later.ts"
import { tokenOf } from "./shell/route.ts"

const signIn = async (): Promise<void> => {
  const token = tokenOf(location.hash)
  if (token === undefined) return
  // Gone from the address before anything else happens.
  history.replaceState(null, "", location.pathname + location.search)
  // Where it is refused the page asks for another one.
  await api.login(decodeURIComponent(token)).catch(() => {})
}

fetchFor(location.pathname)

/** Whoever draws the page hears what becomes of it. */
export const asked = signIn().then(api.me)
asked.catch(() => {})
