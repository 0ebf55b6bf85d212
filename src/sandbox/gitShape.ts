/**
 * Directories that git takes for a repository by what is in them, whatever their name (SECURITY P11, T5). Owns: that shape,
 * which of their entries git goes by, and whether one more entry would complete it. Only looks. Invariant: letter case
 * changes nothing where the file system says so.
 */
import { lstatSync } from "node:fs"
import { onDisk } from "./fileNames.ts"

/** Nobody has to have made it with `git init`. */
export const isShapeOfGit = (has: (name: string) => boolean): boolean =>
  has("HEAD") && (has("commondir") || (has("objects") && has("refs")))

/** What lies there decides what git runs, or whether it is a repository at all. */
const DECIDING: ReadonlySet<string> = new Set(
  "head config config.worktree commondir gitdir hooks objects refs info modules worktrees".split(" ")
)

const exists = (path: string): boolean => {
  try {
    return lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Whether git takes this directory for a repository. */
export const isGitDirectory = (directory: string): boolean => isShapeOfGit((name) => exists(`${directory}/${name}`))

/**
 * Whether what is written at `relative` decides what a repository is, which is there or comes to be by it. `made`: what else
 * will be there by then, relative to the root.
 */
export const decidesGit = (root: string, relative: string, made: ReadonlySet<string> = new Set()): boolean => {
  const names = relative.split("/")
  return names.some((name, at) => {
    if (!DECIDING.has(name.toLowerCase())) return false
    const above = names.slice(0, at)
    const below = (entry: string): string => [...above, entry].join("/")
    return isShapeOfGit(
      (entry) =>
        entry.toLowerCase() === name.toLowerCase() || made.has(below(entry)) || exists(`${root}/${below(entry)}`)
    )
  })
}
