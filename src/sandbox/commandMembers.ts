/**
 * The manifests of what belongs to a workspace of packages (SECURITY P12): its scripts call theirs. Owns: where a root
 * manifest says they are. Looks, changes nothing. Invariant: a pattern that matches too much has no answer, never a part
 * of one.
 */
import type { Paths } from "./commandPaths.ts"
import { globNames } from "./commandGlob.ts"

type Read = (path: string) => string | undefined

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

const npmPatterns = (read: Read): ReadonlyArray<string> => {
  const yaml = Array.from(
    (read("pnpm-workspace.yaml") ?? "").matchAll(/^[ \t]*-\s*["']?([^"'#\n]+)/gm),
    ([, one = ""]) => one
  )
  try {
    const { workspaces } = JSON.parse(read("package.json") ?? "{}") as { readonly workspaces?: unknown }
    const inner =
      typeof workspaces === "object" && workspaces !== null && "packages" in workspaces
        ? workspaces.packages
        : workspaces
    return [...strings(inner), ...yaml]
  } catch {
    return yaml
  }
}

/** Of `members = […]`, and of dependencies that are paths. */
const cargoPatterns = (read: Read): ReadonlyArray<string> => {
  const text = read("Cargo.toml") ?? ""
  const from = /^[ \t]*members\s*=\s*\[/m.exec(text)
  const behind = from === null ? "" : text.slice(from.index + from[0].length)
  const members = behind.slice(0, Math.max(0, behind.indexOf("]")))
  const listed = Array.from(members.matchAll(/["']([^"'\n]+)["']/g), ([, one = ""]) => one)
  return [...listed, ...Array.from(text.matchAll(/\bpath\s*=\s*["']([^"'\n]+)["']/g), ([, one = ""]) => one)]
}

const KINDS = {
  npm: { patterns: npmPatterns, files: ["package.json"] },
  cargo: { patterns: cargoPatterns, files: ["Cargo.toml", "build.rs"] }
} as const

/** `a/**` is up to three levels of it. */
const levels = (pattern: string): ReadonlyArray<string> =>
  pattern.includes("**") ? ["*", "*/*", "*/*/*"].map((deep) => pattern.replace("**", deep)) : [pattern]

/** Relative to the workspace, where they lie in it; undefined: too many. */
export const membersOf = (kind: keyof typeof KINDS, read: Read, paths: Paths): ReadonlyArray<string> | undefined => {
  const { files, patterns } = KINDS[kind]
  const found: Array<string> = []
  for (const pattern of patterns(read)) {
    const plain = pattern
      .trim()
      .replace(/^\.\//, "")
      .replace(/(?<!\/)\/+$/, "")
    if (plain === "" || plain.startsWith("!") || plain.startsWith("/") || plain.split("/").includes("..")) continue
    for (const one of levels(plain)) {
      const names = globNames(paths.workspace, one, paths.budget)
      if (names === undefined) return undefined
      found.push(...names.flatMap((name) => files.map((file) => `${name}/${file}`)))
    }
  }
  return found
}
