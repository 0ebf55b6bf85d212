/**
 * What was typed before, also in earlier runs. Owns: its file (one JSON string a line, 0600), its bounds.
 * Invariant: a file that cannot be read or written costs the history and nothing else.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

export const MAX_ENTRIES = 1_000
export const MAX_BYTES = 262_144
/** What is longer is not written down; the newest such one can be had again while this process lives. */
export const MAX_ENTRY_CHARS = 20_000

export interface InputHistory {
  /** Oldest first. */
  readonly entries: () => ReadonlyArray<string>
  readonly add: (text: string) => void
}

const parse = (line: string): ReadonlyArray<string> => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "string" ? [value] : []
  } catch {
    return []
  }
}

const load = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").split("\n").flatMap(parse).slice(-MAX_ENTRIES)
  } catch {
    return []
  }
}

const line = (text: string): string => `${JSON.stringify(text)}\n`

const save = (file: string, entries: ReadonlyArray<string>): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size < MAX_BYTES) return appendFileSync(file, line(entries.at(-1) ?? ""), { mode: 0o600 })
    const half = entries
      .filter((one) => one.length <= MAX_ENTRY_CHARS)
      .slice(-MAX_ENTRIES / 2)
      .map(line)
      .join("")
    writeFileSync(`${file}.new`, half.slice(-MAX_BYTES / 2).replace(/^[^\n]*\n/, ""), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // Typing goes on without a file.
  }
}

/** Without a file the history lasts as long as the process. */
export const openHistory = (file?: string): InputHistory => {
  let entries = file === undefined ? [] : load(file)
  return {
    entries: () => entries,
    add: (text) => {
      if (text === entries.at(-1)) return
      const isLong = text.length > MAX_ENTRY_CHARS
      const kept = isLong ? entries.filter((one) => one.length <= MAX_ENTRY_CHARS) : entries
      entries = [...kept, text].slice(-MAX_ENTRIES)
      if (file !== undefined && !isLong) save(file, entries)
    }
  }
}
