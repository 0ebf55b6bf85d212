/**
 * Whether a path holds secrets (SECURITY T6): in one of the places of config's list, `.env` and its kin, keys by their
 * names, or settings with a token. Owns: how a path is compared with them. Reads those settings. Invariant: a link in front of a place, or in front of
 * the file, changes nothing.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { basename } from "node:path"
import { holdsCredential, isCredentialsFile, isEnvironmentFile } from "../config/SecretPlaces.ts"

const realOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

const MOST_BYTES = 1 << 20

/** Nothing where there is no such file; what cannot be read may hold anything. */
const textOf = (path: string): string => {
  const unknown = '_authToken=?\nnpmAuthToken: ?\n_auth ?\n"token": "?"'
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isDirectory()) return ""
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(path, "utf8") : unknown
  } catch {
    return unknown
  }
}

const isSecretName = (path: string): boolean => {
  const name = basename(path)
  return isEnvironmentFile(name) || isCredentialsFile(path) || holdsCredential(name, () => textOf(path))
}

export interface SecretFiles {
  /** `path`: absolute. */
  readonly has: (path: string) => boolean
}

/** A link may be made or moved meanwhile; to look at a hundred places takes milliseconds, once for all sessions. */
const LOOK_AGAIN_MS = 10_000

interface Look {
  readonly until: number
  readonly all: ReadonlySet<string>
}

const looks = new Map<string, Look>()

const lookAt = (places: ReadonlyArray<string>, key: string): ReadonlySet<string> => {
  const [now, known] = [performance.now(), looks.get(key)]
  if (known !== undefined && now < known.until) return known.all
  const all = new Set(places.flatMap((place) => [place.replace(/(?<!\/)\/+$/, ""), realOf(place)]))
  // One process has one list of places, or few.
  if (looks.size > 16) looks.clear()
  looks.set(key, { until: now + LOOK_AGAIN_MS, all })
  return all
}

/** `places`: absolute paths of files and directories. Nothing is looked at before the first question. */
export const secretFiles = (places: ReadonlyArray<string>): SecretFiles => {
  const key = places.join("\0")
  const isBelow = (path: string): boolean => {
    if (places.length === 0) return false
    const all = lookAt(places, key)
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (all.has(path.slice(0, end))) return true
    return false
  }
  return { has: (path) => isSecretName(path) || isBelow(path) }
}
