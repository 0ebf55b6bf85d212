/**
 * A file or a directory as something that would take effect: its digest, its texts, and what keeps it from being taken.
 * Owns: how a tree is read and bounded. Reads only; runs nothing. Invariant: the digest covers every name and every byte
 * of what may be used, and a link is never followed where it is not the person's own.
 */
import { createHash } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync
} from "node:fs"
import { join } from "node:path"
import { MAX_FILE_BYTES, readText } from "./configFile.ts"

export interface TreeFile {
  /** Relative to the tree, with `/`. */
  readonly path: string
  /** Absent: it is no text, or too long to be told. */
  readonly text?: string
}

export type Problem = "link" | "not_a_file" | "unreadable" | "too_large"

export interface Found {
  /** SHA-256 of type, names and contents. */
  readonly digest: string
  /** Why it could not be taken as it stands. */
  readonly problem?: Problem
  /** Of a file. */
  readonly text?: string
  /** Of a directory. */
  readonly files?: ReadonlyArray<TreeFile>
  /** A link: nothing of what it leads to is here. */
  readonly passed?: true
}

/** A link is a `problem`; or it is `passed` over, and counts by where it points; or, the person's own, `followed`. */
export type Links = "problem" | "passed" | "followed"

/** What a directory may hold and still be looked at whole. */
const MAX_ENTRIES = 2000
const MAX_BYTES = 8_388_608
const MAX_DEPTH = 16

export const hash = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(parts.map((part) => `${part.length}:${part}`).join(""))
    .digest("hex")

interface Walk {
  readonly links: Links
  entries: number
  bytes: number
}

export const wrong = (problem: Problem, ...parts: ReadonlyArray<string>): Found => ({
  digest: hash(problem, ...parts),
  problem
})

const bytesOf = (path: string, size: number, follow: boolean): Buffer => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW))
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("it is not a regular file")
    const buffer = Buffer.alloc(size)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, size, 0))
  } finally {
    closeSync(descriptor)
  }
}

const textIn = (bytes: Buffer): string | undefined => {
  if (bytes.length > MAX_FILE_BYTES) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Alone it has to be text; in a directory it may be anything. */
const file = (path: string, size: number, walk: Walk, depth: number): Found => {
  walk.bytes -= size
  if (walk.bytes < 0 || (depth === 0 && size > MAX_FILE_BYTES)) return wrong("too_large", String(size))
  const follow = walk.links === "followed"
  if (depth === 0) {
    const text = readText(path, follow)
    return { digest: hash("file", text), text }
  }
  const bytes = bytesOf(path, size, follow)
  const text = textIn(bytes)
  if (text !== undefined) return { digest: hash("file", text), text }
  return { digest: hash("bytes", createHash("sha256").update(bytes).digest("hex")) }
}

/** What a directory gains by one of its entries. */
const below = (name: string, { files, text }: Found): ReadonlyArray<TreeFile> =>
  files === undefined
    ? [{ path: name, ...(text === undefined ? {} : { text }) }]
    : files.map((one) => ({ ...one, path: `${name}/${one.path}` }))

const directory = (path: string, walk: Walk, depth: number): Found => {
  if (depth >= MAX_DEPTH) return wrong("too_large")
  const parts: Array<string> = []
  const files: Array<TreeFile> = []
  for (const name of readdirSync(path).toSorted()) {
    walk.entries -= 1
    if (walk.entries < 0) return wrong("too_large")
    const found = lookIn(join(path, name), walk, depth + 1)
    if (found.problem !== undefined) return wrong(found.problem, name, found.digest)
    parts.push(name, found.digest)
    if (found.passed !== true) files.push(...below(name, found))
  }
  return { digest: hash("directory", ...parts), files }
}

const lookIn = (path: string, walk: Walk, depth: number): Found => {
  try {
    const own = lstatSync(path)
    if (own.isSymbolicLink() && walk.links !== "followed") {
      const to = readlinkSync(path)
      return walk.links === "passed" ? { digest: hash("link", to), passed: true } : wrong("link", to)
    }
    const stat = own.isSymbolicLink() ? statSync(path) : own
    if (stat.isDirectory()) return directory(path, walk, depth)
    return stat.isFile() ? file(path, stat.size, walk, depth) : wrong("not_a_file")
  } catch {
    return wrong("unreadable")
  }
}

export const lookAt = (path: string, links: Links): Found =>
  lookIn(path, { links, entries: MAX_ENTRIES, bytes: MAX_BYTES }, 0)
