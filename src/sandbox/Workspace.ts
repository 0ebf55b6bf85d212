/**
 * The one directory that a session's tools may see and change (R165, R166, LESSONS 26).
 * Owns: the decision where a path leads, and every read, listing and write behind that decision.
 * Does not own: whether a person is asked (approval), what a tool shows of a file (tools).
 * Invariant: no byte outside the root is read or written through here, whoever exchanges files meanwhile; the control
 * plane (.git, .claw, claw's own directories) is never written.
 */
import { close, readdirSync, realpathSync, read as readFd, statSync, type BigIntStats } from "node:fs"
import { relative } from "node:path"
import { promisify } from "node:util"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Trouble } from "../domain/Trouble.ts"
import { guardAt, type Guard } from "./controlPlane.ts"
import { shownPath } from "./pathText.ts"
import { below, Changed, Exchanged, openDirectory, openFile, release } from "./pinned.ts"
import { replaceFile, stampOf, type Stamp } from "./replaceFile.ts"
import { isInside, resolvePath, type Resolved } from "./resolvePath.ts"
import { WorkspaceError } from "./WorkspaceError.ts"

export type Kind = "file" | "directory" | "missing"

export interface Place {
  /** As the tool was given it. */
  readonly path: string
  /** Absolute, free of links. */
  readonly real: string
  /** Relative to the root with `/`; "" is the root. */
  readonly relative: string
  readonly kind: Kind
  /** Bytes; 0 where nothing is. */
  readonly size: number
  /** May a tool write here? */
  readonly guard: Guard
}

export interface OpenFile {
  readonly place: Place
  /** Bytes, when it was opened. */
  readonly size: number
  readonly stamp: Stamp
  /** At most `length` bytes from `position`; fewer only at the end of the file. */
  readonly read: (position: number, length: number) => Effect.Effect<Buffer, WorkspaceError>
}

export interface Entry {
  readonly name: string
  readonly kind: "file" | "directory" | "link" | "other"
}

export interface WriteOptions {
  /** Unlike any other write's but its own next try's. */
  readonly mark?: string
  /** The file must still be this one; absent: whatever was there when the write began. */
  readonly expected?: Stamp
}

export class Workspace extends Context.Service<
  Workspace,
  {
    /** Real path of the root. */
    readonly root: string
    readonly locate: (path: string) => Effect.Effect<Place, WorkspaceError>
    /** Regular files only; closed with the scope. */
    readonly open: (path: string) => Effect.Effect<OpenFile, WorkspaceError, Scope.Scope>
    /** The whole file; fails above `maxBytes`. */
    readonly read: (
      path: string,
      maxBytes: number
    ) => Effect.Effect<{ readonly file: OpenFile; readonly bytes: Buffer }, WorkspaceError>
    /** Sorted by name, unfollowed. */
    readonly list: (path: string) => Effect.Effect<ReadonlyArray<Entry>, WorkspaceError>
    /** In one step; parents are made, mode bits and links are kept. */
    readonly write: (path: string, bytes: Uint8Array, options?: WriteOptions) => Effect.Effect<Place, WorkspaceError>
  }
>()("claw/sandbox/Workspace") {}

export interface WorkspaceOptions {
  readonly root: string
  /** Absolute directories of claw itself (state, configuration): neither read nor written, also inside the root. */
  readonly ownDirectories?: ReadonlyArray<string>
}

const readAt = promisify(readFd)

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be accessed",
  EPERM: "may not be changed",
  ENOSPC: "does not fit: the disk is full",
  EROFS: "is on a read-only file system",
  EISDIR: "is a directory",
  ENOTDIR: "goes through something that is not a directory",
  ENAMETOOLONG: "has a name that is too long",
  EDQUOT: "does not fit: the quota is used up",
  EMFILE: "cannot be opened: too many open files",
  ELOOP: "was exchanged for a link while it was being opened",
  ENXIO: "is not a regular file"
}

const MISSING = "does not exist"
const DIRECTORY = "is a directory"
const FILE = "is a file, not a directory"
const TROUBLES: Readonly<Record<string, Trouble>> = {
  [MISSING]: "not_found",
  [DIRECTORY]: "is_directory",
  [FILE]: "not_directory"
}

const failed = (
  path: string,
  why: string,
  code: WorkspaceError["code"] = "tool_failed",
  trouble: Trouble | undefined = TROUBLES[why]
) =>
  new WorkspaceError({
    code,
    path,
    detail: `${shownPath(path)} ${why}.`,
    ...(trouble === undefined ? {} : { trouble })
  })

const fromCause = (path: string, cause: unknown): WorkspaceError => {
  const code = (cause as NodeJS.ErrnoException).code ?? ""
  if (cause instanceof Exchanged) return failed(path, `was not touched: ${cause.message}`, "workspace_escape")
  if (cause instanceof Changed) return failed(path, `was not touched: ${cause.message}`, "tool_failed", "file_changed")
  if (code === "ELOOP" || code === "ENXIO") return failed(path, CAUSES[code] ?? "", "workspace_escape")
  return failed(path, CAUSES[code] ?? `could not be used (${code === "" ? "unknown error" : code})`)
}

const kindOf = (stats: BigIntStats | undefined): Kind | undefined => {
  if (stats === undefined) return "missing"
  if (stats.isFile()) return "file"
  return stats.isDirectory() ? "directory" : undefined
}

interface Located {
  readonly place: Place
  readonly resolved: Resolved
}

const realOf = (directory: string): string => {
  try {
    return realpathSync.native(directory)
  } catch {
    return directory
  }
}

const makeLocate = (root: string, own: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (path: string) {
    const resolved = resolvePath(root, path)
    if ("why" in resolved)
      return yield* failed(path, resolved.why, resolved.escape ? "workspace_escape" : "tool_failed")
    const { real, stats } = resolved
    if (own.some((directory) => isInside(directory, real.toLowerCase()))) {
      return yield* failed(path, "belongs to claw itself", "workspace_escape")
    }
    const kind = kindOf(stats)
    if (kind === undefined) return yield* failed(path, "is not a regular file", "workspace_escape")
    const inside = relative(root, real)
    const guard = guardAt(root, inside)
    const size = kind === "file" ? Number(stats?.size ?? 0n) : 0
    return { place: { path, real, relative: inside, kind, size, guard }, resolved } satisfies Located
  })

const readFully = async (fd: number, position: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await readAt(fd, buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

const openLocated = (root: string, { place, resolved }: Located) => {
  const acquire = Effect.try({
    try: () => openFile(root, place.real, resolved.stats as BigIntStats),
    catch: (cause) => fromCause(place.path, cause)
  })
  const release = ({ fd }: { readonly fd: number }) =>
    Effect.callback<void>((resume) => close(fd, () => resume(Effect.void)))
  return Effect.map(Effect.acquireRelease(acquire, release), ({ fd, stats }): OpenFile => ({
    place,
    size: Number(stats.size),
    stamp: stampOf(stats),
    read: (position, length) =>
      // The descriptor must not be closed under a read that is under way.
      Effect.uninterruptible(
        Effect.tryPromise({
          try: () => readFully(fd, position, length),
          catch: (cause) => fromCause(place.path, cause)
        })
      )
  }))
}

const entryKind = (entry: import("node:fs").Dirent): Entry["kind"] => {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "link" : "other"
}

const listPinned = (root: string, real: string): ReadonlyArray<Entry> => {
  const pin = openDirectory(root, real)
  try {
    return readdirSync(below(pin, "."), { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: entryKind(entry) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } finally {
    release(pin)
  }
}

const workspaceAt = (options: WorkspaceOptions) => {
  const root = realpathSync.native(options.root)
  if (!statSync(root).isDirectory()) throw new Error(`${options.root} is not a directory`)
  const locate = makeLocate(
    root,
    (options.ownDirectories ?? []).map((own) => realOf(own).toLowerCase())
  )

  const open = Effect.fnUntraced(function* (path: string) {
    const located = yield* locate(path)
    if (located.place.kind === "missing") return yield* failed(path, MISSING)
    if (located.place.kind === "directory") return yield* failed(path, DIRECTORY)
    return yield* openLocated(root, located)
  })

  const read = Effect.fn("Workspace.read")(function* (path: string, maxBytes: number) {
    const file = yield* open(path)
    if (file.size > maxBytes)
      return yield* failed(
        path,
        `has ${file.size} bytes; at most ${maxBytes} can be read at once`,
        "tool_failed",
        "too_large"
      )
    return { file, bytes: yield* file.read(0, file.size) }
  }, Effect.scoped)

  const list = Effect.fnUntraced(function* (path: string) {
    const { place } = yield* locate(path)
    if (place.kind === "missing") return yield* failed(path, MISSING)
    if (place.kind === "file") return yield* failed(path, FILE)
    return yield* Effect.try({ try: () => listPinned(root, place.real), catch: (cause) => fromCause(path, cause) })
  })

  const write = Effect.fn("Workspace.write")(function* (path: string, bytes: Uint8Array, how?: WriteOptions) {
    const { place, resolved } = yield* locate(path)
    if (place.kind === "directory") return yield* failed(path, DIRECTORY)
    if (place.guard.kind === "forbidden") return yield* failed(path, place.guard.why, "workspace_escape")
    const standing = resolved.stats === undefined ? undefined : stampOf(resolved.stats)
    yield* Effect.tryPromise({
      try: () => replaceFile(root, resolved, bytes, how?.expected ?? standing, how?.mark),
      catch: (cause) => fromCause(path, cause)
    })
    return place
  }, Effect.uninterruptible)

  return Workspace.of({
    root,
    locate: (path) => Effect.map(locate(path), ({ place }) => place),
    open,
    read,
    list,
    write
  })
}

/** Fails when the root is not a readable directory: the user's to mend (`workspace_unreadable`). */
export const make = (options: WorkspaceOptions): Effect.Effect<Workspace["Service"], WorkspaceError> =>
  Effect.try({
    try: () => workspaceAt(options),
    catch: () => failed(options.root, "is not a directory that can be read")
  })

export const layer = (options: WorkspaceOptions): Layer.Layer<Workspace, WorkspaceError> =>
  Layer.effect(Workspace, make(options))
