/**
 * Puts new content in a file's place in one step: a temporary file in the same directory, synced, then renamed.
 * Owns: atomicity, mode bits, the last look before the rename. Does not own: where the file is (resolvePath).
 * Invariant: after any failure the old content stands and no temporary file is left.
 */
import { randomBytes } from "node:crypto"
import { lstatSync, type BigIntStats } from "node:fs"
import { open, rename, unlink } from "node:fs/promises"
import * as Points from "../observability/Points.ts"
import { below, Changed, Exchanged, makeDirectories, release, syncDirectory, type Pin } from "./pinned.ts"
import type { Resolved } from "./resolvePath.ts"

/** What a file was when it was looked at. A change of content changes it. */
export interface Stamp {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

export const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp => ({
  dev,
  ino,
  size,
  mtimeNs,
  ctimeNs
})

const sameStamp = (a: Stamp, b: Stamp): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

const lookAgain = (pin: Pin, name: string, expected: Stamp | undefined): void => {
  const now = lstatSync(below(pin, name), { bigint: true, throwIfNoEntry: false })
  if (now === undefined && expected === undefined) return
  if (now === undefined) throw new Changed("it was removed meanwhile")
  if (!now.isFile()) throw new Exchanged("something that is not a regular file was put in its place")
  if (expected === undefined || !sameStamp(stampOf(now), expected)) throw new Changed("it was changed meanwhile")
}

const writeTemporary = async (path: string, bytes: Uint8Array, old: BigIntStats | undefined): Promise<void> => {
  const handle = await open(path, "wx", 0o666)
  Points.reach("file opened")
  try {
    if (old !== undefined) {
      await handle.chown(Number(old.uid), Number(old.gid)).catch(() => undefined)
      await handle.chmod(Number(old.mode) & 0o7777)
    }
    await handle.writeFile(bytes)
    Points.reach("file written")
    await handle.sync()
    Points.reach("file synced")
  } finally {
    await handle.close()
  }
}

/**
 * `expected`: what has to stand there still, right before the rename; undefined: nothing may. `mark` names the temporary
 * file, so that a second try removes what one that was killed left behind.
 */
export const replaceFile = async (
  root: string,
  target: Resolved,
  bytes: Uint8Array,
  expected: Stamp | undefined,
  mark: string = randomBytes(8).toString("hex")
): Promise<void> => {
  const name = target.names.at(-1)
  if (name === undefined) throw new Exchanged("it is the workspace itself")
  const pin = makeDirectories(root, target.anchor, target.names.slice(0, -1))
  const temporary = below(pin, `.claw-${mark}.tmp`)
  try {
    await unlink(temporary).catch(() => undefined)
    await writeTemporary(temporary, bytes, target.stats)
    lookAgain(pin, name, expected)
    await rename(temporary, below(pin, name))
    Points.reach("file renamed")
    syncDirectory(pin)
    Points.reach("file in place")
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  } finally {
    release(pin)
  }
}
