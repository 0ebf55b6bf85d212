/**
 * Which directories a repository's index names as repositories of their own (submodules): into those, and into no other
 * repository below, git goes by itself. Owns: reading an index (versions 2 to 4, split ones too), without git and
 * without a change. Invariant: what cannot be read to its end names whatever was read until there.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { onDisk, textOfBytes } from "../fileNames.ts"
import { isLarge } from "../gitConfigText.ts"
import { attempt, namesIn, textOf } from "../look.ts"

const [TIMES_AND_IDS, EXTENDED, GITLINK] = [40, 0x4000, 0o160000]

/** `offset` of version 4: how much of the name before stays, seven bits a byte, the highest first. */
const stripped = (bytes: Buffer, at: number): readonly [length: number, next: number] => {
  let [value, next] = [(bytes[at] ?? 0) & 0x7f, at + 1]
  for (; ((bytes[next - 1] ?? 0) & 0x80) !== 0; next += 1) value = ((value + 1) << 7) | ((bytes[next] ?? 0) & 0x7f)
  return [value, next]
}

const gitlinksIn = (bytes: Buffer, hash: number): ReadonlyArray<string> => {
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || bytes.length < 12) return []
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)]
  const found: Array<string> = []
  let [at, name] = [12, ""]
  for (let entry = 0; entry < count && at + TIMES_AND_IDS + hash + 2 < bytes.length; entry += 1) {
    const start = at
    const flags = bytes.readUInt16BE(start + TIMES_AND_IDS + hash)
    at = start + TIMES_AND_IDS + hash + ((flags & EXTENDED) === 0 ? 2 : 4)
    const [cut, from] = version === 4 ? stripped(bytes, at) : [name.length, at]
    const end = bytes.indexOf(0, from)
    if (end === -1) return found
    name = name.slice(0, name.length - cut) + bytes.toString("latin1", from, end)
    if (bytes.readUInt32BE(start + 24) === GITLINK) found.push(textOfBytes(Buffer.from(name, "latin1")))
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8
  }
  return found
}

/** Relative to the repository's work tree. */
export const gitlinksOf = (git: string): ReadonlyArray<string> => {
  const files = ["index", ...namesIn(git).filter((name) => name.startsWith("sharedindex."))]
  const hash = isLarge([textOf(join(git, "config")) ?? ""]) ? 32 : 20
  return files.flatMap((name) => attempt(() => gitlinksIn(readFileSync(onDisk(join(git, name))), hash)) ?? [])
}
