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
