/**
 * The whole workspace before and behind a call that may change any file. Owns: what is kept and what is not, the limits.
 * Invariants: before, the indexes become what the workspace is; behind, they stay as they are, so that whatever happens
 * the difference can be told again; a file that was there before the call is never taken for one that the call made.
 */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { SkipReason } from "../Checkpoints.ts"
import type { Blobs } from "./blobs.ts"
import { type Change, type Entry, type Held, isLink, same } from "./entry.ts"
import { GitError } from "./git.ts"
import { indexName } from "./layout.ts"
import {
  differing,
  entriesIn,
  hasIndex,
  indexed,
  indexOf,
  isSayable,
  type Listed,
  type Room,
  take,
  unveiled
} from "./listing.ts"
import * as Places from "./places.ts"

export interface ScanLimits extends Places.Limits {
  /** Files of the workspace that are not ignored. */
  readonly files: number
  /** Bytes that one look may have to read. */
  readonly bytes: number
  /** Milliseconds for one look. */
  readonly time_ms: number
}

/** Repositories inside the workspace that are kept, too. */
const MAX_NESTED = 20
const AT_ONCE = 16

export interface Scanner {
  readonly room: Room
  readonly blobs: Blobs
  readonly limits: ScanLimits
  /** Permissions that git does not keep, by path. */
  readonly modes: Map<string, number>
}

/** What a look before a call has to remember for the look behind it. */
export interface Base {
  readonly roots: ReadonlyArray<string>
  /** There, and not kept: too large, unreadable, no regular file. */
  readonly passed: ReadonlyArray<string>
}

export class Refused {
  readonly _tag = "Refused"
  readonly reason: SkipReason
  constructor(reason: SkipReason) {
    this.reason = reason
  }
}

const reasons = { no_git: "no_git", too_slow: "too_slow", too_much: "too_many_files", failed: "failed" } as const
const refusal = (error: GitError | Refused): Refused =>
  error instanceof GitError ? new Refused(reasons[error.reason]) : error

const joined = (prefix: string, path: string): string => (prefix === "" ? path : `${prefix}/${path}`)

/** A session that has no index yet begins with one that another left: it knows most files already. */
const warmUp = ({ room }: Scanner, prefix: string): void => {
  const warm = join(room.layout.warm, indexName(prefix))
  if (!hasIndex(room, prefix) && existsSync(warm)) copyFileSync(warm, indexOf(room, prefix))
}

const eachPath = <A>(paths: ReadonlyArray<string>, use: (path: string) => Promise<A>) =>
  Effect.forEach(paths, (path) => Effect.promise(() => use(path)), { concurrency: AT_ONCE })

const USUAL = new Set([0, 0o644, 0o755])

/** What of these can be taken; the rest is passed by. */
const sift = Effect.fnUntraced(function* (scanner: Scanner, prefix: string, paths: ReadonlyArray<string>) {
  const { room, limits, modes } = scanner
  const taken: Array<string> = []
  const passed: Array<string> = []
  let bytes = 0
  const facts = yield* eachPath(paths, (path) => Places.glance(room.layout.root, joined(prefix, path), limits))
  facts.forEach((fact, i) => {
    const path = paths[i] as string
    if (fact === undefined) return void passed.push(joined(prefix, path))
    taken.push(path)
    bytes += fact.bytes
    if (USUAL.has(fact.mode)) modes.delete(joined(prefix, path))
    else modes.set(joined(prefix, path), fact.mode)
  })
  return { taken, passed, bytes }
})

/** Whether another root inside this one has the path. */
const isOthers = (path: string, prefix: string, roots: ReadonlyArray<string>): boolean =>
  roots.some((root) => root.length > prefix.length && path.startsWith(`${root}/`))

/** Brings one root's index up to what is there. */
const bringUp = Effect.fnUntraced(function* (scanner: Scanner, prefix: string, roots: ReadonlyArray<string>) {
  const { room, limits } = scanner
  warmUp(scanner, prefix)
  const listed = yield* differing(room, prefix)
  const others = listed.others.filter((path) => !isOthers(joined(prefix, path), prefix, roots))
  const count = entriesIn(indexOf(room, prefix)) + others.length
  if (count > limits.files) return yield* Effect.fail(new Refused("too_many_files"))
  const { taken, passed, bytes } = yield* sift(scanner, prefix, [...listed.changed, ...others])
  if (bytes > limits.bytes) return yield* Effect.fail(new Refused("too_large"))
  yield* take(room, prefix, taken)
  return { count, passed, nested: listed.nested.map((path) => joined(prefix, path)).filter(isSayable) }
})

const lookBefore = Effect.fnUntraced(function* (scanner: Scanner) {
  const roots: Array<string> = [""]
  const passed: Array<string> = []
  let files = 0
  for (const prefix of roots) {
    const up = yield* Effect.catch(bringUp(scanner, prefix, roots), (error) => {
      if (!(error instanceof GitError) || error.reason !== "failed") return Effect.fail(error)
      // A file went while it was looked at, or the index is damaged: once more, from nothing.
      rmSync(indexOf(scanner.room, prefix), { force: true })
      return bringUp(scanner, prefix, roots)
    })
    files += up.count
    if (files > scanner.limits.files) return yield* Effect.fail(new Refused("too_many_files"))
    passed.push(...up.passed)
    roots.push(...up.nested.slice(0, Math.max(0, MAX_NESTED + 1 - roots.length)))
  }
  return { roots, passed } satisfies Base
})

/** The indexes are what the workspace is, or why not. */
export const before = (scanner: Scanner): Effect.Effect<Base, Refused> => {
  const late = Effect.fail(new Refused("too_slow"))
  return lookBefore(scanner).pipe(
    Effect.timeoutOrElse({ duration: scanner.limits.time_ms, orElse: () => late }),
    Effect.mapError(refusal)
  )
}

const withMode = (entry: Entry, mode: number | undefined): Entry =>
  mode === undefined || isLink(entry) ? entry : { ...entry, mode: 0o100000 | mode }

/** What the index says a path was, as long as the store still has it. */
const beforeOf = async ({ blobs, modes }: Scanner, path: string, entry: Entry | undefined): Promise<Held> => {
  if (entry === undefined) return null
  return (await blobs.keep(entry.blob)) ? withMode(entry, modes.get(path)) : "unknown"
}

const changesIn = Effect.fnUntraced(function* (scanner: Scanner, prefix: string, base: Base) {
  const { room, blobs, limits } = scanner
  const listed: Listed = yield* differing(room, prefix)
  if (listed.changed.length + listed.others.length > limits.files)
    return yield* Effect.fail(new Refused("too_many_files"))
  const hidden = yield* unveiled(room, prefix, listed, blobs)
  const passed = new Set(base.passed)
  const isOurs = (path: string) => !passed.has(joined(prefix, path))
  const made = listed.others.filter(
    (path) => isOurs(path) && !hidden.has(path) && !isOthers(joined(prefix, path), prefix, base.roots)
  )
  const changed = listed.changed.filter(isOurs)
  const entries = changed.length === 0 ? new Map<string, Entry>() : yield* indexed(room, prefix, changed)
  return yield* eachPath([...changed, ...made], async (relative): Promise<Change> => {
    const path = joined(prefix, relative)
    const was = await beforeOf(scanner, path, entries.get(relative))
    return { path, before: was, after: await Places.look(room.layout.root, path, blobs, limits) }
  })
})

/** What is other than the indexes say. */
export const behind = (scanner: Scanner, base: Base): Effect.Effect<ReadonlyArray<Change>, Refused> => {
  const late = Effect.fail(new Refused("too_slow"))
  return Effect.forEach(base.roots, (prefix) => changesIn(scanner, prefix, base)).pipe(
    Effect.map((all) => all.flat().filter(({ before: was, after }) => !same(was, after))),
    Effect.timeoutOrElse({ duration: scanner.limits.time_ms, orElse: () => late }),
    Effect.mapError(refusal)
  )
}

/** Leaves the indexes for the next session, each in one step. */
export const leave = ({ room }: Scanner, base: Base): void => {
  const { own, warm } = room.layout
  for (const prefix of base.roots) {
    if (!hasIndex(room, prefix)) continue
    const copy = join(own, "leaving")
    copyFileSync(indexOf(room, prefix), copy)
    renameSync(copy, join(warm, indexName(prefix)))
  }
}
