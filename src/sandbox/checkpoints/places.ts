/**
 * Looking at, replacing and removing what stands at a path of the workspace, by bytes and without following any link.
 * Owns: that no step leaves the workspace, and that a file is replaced whole. Invariants: every directory on the way is
 * opened from its parent's descriptor and is no link; a file is replaced or removed only while it is what was expected.
 * Linux names a descriptor's directory by /proc/self/fd/N; elsewhere paths are used.
 */
import { closeSync, constants, mkdirSync, openSync } from "node:fs"
import { access, lstat, open, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises"
import type { BigIntStats } from "node:fs"
import * as Points from "../../observability/Points.ts"
import type { Blobs } from "./blobs.ts"
import { bytesOf, type Entry, type Held, isLink, same, withExecutability } from "./entry.ts"

const SAFE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const DIRECTORY = SAFE | constants.O_DIRECTORY
const hasProc = process.platform === "linux"

/** It is not what was expected any more. */
export class Otherwise extends Error {
  override readonly name = "Otherwise"
}
/** Something on the way is in the way. */
export class Blocked extends Error {
  override readonly name = "Blocked"
}

interface Parent {
  readonly fd: number
  readonly path: Buffer
}

const SLASH = Buffer.from("/")
const under = ({ fd, path }: Parent, name: Buffer): Buffer =>
  Buffer.concat([hasProc ? Buffer.from(`/proc/self/fd/${fd}`) : path, SLASH, name])

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

const into = (parent: Parent, name: Buffer, make: boolean): Parent => {
  const path = under(parent, name)
  if (make) {
    try {
      mkdirSync(path)
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
    }
  }
  return { fd: openSync(path, DIRECTORY), path: Buffer.concat([parent.path, SLASH, name]) }
}

/** The path's directory, opened; undefined where there is none. */
const parentOf = (root: string, names: ReadonlyArray<Buffer>, make: boolean): Parent | undefined => {
  let parent: Parent = { fd: openSync(root, DIRECTORY), path: Buffer.from(root) }
  for (const name of names.slice(0, -1)) {
    try {
      const next = into(parent, name, make)
      closeSync(parent.fd)
      parent = next
    } catch (error) {
      closeSync(parent.fd)
      const code = codeOf(error)
      if (!["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(code ?? "")) throw error
      if (!make && code !== "EACCES") return undefined
      throw new Blocked(`a directory on the way cannot be used (${code})`)
    }
  }
  return parent
}

const at = async <A>(
  root: string,
  path: string,
  make: boolean,
  use: (place: Buffer, parent: Parent) => Promise<A>
): Promise<A | undefined> => {
  const names = path.split("/").map(bytesOf)
  const parent = parentOf(root, names, make)
  if (parent === undefined) return undefined
  try {
    return await use(under(parent, names.at(-1) as Buffer), parent)
  } finally {
    closeSync(parent.fd)
  }
}

export interface Limits {
  readonly file_bytes: number
}

const readWhole = async (place: Buffer, stats: BigIntStats, limit: number): Promise<Buffer | undefined> => {
  const handle = await open(place, SAFE)
  try {
    const now = await handle.stat({ bigint: true })
    if (!now.isFile() || now.ino !== stats.ino || Number(now.size) > limit) return undefined
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** What stands there, its content kept. A directory is nothing; what cannot be kept is `unknown`. */
export const look = async (root: string, path: string, blobs: Blobs, { file_bytes }: Limits): Promise<Held> => {
  try {
    const held = await at(root, path, false, async (place): Promise<Held> => {
      const stats = await lstat(place, { bigint: true })
      if (stats.isDirectory()) return null
      const mode = Number(stats.mode)
      if (stats.isSymbolicLink()) {
        return { mode: 0o120000, blob: await blobs.put(await readlink(place, { encoding: "buffer" })) }
      }
      if (!stats.isFile() || Number(stats.size) > file_bytes) return "unknown"
      const bytes = await readWhole(place, stats, file_bytes)
      return bytes === undefined ? "unknown" : { mode, blob: await blobs.put(bytes) }
    })
    return held ?? null
  } catch (error) {
    const code = codeOf(error)
    return code === "ENOENT" || code === "ENOTDIR" ? null : "unknown"
  }
}

/** Nothing to read: what git is told of such a path removes it, or keeps a link. */
const GONE = { bytes: 0, mode: 0 }

/**
 * What git would be given to keep; undefined: it cannot be kept, or may not be read. Only asks: git itself follows no
 * link, and what it takes is what stands there then.
 */
export const glance = async (
  root: string,
  path: string,
  { file_bytes }: Limits
): Promise<{ readonly bytes: number; readonly mode: number } | undefined> => {
  try {
    const place = Buffer.concat([Buffer.from(root), SLASH, bytesOf(path)])
    const stats = await lstat(place)
    if (stats.isSymbolicLink() || stats.isDirectory()) return GONE
    if (!stats.isFile() || stats.size > file_bytes) return undefined
    if ((stats.mode & 0o004) === 0) await access(place, constants.R_OK)
    return { bytes: stats.size, mode: stats.mode & 0o777 }
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "") ? GONE : undefined
  }
}

export interface Wanted {
  readonly path: string
  readonly from: Entry | null
  readonly to: Entry | null
}

const expect = async (root: string, { path, from }: Wanted, blobs: Blobs, limits: Limits): Promise<void> => {
  if (!same(await look(root, path, blobs, limits), from)) throw new Otherwise("it was changed meanwhile")
}

const DEFAULT_MODE = 0o666

const modeFor = async (place: Buffer, to: Entry): Promise<number> => {
  const old = await lstat(place).catch(() => undefined)
  if (old?.isFile() === true) return withExecutability(old.mode & 0o7777, to)
  // What git knows of a mode says only whether it can be executed: the rest is as for any new file.
  const plain = to.mode & 0o777
  return plain === 0o644 || plain === 0o755 ? withExecutability(DEFAULT_MODE & ~process.umask(), to) : plain
}

const temporaryIn = (parent: Parent, mark: string): Buffer => under(parent, Buffer.from(`.claw-${mark}.tmp`))

/** What a `replace` that was cut off left. */
export const clear = (root: string, path: string, mark: string): Promise<void> =>
  at(root, path, false, (_, parent) => unlink(temporaryIn(parent, mark))).then(
    () => undefined,
    () => undefined
  )

/** Puts a content there in one step. `mark`: names the temporary file, so that a second try removes what is left. */
export const replace = (root: string, wanted: Wanted, mark: string, blobs: Blobs, limits: Limits): Promise<void> =>
  at(root, wanted.path, true, async (place, parent) => {
    const { to } = wanted
    if (to === null) return
    const bytes = await blobs.get(to.blob)
    if (bytes === undefined) throw new Blocked("its content is gone")
    const temporary = temporaryIn(parent, mark)
    await unlink(temporary).catch(() => undefined)
    try {
      if (isLink(to)) await symlink(bytes, temporary)
      else {
        const handle = await open(temporary, "wx", 0o600)
        try {
          await handle.writeFile(bytes)
          await handle.chmod(await modeFor(place, to))
          await handle.sync()
        } finally {
          await handle.close()
        }
      }
      await expect(root, wanted, blobs, limits)
      // An empty directory where a file belongs; one that holds anything stays, and the file is kept out.
      if (wanted.from === null) await rmdir(place).catch(() => undefined)
      Points.reach("put back before")
      await rename(temporary, place)
      Points.reach("put back after")
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
  }).then(() => undefined)

/** Removes the file, and directories that it leaves empty and that are younger than `since`. */
export const remove = async (
  root: string,
  wanted: Wanted,
  since: number,
  blobs: Blobs,
  limits: Limits
): Promise<void> => {
  await expect(root, wanted, blobs, limits)
  Points.reach("put back before")
  await at(root, wanted.path, false, (place) => unlink(place))
  Points.reach("put back after")
  const names = wanted.path.split("/")
  for (let n = names.length - 1; n > 0; n--) {
    const emptied = await at(root, names.slice(0, n).join("/"), false, async (place) => {
      const stats = await lstat(place)
      if (!stats.isDirectory() || stats.birthtimeMs < since) return false
      await rmdir(place)
      return true
    }).catch(() => false)
    if (emptied !== true) return
  }
}
