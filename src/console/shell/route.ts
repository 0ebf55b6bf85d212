/**
 * Addresses of the console. Owns: how the sessions that are shown stand in one, so that a link leads back to them. Pure.
 * Invariant: no session id holds the sign between two of them.
 */
import type { SessionId } from "../../domain/Ids.ts"

const MOST = 4

export const sessionsPath = (ids: ReadonlyArray<string>): string =>
  ids.length === 0 ? "/" : `/s/${ids.slice(0, MOST).map(encodeURIComponent).join("+")}`

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const idsOf = (path: string): ReadonlyArray<SessionId> => {
  if (!path.startsWith("/s/")) return []
  const ids = path.slice(3).split("+").map(decoded)
  return Array.from(new Set(ids.filter((id) => /^[A-Za-z0-9._:-]{1,128}$/.test(id)))).slice(0, MOST) as Array<SessionId>
}

/** The token of an address that the server printed, and the address without it. */
export const tokenOf = (hash: string): string | undefined => /^#token=(.+)$/.exec(hash)?.[1]
