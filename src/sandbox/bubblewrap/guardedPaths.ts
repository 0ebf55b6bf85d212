/**
 * The control plane of one workspace as it is now (SECURITY P11, T5): what stays read-only, what may be written but not
 * be moved away, and what is kept from coming into being.
 * Owns: which paths. Does not own: the names (controlPlane.ts), the mounts.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { CONTROL_NAMES, guardOf } from "../controlPlane.ts"
import type { Guarded } from "./mounts.ts"
import { isStandIn } from "./standIns.ts"

const attempt = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

type Kind = "directory" | "file" | "link" | "missing"

const kindOf = (path: string): Kind => {
  const stats = attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined)
  if (stats === undefined) return "missing"
  if (stats.isSymbolicLink()) return "link"
  return stats.isDirectory() ? "directory" : "file"
}

/** Names in a repository that make git run programs or read its settings elsewhere. */
const SETTINGS = new Set(["hooks", "config", "config.worktree", "commondir", "gitdir"])
const DEEPEST = 6

/** In the repositories of submodules and work trees: what is there, not what might be. */
const ofNested = (directory: string, deep = 0): ReadonlyArray<string> => {
  if (deep > DEEPEST) return []
  const names = attempt(() => readdirSync(directory, { withFileTypes: true }), [])
  return names.flatMap((entry) => {
    const path = join(directory, entry.name)
    if (SETTINGS.has(entry.name) && !entry.isSymbolicLink()) return [path]
    return entry.isDirectory() && entry.name !== "objects" && entry.name !== "refs" && entry.name !== "logs"
      ? ofNested(path, deep + 1)
      : []
  })
}

const ofRepository = (git: string): ReadonlyArray<Guarded> => {
  const [config, hooks] = [join(git, "config"), join(git, "hooks")]
  const plain = kindOf(config) === "file" && ["directory", "missing"].includes(kindOf(hooks))
  // No repository that git would have made: nothing of it may change.
  if (!plain) return [{ path: git, how: "readonly" }]
  const standing = kindOf(hooks) === "directory" && !isStandIn(hooks)
  const others = ["commondir", "config.worktree"]
    .map((name) => join(git, name))
    .filter((path) => kindOf(path) === "file")
  const nested = [...ofNested(join(git, "modules")), ...ofNested(join(git, "worktrees"))]
  return [
    { path: git, how: "fixed" },
    { path: hooks, how: standing ? "readonly" : "absent" },
    ...[config, ...others, ...nested].map((path) => ({ path, how: "readonly" as const }))
  ]
}

const ofName = (root: string, name: string): ReadonlyArray<Guarded> => {
  const path = join(root, name)
  const kind = kindOf(path)
  if (kind === "missing" || isStandIn(path)) return [{ path, how: "absent" }]
  // What a link leads to can be kept, the link itself cannot: `undo` looks at it afterwards.
  if (kind === "link") return []
  return name === ".git" && kind === "directory" ? ofRepository(path) : [{ path, how: "readonly" }]
}

export const guardedPaths = (root: string): ReadonlyArray<Guarded> => {
  const there = attempt(() => readdirSync(root), []).filter((name) => guardOf(name).kind === "forbidden")
  return Array.from(new Set([...CONTROL_NAMES, ...there])).flatMap((name) => ofName(root, name))
}

/** Files that cannot be stood in for, as git would read what stands there: one that a call made is taken away. */
export const undoer = (root: string): (() => void) => {
  const files = ["commondir", "config.worktree"].map((name) => join(root, ".git", name))
  const missing = kindOf(join(root, ".git")) === "directory" ? files.filter((path) => kindOf(path) === "missing") : []
  return () => {
    for (const path of missing)
      if (kindOf(path) !== "missing") attempt(() => rmSync(path, { recursive: true }), undefined)
  }
}
