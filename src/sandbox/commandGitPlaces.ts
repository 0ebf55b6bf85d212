/**
 * Where an address of git leads on this machine: a repository that tools may have written has hooks that they wrote
 * (SECURITY P7). Owns: how git reads an address as a path. Looks, changes nothing. Invariant: what cannot be resolved counts
 * as inside.
 */
import { lstatSync, realpathSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { onDisk } from "./fileNames.ts"

const isThere = (path: string): boolean => lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined

/** With links followed as far as it exists; undefined: a link on the way leads nowhere, or nobody may look. */
const resolved = (path: string): string | undefined => {
  for (let there = path; ; there = dirname(there)) {
    try {
      return join(realpathSync(onDisk(there)), relative(there, path))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === "ENOTDIR") continue
      if (code !== "ENOENT" || there === "/" || isThere(there)) return undefined
    }
  }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether the repository at this address lies in the directory; `directory`: absolute and real. */
export const leadsInto = (address: string, directory: string): boolean => {
  const url = /^file:\/\/[^/]*(\/.*)$/is.exec(address)?.[1]
  if (url === undefined && !address.startsWith("/")) return false
  const path = url === undefined ? address : decoded(url)
  if (path === undefined) return true
  // git looks for these as well.
  return ["", ".git", "/.git"].some((ending) => {
    const places = [`${path}${ending}`, normalize(`${path}${ending}`)].map(resolved)
    return places.some((place) => place === undefined || `${place}/`.startsWith(`${directory}/`))
  })
}
