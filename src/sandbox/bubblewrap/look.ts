/** What lies at a path, without an exception and without following a link. Owns nothing else. */
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs"

export const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export type Kind = "directory" | "file" | "link" | "missing"

export const kindOf = (path: string): Kind => {
  const stats = attempt(() => lstatSync(path, { throwIfNoEntry: false }))
  if (stats === undefined) return "missing"
  if (stats.isSymbolicLink()) return "link"
  return stats.isDirectory() ? "directory" : "file"
}

const LARGEST = 1 << 20

/** Of a regular file of ordinary size. */
export const textOf = (path: string): string | undefined =>
  attempt(() => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= LARGEST ? readFileSync(path, "utf8") : undefined
  })

export const namesIn = (path: string): ReadonlyArray<string> => attempt(() => readdirSync(path)) ?? []

export const realOf = (path: string): string | undefined => attempt(() => realpathSync.native(path))

export const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/** Which thing it is, wherever it is moved; undefined: not there. */
export const identityOf = (path: string): string | undefined =>
  attempt(() => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
  })
