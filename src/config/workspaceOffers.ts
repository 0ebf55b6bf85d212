/**
 * What a directory holds that would take effect if its maker were trusted (SECURITY T8, R272).
 * Owns: the one table of such things, with what each would do, and a digest of what each is now. Reads only; follows no
 * link; runs nothing. Invariant: what cannot be read whole and as it stands has a `problem`, and is never trusted.
 */
import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { readText } from "./configFile.ts"

/** `trusted`: taken once the person trusts the directory. `later`: nothing here reads it yet. `never`: whatever is said. */
export type Taken = "trusted" | "later" | "never"

export type OfferKind = "settings" | "memory" | "skills" | "hooks" | "servers" | "environment" | "grants"

export interface Offer {
  readonly kind: OfferKind
  /** Relative to the workspace, with `/`. */
  readonly path: string
  readonly taken: Taken
  /** SHA-256 of its type, names and contents. */
  readonly digest: string
  /** Why it could not be taken as it stands. */
  readonly problem?: "link" | "not_a_file" | "unreadable" | "too_large"
  /** The text of a file that would be taken: whoever uses it uses this, and does not read again. */
  readonly text?: string
}

interface Row {
  readonly kind: OfferKind
  readonly taken: Taken
  readonly paths: ReadonlyArray<string>
}

/** Both are taken, in this order; each only makes claw stricter. */
export const SETTINGS = [".claw/config.json", ".claw/settings.json"] as const

const table: ReadonlyArray<Row> = [
  { kind: "settings", taken: "trusted", paths: SETTINGS },
  { kind: "settings", taken: "never", paths: [".claw/settings.local.json", ".claw.json", "claw.config.json"] },
  { kind: "memory", taken: "later", paths: ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claw/AGENTS.md"] },
  { kind: "skills", taken: "later", paths: [".claw/skills", ".agents/skills", ".claude/skills"] },
  { kind: "hooks", taken: "later", paths: [".claw/hooks", ".claw/hooks.json"] },
  { kind: "servers", taken: "later", paths: [".mcp.json", ".claw/mcp.json"] },
  { kind: "grants", taken: "never", paths: [".claw/grants.json", ".claw/trust.json", ".claw/trust"] },
  { kind: "environment", taken: "never", paths: [".env", ".env.local", ".envrc", ".claw/.env"] }
]

/** What a directory may hold and still be looked at whole. */
const MAX_ENTRIES = 2000
const MAX_BYTES = 8_388_608

const hash = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(parts.map((part) => `${part.length}:${part}`).join(""))
    .digest("hex")

type Found = Pick<Offer, "digest" | "problem" | "text">
interface Budget {
  entries: number
  bytes: number
}

const wrong = (problem: NonNullable<Offer["problem"]>, ...parts: ReadonlyArray<string>): Found => ({
  digest: hash(problem, ...parts),
  problem
})

const file = (path: string, size: number, budget: Budget): Found => {
  budget.bytes -= size
  if (budget.bytes < 0) return wrong("too_large", String(size))
  const text = readText(path, false)
  return { digest: hash("file", text), text }
}

const directory = (path: string, budget: Budget): Found => {
  const parts: Array<string> = []
  for (const name of readdirSync(path).toSorted()) {
    budget.entries -= 1
    if (budget.entries < 0) return wrong("too_large")
    const { digest, problem } = look(join(path, name), budget)
    if (problem !== undefined) return wrong(problem, name, digest)
    parts.push(name, digest)
  }
  return { digest: hash("directory", ...parts) }
}

const look = (path: string, budget: Budget): Found => {
  try {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return wrong("link", readlinkSync(path))
    if (stat.isDirectory()) return directory(path, budget)
    return stat.isFile() ? file(path, stat.size, budget) : wrong("not_a_file")
  } catch {
    return wrong("unreadable")
  }
}

/** A control directory that is no directory stands for everything below it. */
const above = (workspace: string, path: string): { readonly path: string; readonly found: Found } | undefined => {
  const [first = "", ...rest] = path.split("/")
  if (rest.length === 0) return undefined
  const place = join(workspace, first)
  const stat = lstatSync(place, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return undefined
  return { path: first, found: stat.isSymbolicLink() ? wrong("link", readlinkSync(place)) : wrong("not_a_file") }
}

const offerAt = (workspace: string, { kind, taken }: Row, path: string): ReadonlyArray<Offer> => {
  try {
    const blocked = above(workspace, path)
    if (blocked !== undefined) return [{ kind, taken, path: blocked.path, ...blocked.found }]
    const place = join(workspace, path)
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return []
    const { text, ...found } = look(place, { entries: MAX_ENTRIES, bytes: MAX_BYTES })
    if (kind === "settings" && text === undefined) return [{ kind, taken, path, problem: "not_a_file", ...found }]
    return [{ kind, taken, path, ...found, ...(taken === "trusted" && text !== undefined ? { text } : {}) }]
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "ENOENT" || code === "ENOTDIR" ? [] : [{ kind, taken, path, ...wrong("unreadable") }]
  }
}

/** Everything in `workspace` that a later run could take up; with `only`, of that sort. */
export const offersIn = (workspace: string, only?: Taken): ReadonlyArray<Offer> => {
  const seen = new Set<string>()
  return table
    .filter(({ taken }) => only === undefined || taken === only)
    .flatMap((row) => row.paths.flatMap((path) => offerAt(workspace, row, path)))
    .filter(({ path, taken }) => {
      const fresh = !seen.has(`${taken} ${path}`)
      seen.add(`${taken} ${path}`)
      return fresh
    })
}

/** One digest for all of what would be taken. */
export const digestOf = (offers: ReadonlyArray<Offer>): string =>
  hash(...offers.filter(({ taken }) => taken === "trusted").flatMap(({ path, digest }) => [path, digest]))
