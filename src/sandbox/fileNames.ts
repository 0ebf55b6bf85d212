/**
 * Names as the file system holds them: bytes, which need not be UTF-8. Owns: a text for any name that gives its bytes back.
 * A byte that belongs to no character is one lone surrogate (U+DC80 to U+DCFF), which no text of a model or a person holds,
 * so that joining, comparing and cutting paths work as ever. Invariant: `onDisk(textOfBytes(bytes))` is these bytes.
 */
import { type Dirent, readdirSync } from "node:fs"

const [FIRST, LAST, ESCAPED] = [0x80, 0xff, 0xdc00]

/** Bytes that this first one says its character has. */
const lengthOf = (first: number): number => {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}

/** The character that begins here; undefined: these bytes are none. */
const characterAt = (bytes: Buffer, at: number): string | undefined => {
  const part = bytes.subarray(at, at + lengthOf(bytes[at]!))
  const text = part.toString()
  return Buffer.from(text).equals(part) ? text : undefined
}

const decoded = (bytes: Buffer): string => {
  let [text, at] = ["", 0]
  while (at < bytes.length) {
    const from = at
    while (at < bytes.length && bytes[at]! < FIRST) at += 1
    text += bytes.toString("latin1", from, at)
    if (at === bytes.length) break
    const character = characterAt(bytes, at)
    text += character ?? String.fromCharCode(ESCAPED + bytes[at]!)
    at += character === undefined ? 1 : Buffer.byteLength(character)
  }
  return text
}

export const textOfBytes = (bytes: Buffer): string => {
  const text = bytes.toString()
  return text.includes("\uFFFD") ? decoded(bytes) : text
}

const LONE = /([\udc80-\udcff])/u

const bytesOf = (part: string): Buffer =>
  LONE.test(part) ? Buffer.from([part.charCodeAt(0) - ESCAPED]) : Buffer.from(part)

/** As the file system takes it. */
export const onDisk = (path: string): string | Buffer =>
  path.isWellFormed() ? path : Buffer.concat(path.split(LONE).map(bytesOf))

/** Without what only a byte is: for a sentence. */
export const shownName = (path: string): string =>
  path.isWellFormed() ? path : path.replace(/[\udc80-\udcff]/gu, (one) => `\\x${byteOf(one).toString(16)}`)

const byteOf = (one: string): number => (one.charCodeAt(0) - ESCAPED) & LAST

/** What a shell may take for one character each: by units, by characters, by bytes. */
export const readingsOf = (name: string): ReadonlyArray<ReadonlyArray<string>> => {
  const units = name.split("")
  if (units.every((one) => one.charCodeAt(0) < FIRST)) return [units]
  return [units, Array.from(name), Array.from(Buffer.from(onDisk(name)).toString("latin1"))]
}

export interface Entry {
  readonly name: string
  readonly entry: Dirent<Buffer>
}

/** Throws where the directory cannot be read. */
export const entriesOf = (path: string): ReadonlyArray<Entry> =>
  readdirSync(onDisk(path), { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: textOfBytes(entry.name),
    entry
  }))

/** Whether this failure says that no directory is there, and not that it may not be read. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

/** Throws where the directory cannot be read. */
export const namesOf = (path: string): ReadonlyArray<string> =>
  readdirSync(onDisk(path), { encoding: "buffer" }).map(textOfBytes)
