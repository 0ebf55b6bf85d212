/**
 * Which repositories lie in a workspace, at any depth: `.git` of whatever kind, and directories that git takes for a
 * repository by what is in them (bare ones, those of submodules and work trees).
 * Owns: the walk and what it remembers: a directory whose change time is the same is not read again, as whoever adds
 * an entry moves it. Links are not followed. Does not own: the workspace's own `.git` (guardedPaths), what is wrong.
 */
import { lstatSync, readdirSync, type Dirent } from "node:fs"
import { attempt, identityOf } from "./look.ts"

export interface Repository {
  /** `.git`, or the directory itself. */
  readonly path: string
  readonly kind: "directory" | "file" | "link"
  /** The same wherever it is moved. */
  readonly id: string
}

export interface Walk {
  readonly found: ReadonlyArray<Repository>
  /** False: there are more directories than are looked at. */
  readonly complete: boolean
}

interface Seen {
  readonly changed: bigint
  /** It was read so soon after a change that a second one could have the same time. */
  readonly racy: boolean
  readonly below: ReadonlyArray<string>
  readonly git: Repository["kind"] | undefined
  readonly isRepository: boolean
}

const MOST = 200_000
/** Two ticks of the coarsest clock that a file system takes its times from. */
const TICKS_NS = 20_000_000n
const REMEMBERED = 8

const remembered = new Map<string, Map<string, Seen>>()

const memoryOf = (root: string): Map<string, Seen> => {
  const known = remembered.get(root) ?? new Map<string, Seen>()
  remembered.delete(root)
  remembered.set(root, known)
  for (const [oldest] of remembered) if (remembered.size > REMEMBERED) remembered.delete(oldest)
  return known
}

const kindOfEntry = (entry: Dirent | undefined): Seen["git"] => {
  if (entry === undefined) return undefined
  if (entry.isSymbolicLink()) return "link"
  return entry.isDirectory() ? "directory" : "file"
}

const read = (path: string, changed: bigint): Seen => {
  const now = BigInt(Date.now()) * 1_000_000n
  const entries = readdirSync(path, { withFileTypes: true })
  const names = new Set(entries.map(({ name }) => name))
  return {
    changed,
    racy: now - changed < TICKS_NS,
    below: entries.filter((entry) => entry.isDirectory() && entry.name !== ".git").map(({ name }) => name),
    git: kindOfEntry(entries.find(({ name }) => name === ".git")),
    isRepository: names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")))
  }
}

const look = (path: string, known: Map<string, Seen>): Seen | undefined =>
  attempt(() => {
    const changed = lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs
    if (changed === undefined) return undefined
    const before = known.get(path)
    if (before !== undefined && before.changed === changed && !before.racy) return before
    return read(path, changed)
  })

/** Where git keeps the repositories of submodules and of further work trees. */
const INNER = ["modules", "worktrees"]

export const findRepositories = (root: string): Walk => {
  const known = memoryOf(root)
  const next = new Map<string, Seen>()
  const found: Array<Repository> = []
  const add = (path: string, kind: Repository["kind"]): void => {
    const id = identityOf(path)
    if (id !== undefined) found.push({ path, kind, id })
  }
  const left = [root]
  for (let path = left.pop(); path !== undefined && next.size < MOST; path = left.pop()) {
    const seen = look(path, known)
    if (seen === undefined) continue
    next.set(path, seen)
    for (const name of seen.below) left.push(`${path}/${name}`)
    if (seen.isRepository && path !== `${root}/.git`) add(path, "directory")
    if (seen.git !== undefined && path !== root) add(`${path}/.git`, seen.git)
    if (seen.git === "directory") for (const name of INNER) left.push(`${path}/.git/${name}`)
  }
  remembered.set(root, next)
  return { found, complete: left.length === 0 }
}
