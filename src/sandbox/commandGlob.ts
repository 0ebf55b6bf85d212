/**
 * What a pattern matches now, segment by segment and through links, as a shell without globstar does it. Owns: that walk.
 * Invariant: more than `MAX_GLOB_MATCHES` names is no answer, never a part of one.
 */
import { readdirSync } from "node:fs"
import picomatch from "picomatch"

export const MAX_GLOB_MATCHES = 2_000
const WILD = /[*?[]/

export const isWild = (name: string): boolean => WILD.test(name)

const names = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const below = (root: string, base: string, pattern: string): ReadonlyArray<string> => {
  if (!isWild(pattern)) return [`${base}${pattern}`]
  const matches = picomatch(pattern.replace(/\*\*+/g, "*"), {
    dot: pattern.startsWith("."),
    noextglob: true,
    nobrace: true
  })
  const directory = base.startsWith("/") ? base : `${root}/${base}`
  return names(directory)
    .filter((name) => matches(name))
    .map((name) => `${base}${name}`)
}

/** Names that the pattern stands for, relative to `root` where it is; undefined: too many. */
export const globNames = (root: string, pattern: string): ReadonlyArray<string> | undefined => {
  const [first = "", ...rest] = pattern.split("/")
  let found = first === "" ? [""] : below(root, "", first)
  for (const name of rest) {
    found = found.flatMap((base) => below(root, `${base}/`, name))
    if (found.length > MAX_GLOB_MATCHES) return undefined
  }
  return found.length > MAX_GLOB_MATCHES ? undefined : found
}
