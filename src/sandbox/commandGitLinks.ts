/**
 * Repositories within a repository, as git's index names them (SECURITY P7): `git status` looks into each of them, with the
 * configuration of that one. Owns: the reading of the index for entries that are such links. Reads, changes nothing.
 * Invariant: an index that cannot be read whole has no answer, never a part of one.
 */
import { readFileSync, statSync } from "node:fs"
import { onDisk, textOfBytes } from "./fileNames.ts"

const MAX_INDEX = 64 << 20
const GITLINK = 0o160000
const EXTENDED = 0x4000
/** Before the object's name and the flags. */
const STATS = 40
const MODE = 24

/** Git's own numbers of varying length, for names that share a beginning with the one before. */
const varint = (bytes: Buffer, from: number): readonly [value: number, next: number] => {
  let at = from
  let value = bytes[at]! & 127
  while (bytes[at]! & 128) {
    at += 1
    value = ((value + 1) << 7) | (bytes[at]! & 127)
  }
  return [value, at + 1]
}

const linksIn = (bytes: Buffer, hash: number): ReadonlyArray<string> | undefined => {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined
  const found: Array<string> = []
  let at = 12
  let name: Buffer = Buffer.alloc(0)
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at
    const mode = bytes.readUInt32BE(at + MODE)
    const flags = bytes.readUInt16BE(at + STATS + hash)
    at += STATS + hash + (flags & EXTENDED ? 4 : 2)
    const [strip, text] = version === 4 ? varint(bytes, at) : [0, at]
    const end = bytes.indexOf(0, text)
    if (end < 0) return undefined
    const own = bytes.subarray(text, end)
    name = version === 4 ? Buffer.concat([name.subarray(0, name.length - strip), own]) : own
    if ((mode & 0o170000) === GITLINK) found.push(textOfBytes(name))
    at = version === 4 ? end + 1 : start + (((end - start) >> 3) + 1) * 8
  }
  // Part of the entries may lie in another file.
  return extensionsIn(bytes, at, hash).includes("link") ? undefined : found
}

const extensionsIn = (bytes: Buffer, from: number, hash: number): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = from; at + 8 <= bytes.length - hash; at += 8 + bytes.readUInt32BE(at + 4))
    names.push(bytes.toString("latin1", at, at + 4))
  return names
}

const MODE_BYTES = Buffer.from([0, 0, 0xe0, 0])
/** The extension's name, and the first byte of its length. */
const ELSEWHERE = Buffer.from("link\0")

/** Paths below the work tree; undefined: nobody can say. */
export const gitLinks = (index: string, sha256: boolean): ReadonlyArray<string> | undefined => {
  try {
    const stats = statSync(onDisk(index), { throwIfNoEntry: false })
    if (stats === undefined) return []
    if (stats.size > MAX_INDEX) return undefined
    const bytes = readFileSync(onDisk(index))
    // Nearly every index is done with here.
    if (!bytes.includes(MODE_BYTES) && !bytes.includes(ELSEWHERE)) return []
    return linksIn(bytes, sha256 ? 32 : 20)
  } catch {
    return undefined
  }
}
