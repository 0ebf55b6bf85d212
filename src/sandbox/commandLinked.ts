/**
 * Packages of the workspace that its modules know by a name: `node_modules/@a/b` is a link to `packages/b` (SECURITY P12).
 * Owns: which names of a text are such, and the files that they may mean. Does not own: names of paths (commandSources).
 * Looks, changes nothing. Invariant: whatever a package's manifest names as its entry counts.
 */
import { lstatSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Paths } from "./commandPaths.ts"

const NAMES = /\b(?:from|import|require|resolve)\s*\(?\s*["'`]((?:@[\w.-]+\/)?[\w][\w.-]*(?:\/[\w./-]+)?)["'`]/g
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", "/index.js", "/index.mjs", "/index.cjs", "/index.ts"]
const MAX_NAMES = 200

const leaves = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > 6) return []
  return Object.values(value).flatMap((one) => leaves(one, depth + 1))
}

const entriesOf = (directory: string): ReadonlyArray<string> => {
  try {
    const manifest = JSON.parse(readFileSync(`${directory}/package.json`, "utf8")) as Readonly<Record<string, unknown>>
    const named = ["main", "module", "exports", "imports", "bin", "browser"].flatMap((key) => leaves(manifest[key]))
    return named.filter((name) => !name.includes("*"))
  } catch {
    return []
  }
}

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    return false
  }
}

/** Absolute. */
export const linkedFiles = (text: string, { budget, place, workspace }: Paths): ReadonlyArray<string> => {
  const names = new Set(Array.from(text.matchAll(NAMES), ([, name = ""]) => name))
  return [...names].slice(0, MAX_NAMES).flatMap((name) => {
    const parts = name.split("/")
    const own = parts.slice(0, name.startsWith("@") ? 2 : 1)
    const at = `${workspace}/node_modules/${own.join("/")}`
    budget.spend()
    if (!isLink(at)) return []
    const { inside, path } = place(at)
    if (!inside || path.includes("/node_modules/")) return []
    const below = parts.slice(own.length).join("/")
    const bases = below === "" ? [...entriesOf(path), "index"] : [below, ...entriesOf(path)]
    return [
      `${path}/package.json`,
      ...bases.flatMap((base) => ENDINGS.map((ending) => resolve(path, `${base}${ending}`)))
    ]
  })
}
