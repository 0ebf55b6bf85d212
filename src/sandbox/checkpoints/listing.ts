/**
 * What git says of one root: the workspace, or a repository inside it, each with an index of its own. Owns: the
 * questions. Invariants: nothing here writes below the workspace; a question has a limit of time and of bytes.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Blobs } from "./blobs.ts"
import { bytesOf, type Entry } from "./entry.ts"
import { git, type GitCall, GitError, type GitPlace, parts } from "./git.ts"
import { indexName, type Layout } from "./layout.ts"

export interface Room {
  readonly layout: Layout
  readonly place: GitPlace
  readonly time_ms: number
}

const MAX_LIST_BYTES = 32 * 1024 * 1024
const MAX_NAMED = 400

/** A name that Node cannot say to a child as it is has no root of its own. */
export const isSayable = (prefix: string): boolean =>
  Buffer.from(bytesOf(prefix).toString("utf8"), "utf8").equals(bytesOf(prefix))

const treeOf = ({ layout }: Room, prefix: string): string => {
  const tree = prefix === "" ? layout.root : join(layout.root, bytesOf(prefix).toString("utf8"))
  return statSync(tree, { throwIfNoEntry: false })?.isDirectory() === true ? tree : layout.empty
}

export const indexOf = ({ layout }: Pick<Room, "layout">, prefix: string): string => join(layout.own, indexName(prefix))

const ask = (room: Room, prefix: string, call: Pick<GitCall, "args" | "input">) =>
  git(room.place, {
    ...call,
    workTree: treeOf(room, prefix),
    index: indexOf(room, prefix),
    timeout_ms: room.time_ms,
    max_bytes: MAX_LIST_BYTES
  })

/** Entries in an index: it stands in its head. */
export const entriesIn = (index: string): number => {
  try {
    return readFileSync(index).readUInt32BE(8)
  } catch {
    return 0
  }
}

/** What the person keeps out of their repository for themselves. */
const ownExcludes = (tree: string): ReadonlyArray<string> => {
  const file = join(tree, ".git", "info", "exclude")
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats?.isFile() === true ? [`--exclude-from=${file}`] : []
}

export interface Listed {
  /** In the index, and other now, or gone. */
  readonly changed: ReadonlyArray<string>
  /** Not in the index, not ignored. */
  readonly others: ReadonlyArray<string>
  /** Repositories inside, without the slash. */
  readonly nested: ReadonlyArray<string>
}

/** How the root differs from its index. Paths are relative to the root. */
export const differing = Effect.fnUntraced(function* (room: Room, prefix: string) {
  const own = ownExcludes(treeOf(room, prefix))
  const args = ["ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard", ...own]
  const { code, output } = yield* ask(room, prefix, { args })
  if (code !== 0) return yield* new GitError({ reason: "failed", detail: "git ls-files failed." })
  const changed = new Set<string>()
  const others: Array<string> = []
  const nested: Array<string> = []
  for (const item of parts(output)) {
    const path = item.slice(2)
    if (!item.startsWith("? ")) changed.add(path)
    else if (path.endsWith("/")) nested.push(path.slice(0, -1))
    else others.push(path)
  }
  return { changed: Array.from(changed), others, nested } satisfies Listed
})

const entryLine = /^([0-7]{6}) ([0-9a-f]{40}) 0\t([^]*)$/

/** What the index holds of these paths; of all where none are named. */
export const indexed = Effect.fnUntraced(function* (room: Room, prefix: string, paths?: ReadonlyArray<string>) {
  const named = paths === undefined || paths.length > MAX_NAMED || !paths.every(isSayable) ? [] : paths
  const names = named.map((path) => bytesOf(path).toString("utf8"))
  const { output } = yield* ask(room, prefix, { args: ["ls-files", "-z", "-s", "--", ...names] })
  const found = new Map<string, Entry>()
  for (const item of parts(output)) {
    const [, mode = "", blob = "", path = ""] = entryLine.exec(item) ?? []
    if (blob !== "") found.set(path, { mode: Number.parseInt(mode, 8), blob })
  }
  return found
})

/** What is taken when the time is over need not be taken again. */
const TAKEN_AT_ONCE = 500

/** Takes these paths into the index as they are now, their contents into the store. */
export const take = Effect.fnUntraced(function* (room: Room, prefix: string, paths: ReadonlyArray<string>) {
  for (let from = 0; from < paths.length; from += TAKEN_AT_ONCE) {
    yield* takeSome(room, prefix, paths.slice(from, from + TAKEN_AT_ONCE))
  }
})

const takeSome = Effect.fnUntraced(function* (room: Room, prefix: string, paths: ReadonlyArray<string>) {
  // One writer has this index: a lock is what a killed git left.
  yield* Effect.promise(() => rm(`${indexOf(room, prefix)}.lock`, { force: true }))
  const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]
  const input = bytesOf(paths.map((path) => `${path}\0`).join(""))
  const { code } = yield* ask(room, prefix, { args, input })
  if (code !== 0) return yield* new GitError({ reason: "failed", detail: "git update-index failed." })
})

const isRules = (path: string): boolean => path === ".gitignore" || path.endsWith("/.gitignore")

/** Lays the rules of the index out as files: git knows them only so. */
const layRules = async (into: string, rules: ReadonlyMap<string, Entry>, blobs: Blobs): Promise<void> => {
  for (const [path, { blob }] of rules) {
    const text = await blobs.get(blob)
    if (text === undefined) continue
    const place = join(into, bytesOf(path).toString("utf8"))
    await mkdir(join(place, ".."), { recursive: true })
    await writeFile(place, text)
  }
}

/**
 * Of `others`, those that were there already but ignored: the call changed the rules, and did not make these files.
 * Where rules did not change there is none.
 */
export const unveiled = (room: Room, prefix: string, listed: Listed, blobs: Blobs) => {
  const touched = [...listed.changed, ...listed.others].some(isRules)
  if (!touched || listed.others.length === 0) return Effect.succeed<ReadonlySet<string>>(new Set())
  const directory = Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(room.layout.temporary, "rules-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  return Effect.gen(function* () {
    const rules = new Map(Array.from(yield* indexed(room, prefix)).filter(([path]) => isRules(path)))
    const into = yield* directory
    yield* Effect.promise(() => layRules(into, rules, blobs))
    // The dot keeps a name that begins like a pattern from being one.
    const input = bytesOf(listed.others.map((path) => `./${path}\0`).join(""))
    const { output } = yield* git(room.place, {
      args: ["check-ignore", "--no-index", "-z", "--stdin"],
      workTree: into,
      input,
      patterns: true,
      timeout_ms: room.time_ms,
      max_bytes: MAX_LIST_BYTES
    })
    return new Set(parts(output).map((path) => path.slice(2))) as ReadonlySet<string>
  }).pipe(Effect.scoped)
}

/** An index to begin with, where another session left one. */
export const hasIndex = (room: Room, prefix: string): boolean => existsSync(indexOf(room, prefix))
