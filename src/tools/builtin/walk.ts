/**
 * The files below a folder that a person would want searched: what .gitignore leaves, hidden ones only when asked for,
 * nothing of .git, no link followed. Owns: the walk, its limits, the stack of ignore rules, one matcher per folder.
 * Invariant: the same tree gives the same list in the same order.
 */
import ignore, { type Ignore } from "ignore"
import { Effect } from "effect"
import type { Workspace } from "../../sandbox/Workspace.ts"
import type { WorkspaceError } from "../../sandbox/WorkspaceError.ts"

type Room = (typeof Workspace)["Service"]

export interface Walked {
  /** Relative to the workspace, with `/`, sorted. */
  readonly files: ReadonlyArray<string>
  /** False: there were more than the limit. */
  readonly complete: boolean
  /** Entries that would be here if they were not to be left out. */
  readonly left: number
  /** Those of them that are files. */
  readonly leftFiles: ReadonlyArray<string>
}

export interface WalkOptions {
  readonly hidden: boolean
  readonly maxFiles: number
  readonly accept: (relativeToBase: string) => boolean
  /** Not taken along, and if it is a folder, not entered. */
  readonly leaveOut: (relativeToWorkspace: string) => boolean
}

interface Rules {
  readonly folder: string
  readonly matcher: Ignore
}

const RULE_FILES = [".gitignore", ".ignore"]
const MAX_RULE_BYTES = 1024 * 1024
const YIELD_EVERY = 32

const join = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`)

const readRules = (workspace: Room, path: string): Effect.Effect<string> =>
  workspace.read(path, MAX_RULE_BYTES).pipe(
    Effect.map(({ bytes }) => bytes.toString("utf8")),
    Effect.catch(() => Effect.succeed(""))
  )

const rulesFrom = Effect.fnUntraced(function* (workspace: Room, folder: string, names: ReadonlyArray<string>) {
  const texts = yield* Effect.forEach(names, (name) => readRules(workspace, join(folder, name)))
  const text = texts.join("\n")
  return text.trim() === "" ? [] : [{ folder, matcher: ignore({ allowRelativePaths: true }).add(text) }]
})

/** The nearest folder's rules that say anything decide. */
const isIgnored = (rules: ReadonlyArray<Rules>, path: string, isFolder: boolean): boolean => {
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    const { folder, matcher } = rules[at] as Rules
    const below = folder === "" ? path : path.slice(folder.length + 1)
    const verdict = matcher.test(isFolder ? `${below}/` : below)
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}

/** Rules of the folders above the base. A base that they ignore was asked for by name: then they do not count. */
const rulesAbove = Effect.fnUntraced(function* (workspace: Room, base: string) {
  const names = base === "" ? [] : base.split("/")
  const rules: Array<Rules> = []
  rules.push(...(yield* rulesFrom(workspace, "", [".git/info/exclude", ...(base === "" ? [] : RULE_FILES)])))
  for (let depth = 1; depth <= names.length; depth += 1) {
    const folder = names.slice(0, depth).join("/")
    if (isIgnored(rules, folder, true)) return []
    if (depth < names.length) rules.push(...(yield* rulesFrom(workspace, folder, RULE_FILES)))
  }
  return rules
})

interface Folder {
  readonly path: string
  readonly rules: ReadonlyArray<Rules>
}

const isSeen = (name: string, options: WalkOptions): boolean =>
  name !== ".git" && (options.hidden || !name.startsWith("."))

const visit = Effect.fnUntraced(function* (workspace: Room, folder: Folder, base: string, options: WalkOptions) {
  // A folder that went away or may not be read is one folder less, not the end of the search.
  const entries = yield* Effect.catch(workspace.list(folder.path === "" ? "." : folder.path), () => Effect.succeed([]))
  const own = RULE_FILES.filter((name) => entries.some((entry) => entry.name === name))
  const rules = own.length === 0 ? folder.rules : [...folder.rules, ...(yield* rulesFrom(workspace, folder.path, own))]
  const files: Array<string> = []
  const folders: Array<Folder> = []
  let left = 0
  const leftFiles: Array<string> = []
  for (const { kind, name } of entries) {
    const path = join(folder.path, name)
    if (!isSeen(name, options) || (kind !== "file" && kind !== "directory")) continue
    if (isIgnored(rules, path, kind === "directory")) continue
    const isFolder = kind === "directory"
    if (!isFolder && !options.accept(base === "" ? path : path.slice(base.length + 1))) continue
    if (options.leaveOut(path)) {
      left += 1
      if (!isFolder) leftFiles.push(path)
    } else if (isFolder) folders.push({ path, rules })
    else files.push(path)
  }
  return { files, folders, left, leftFiles }
})

export const walk = Effect.fnUntraced(function* (
  workspace: Room,
  base: string,
  options: WalkOptions
): Effect.fn.Return<Walked, WorkspaceError> {
  const files: Array<string> = []
  const queue: Array<Folder> = [{ path: base, rules: yield* rulesAbove(workspace, base) }]
  let visited = 0
  let left = 0
  const leftFiles: Array<string> = []
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    const found = yield* visit(workspace, folder, base, options)
    files.push(...found.files)
    left += found.left
    leftFiles.push(...found.leftFiles)
    queue.push(...found.folders.toReversed())
    if (files.length > options.maxFiles) break
    visited += 1
    // Real turns of the loop: the walk must not starve the other sessions.
    if (visited % YIELD_EVERY === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  const sorted = files.toSorted((a, b) => (a < b ? -1 : 1))
  return { files: sorted.slice(0, options.maxFiles), complete: files.length <= options.maxFiles, left, leftFiles }
})
