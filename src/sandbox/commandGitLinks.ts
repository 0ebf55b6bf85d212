/**
 * What git's index names: repositories within a repository, into which `git status` looks with the configuration of each
 * (SECURITY P7), and the files that git keeps (P10). Owns: the reading of the index. Reads, changes nothing.
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

const namesIn = (bytes: Buffer, hash: number, wanted: (mode: number) => boolean): ReadonlyArray<string> | undefined => {
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
    if (wanted(mode & 0o170000)) found.push(textOfBytes(name))
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

const read = (
  index: string,
  sha256: boolean,
  wanted: (mode: number) => boolean,
  isDone: (bytes: Buffer) => boolean
): ReadonlyArray<string> | undefined => {
  try {
    const stats = statSync(onDisk(index), { throwIfNoEntry: false })
    if (stats === undefined) return []
    if (stats.size > MAX_INDEX) return undefined
    const bytes = readFileSync(onDisk(index))
    return isDone(bytes) ? [] : namesIn(bytes, sha256 ? 32 : 20, wanted)
  } catch {
    return undefined
  }
}

/** Paths below the work tree; undefined: nobody can say. */
export const gitLinks = (index: string, sha256: boolean): ReadonlyArray<string> | undefined =>
  // Nearly every index is done with without a look at its entries.
  read(
    index,
    sha256,
    (mode) => mode === GITLINK,
    (bytes) => !bytes.includes(MODE_BYTES) && !bytes.includes(ELSEWHERE)
  )

/** Files and links that git keeps, below the work tree; undefined: nobody can say. */
export const trackedFiles = (index: string, sha256: boolean): ReadonlyArray<string> | undefined =>
  read(
    index,
    sha256,
    (mode) => mode !== GITLINK,
    () => false
  )
