/**
 * Which directory a path leads to: device, inode and time of birth (SECURITY T3). A path alone can be another directory
 * tomorrow, and the number of an inode is used again once its directory is gone; the time of birth tells those two
 * apart. Where a file system gives none it is 0 throughout, and device and inode decide. Owns: that text.
 * Invariant: two directories that exist at one time never have the same.
 */
import { statSync } from "node:fs"

/** Undefined: there is nothing at this path, or it cannot be looked at. Takes about ten microseconds. */
export const identityOf = (path: string): string | undefined => {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true })
    return `${dev}:${ino}:${birthtimeNs}`
  } catch {
    return undefined
  }
}

/** `replaced`: something stands at the path, and it is another directory. */
export type Standing = "there" | "gone" | "replaced"

/** The number of the device may be another after a restart of the machine: inode and time of birth tell. */
const lasting = (identity: string): string => identity.slice(identity.indexOf(":") + 1)

export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && lasting(one) === lasting(other)

/** What became of a directory that was `known` (absent: it was not looked at then). */
export const standingOf = (path: string, known: string | undefined): Standing => {
  const now = identityOf(path)
  if (now === undefined) return "gone"
  return known === undefined || isSame(now, known) ? "there" : "replaced"
}
