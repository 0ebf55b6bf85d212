/**
 * Whether a path holds secrets (SECURITY T6): in one of the places of config's list, or `.env` and its kin. Owns: how a
 * path is compared with them. Invariant: a link in front of a place, or in front of the file, changes nothing.
 */
import { realpathSync } from "node:fs"
import { basename } from "node:path"
import { isEnvironmentFile } from "../config/SecretPlaces.ts"

const realOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

export interface SecretFiles {
  /** `path`: absolute. */
  readonly has: (path: string) => boolean
}

/** `places`: absolute paths of files and directories. */
export const secretFiles = (places: ReadonlyArray<string>): SecretFiles => {
  const all = new Set(places.flatMap((place) => [place.replace(/\/+$/, ""), realOf(place)]))
  const isBelow = (path: string): boolean => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (all.has(path.slice(0, end))) return true
    return false
  }
  return { has: (path) => isEnvironmentFile(basename(path)) || isBelow(path) }
}
