/**
 * Which repositories lie in a workspace, at any depth: `.git` of whatever kind, and directories that git takes for a
 * repository by what is in them (bare ones, those of submodules and work trees).
 * Owns: the walk and what it remembers: a directory whose change time is the same is not read again, as whoever adds
 * an entry moves it. Links are not followed. Does not own: the workspace's own `.git` (guardedPaths), what is wrong.
 */
import { lstatSync, type Dirent } from "node:fs"
import { entriesOf, onDisk } from "../fileNames.ts"
import { isShapeOfGit } from "../gitShape.ts"
import { attempt, identityOf, kindOf } from "../look.ts"

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
  /** Directories that could not be read: of what lies in them only what git looks for by name was looked for. */
  readonly unread: ReadonlyArray<string>
  /** Sockets of whoever listens in the workspace. */
  readonly sockets: ReadonlyArray<string>
}

interface Seen {
  readonly changed: bigint
  /** It was read so soon after a change that a second one could have the same time. */
  readonly racy: boolean
  readonly below: ReadonlyArray<string>
  readonly git: Repository["kind"] | undefined
  readonly isRepository: boolean
  readonly sockets: ReadonlyArray<string>
  readonly unread?: true
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

const kindOfEntry = (entry: Dirent<Buffer> | undefined): Seen["git"] => {
  if (entry === undefined) return undefined
  if (entry.isSymbolicLink()) return "link"
  return entry.isDirectory() ? "directory" : "file"
}

const read = (path: string, changed: bigint): Seen => {
  const now = BigInt(Date.now()) * 1_000_000n
  const entries = entriesOf(path)
  const names = new Set(entries.map(({ name }) => name))
  return {
    changed,
    racy: now - changed < TICKS_NS,
    below: entries.filter(({ entry, name }) => entry.isDirectory() && name !== ".git").map(({ name }) => name),
    git: kindOfEntry(entries.find(({ name }) => name === ".git")?.entry),
    isRepository: isShapeOfGit((name) => names.has(name)),
    sockets: entries.filter(({ entry }) => entry.isSocket()).map(({ name }) => name)
  }
}

/** git needs no list of a directory to go into it by name. */
const probe = (path: string): Seen => {
  const has = (name: string) => kindOf(`${path}/${name}`) !== "missing"
  const git = kindOf(`${path}/.git`)
  return {
    changed: 0n,
    racy: true,
    below: [],
    git: git === "missing" ? undefined : git,
    isRepository: isShapeOfGit(has),
    sockets: [],
    unread: true
  }
}

const look = (path: string, known: Map<string, Seen>): Seen | undefined =>
  attempt(() => {
    const stats = lstatSync(onDisk(path), { bigint: true, throwIfNoEntry: false })
    if (stats?.isDirectory() !== true) return undefined
    const before = known.get(path)
    if (before !== undefined && before.changed === stats.ctimeNs && !before.racy) return before
    return attempt(() => read(path, stats.ctimeNs)) ?? probe(path)
  })

/** Where git keeps the repositories of submodules and of further work trees. */
const INNER = ["modules", "worktrees"]

export const findRepositories = (root: string): Walk => {
  const known = memoryOf(root)
  const next = new Map<string, Seen>()
  const [found, unread, sockets]: [Array<Repository>, Array<string>, Array<string>] = [[], [], []]
  const add = (path: string, kind: Repository["kind"]): void => {
    const id = identityOf(path)
    if (id !== undefined) found.push({ path, kind, id })
  }
  const left = [root]
  for (let path = left.pop(); path !== undefined && next.size < MOST; path = left.pop()) {
    const seen = look(path, known)
    if (seen === undefined) continue
    next.set(path, seen)
    if (seen.unread === true) unread.push(path)
    for (const name of seen.sockets) sockets.push(`${path}/${name}`)
    for (const name of seen.below) left.push(`${path}/${name}`)
    if (seen.isRepository && path !== `${root}/.git`) add(path, "directory")
    if (seen.git !== undefined && path !== root) add(`${path}/.git`, seen.git)
    if (seen.git === "directory") for (const name of INNER) left.push(`${path}/.git/${name}`)
  }
  remembered.set(root, next)
  return { found, complete: left.length === 0, unread, sockets }
}
