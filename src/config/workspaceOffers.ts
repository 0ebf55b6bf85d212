/**
 * What a directory holds that would take effect if its maker were trusted (SECURITY T8, R272).
 * Owns: the one table of such things, with what each would do, and a digest of what each is now. Reads only; follows no
 * link; runs nothing. Invariant: what cannot be read whole and as it stands has a `problem`, and is never trusted.
 */
import { lstatSync, readlinkSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { HOOK_PROGRAMS } from "./HookSettings.ts"
import { type Found, hash, lookAt, type Problem, type TreeFile, wrong } from "./offerTree.ts"

/** `trusted`: taken once the person trusts the directory. `later`: nothing here reads it yet. `never`: whatever is said. */
export type Taken = "trusted" | "later" | "never"

export type OfferKind = "settings" | "memory" | "skills" | "commands" | "hooks" | "servers" | "environment" | "grants"

export interface Offer {
  readonly kind: OfferKind
  /** Relative to the workspace, with `/`; of a directory above it with `../`. */
  readonly path: string
  readonly taken: Taken
  /** SHA-256 of its type, names and contents. */
  readonly digest: string
  /** Why it could not be taken as it stands. */
  readonly problem?: Problem
  /** The text of a file that would be taken: whoever uses it uses this, and does not read again. */
  readonly text?: string
  /** The same of a directory. */
  readonly files?: ReadonlyArray<TreeFile>
}

interface Row {
  readonly kind: OfferKind
  readonly taken: Taken
  readonly paths: ReadonlyArray<string>
  /** One stands for the others: the first that can be taken. */
  readonly one?: true
  /** Also of each directory above, up to the root of the repository; the outermost first. */
  readonly above?: true
  /** A directory: of programs, to be run as it is; or of texts, where links, which other tools make, are passed over. */
  readonly tree?: "whole" | "texts"
}

/** Both are taken, in this order; each only makes claw stricter. */
export const SETTINGS = [".claw/config.json", ".claw/settings.json"] as const

/** What people write for agents; the first one there is counts. */
export const MEMORY = ["AGENTS.md", "CLAUDE.md"] as const

/** Directories of procedures, in the order in which a name counts. */
const SKILLS = [".claw/skills", ".agents/skills", ".claude/skills"] as const

/** A directory of prompts by name. */
const COMMANDS = [".claw/commands"] as const

const table: ReadonlyArray<Row> = [
  { kind: "settings", taken: "trusted", paths: SETTINGS },
  { kind: "settings", taken: "never", paths: [".claw/settings.local.json", ".claw.json", "claw.config.json"] },
  { kind: "memory", taken: "trusted", paths: MEMORY, one: true, above: true },
  { kind: "memory", taken: "later", paths: ["CLAUDE.local.md", ".claw/AGENTS.md"] },
  { kind: "skills", taken: "trusted", paths: SKILLS, tree: "texts" },
  { kind: "commands", taken: "trusted", paths: COMMANDS, tree: "texts" },
  { kind: "hooks", taken: "trusted", paths: [HOOK_PROGRAMS], tree: "whole" },
  { kind: "hooks", taken: "later", paths: [".claw/hooks.json"] },
  { kind: "servers", taken: "later", paths: [".mcp.json", ".claw/mcp.json"] },
  { kind: "grants", taken: "never", paths: [".claw/grants.json", ".claw/trust.json", ".claw/trust"] },
  { kind: "environment", taken: "never", paths: [".env", ".env.local", ".envrc", ".claw/.env"] }
]

/** A control directory that is no directory stands for everything below it. */
const blocking = (workspace: string, path: string): { readonly path: string; readonly found: Found } | undefined => {
  const [first = "", ...rest] = path.split("/")
  if (rest.length === 0) return undefined
  const place = join(workspace, first)
  const stat = lstatSync(place, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return undefined
  return { path: first, found: stat.isSymbolicLink() ? wrong("link", readlinkSync(place)) : wrong("not_a_file") }
}

/** What of a row is there and could be taken is what it should be: a file, or a directory. */
const fitting = ({ taken, tree }: Row, found: Found): Found => {
  if (taken !== "trusted" || found.problem !== undefined) return found
  const fits = tree !== undefined ? found.files !== undefined : found.text !== undefined
  return fits ? found : { ...found, problem: "not_a_file" }
}

const offerAt = (workspace: string, row: Row, path: string): ReadonlyArray<Offer> => {
  const { kind, taken, tree } = row
  try {
    const blocked = blocking(workspace, path)
    // Another agent's directory that is a link brings nothing; claw's own is kept from being one.
    if (blocked !== undefined && tree === "texts" && !path.startsWith(".claw/")) return []
    if (blocked !== undefined) return [{ kind, taken, path: blocked.path, ...blocked.found }]
    const place = join(workspace, path)
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (stat === undefined || (tree === "texts" && stat.isSymbolicLink())) return []
    const { files, passed: _, text, ...found } = fitting(row, lookAt(place, tree === "texts" ? "passed" : "problem"))
    if (tree !== undefined && files?.length === 0) return []
    // One folder that cannot be taken whole is left out, and told; it takes nothing else with it.
    if (tree !== undefined && found.problem !== undefined) return [{ kind, path, ...found, taken: "never" }]
    const contents = { ...(text === undefined ? {} : { text }), ...(files === undefined ? {} : { files }) }
    return [{ kind, taken, path, ...found, ...(taken === "trusted" ? contents : {}) }]
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "ENOENT" || code === "ENOTDIR" ? [] : [{ kind, taken, path, ...wrong("unreadable") }]
  }
}

const MOST_ABOVE = 40

const isRepository = (path: string): boolean => lstatSync(join(path, ".git"), { throwIfNoEntry: false }) !== undefined

/**
 * The directories above, up to the root of the repository that `workspace` lies in, the outermost first; none where it
 * lies in none. A directory of another owner, or that everybody may write, ends the way: who plants a file there is
 * nobody of this project.
 */
const directoriesAbove = (workspace: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const { uid } = statSync(workspace)
  for (let at = workspace; found.length < MOST_ABOVE;) {
    if (isRepository(at)) return found.toReversed()
    const next = dirname(at)
    const stat = statSync(next)
    if (next === at || stat.uid !== uid || (stat.mode & 0o002) !== 0) return []
    found.push(next)
    at = next
  }
  return []
}

/** Of one directory; `up`: the way to it from the workspace. */
const offersAt = (directory: string, row: Row, up = ""): ReadonlyArray<Offer> => {
  const found = row.paths.flatMap((path) => offerAt(directory, row, path))
  const best = found.find(({ problem }) => problem === undefined) ?? found[0]
  const kept = row.one === true ? (best === undefined ? [] : [best]) : found
  return kept.map((offer) => ({ ...offer, path: `${up}${offer.path}` }))
}

const offersOf = (workspace: string, row: Row): ReadonlyArray<Offer> => {
  const higher = row.above === true ? directoriesAbove(workspace) : []
  const above = higher.flatMap((directory, i) => offersAt(directory, row, "../".repeat(higher.length - i)))
  return [...above, ...offersAt(workspace, row)]
}

/** Everything in `workspace` that a later run could take up; with `only`, of that sort. */
export const offersIn = (workspace: string, only?: Taken): ReadonlyArray<Offer> => {
  const seen = new Set<string>()
  return table
    .filter(({ taken }) => only === undefined || taken === only)
    .flatMap((row) => offersOf(workspace, row))
    .filter(({ path, taken }) => {
      if (only !== undefined && taken !== only) return false
      const fresh = !seen.has(`${taken} ${path}`)
      seen.add(`${taken} ${path}`)
      return fresh
    })
}

/** One digest for all of what would be taken. */
export const digestOf = (offers: ReadonlyArray<Offer>): string =>
  hash(...offers.filter(({ taken }) => taken === "trusted").flatMap(({ path, digest }) => [path, digest]))
