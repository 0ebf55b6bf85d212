/** What lies at a path (of any bytes: fileNames), without an exception and without following a link. Owns nothing else. */
import { lstatSync, readFileSync, realpathSync } from "node:fs"
import { namesOf, onDisk, textOfBytes } from "./fileNames.ts"

export const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export type Kind = "directory" | "file" | "link" | "missing"

export const kindOf = (path: string): Kind => {
  const stats = attempt(() => lstatSync(onDisk(path), { throwIfNoEntry: false }))
  if (stats === undefined) return "missing"
  if (stats.isSymbolicLink()) return "link"
  return stats.isDirectory() ? "directory" : "file"
}

const LARGEST = 1 << 20

/** Of a regular file of ordinary size. */
export const textOf = (path: string): string | undefined =>
  attempt(() => {
    const stats = lstatSync(onDisk(path), { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= LARGEST ? textOfBytes(readFileSync(onDisk(path))) : undefined
  })

export const namesIn = (path: string): ReadonlyArray<string> => attempt(() => namesOf(path)) ?? []

export const realOf = (path: string): string | undefined =>
  attempt(() => textOfBytes(realpathSync.native(onDisk(path), "buffer")))

export const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/** Which thing it is, wherever it is moved; undefined: not there. */
export const identityOf = (path: string): string | undefined =>
  attempt(() => {
    const stats = lstatSync(onDisk(path), { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
  })
