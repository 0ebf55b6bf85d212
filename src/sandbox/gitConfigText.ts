/**
 * Git's settings as git itself reads them, character by character (its config.c): what a line is, what joins two, what a
 * comment is. Owns: text to entries. Does not own: what a setting may do (commandGitConfig), files that it includes. Pure.
 * Invariant: where git would stop reading, the last entry is undefined: what follows there is nobody's.
 */
export interface Entry {
  /** In small letters; empty: before every header. */
  readonly section: string
  readonly sub: string | undefined
  readonly key: string
  /** Empty for a key alone, which is a switch that is on. */
  readonly value: string
  readonly alone?: true
}

class Unreadable extends Error {}

const isBlank = (one: string): boolean => one === " " || one === "\t" || one === "\n" || one === "\r"
const isKey = (one: string): boolean => /^[A-Za-z0-9-]$/.test(one)
const ESCAPES: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", "\\": "\\", '"': '"' }

/** The next character; a line's two end characters are one, and so is the end of the text. */
interface Source {
  readonly next: () => string
  readonly isOver: () => boolean
}

const sourceOf = (text: string): Source => {
  let at = text.startsWith("\uFEFF") ? 1 : 0
  return {
    next: () => {
      const one = text[at] ?? "\n"
      at += 1
      if (one === "\0") throw new Unreadable()
      if (one !== "\r" || text[at] !== "\n") return one
      at += 1
      return "\n"
    },
    isOver: () => at > text.length
  }
}

type Header = Pick<Entry, "section" | "sub">

/** Behind the name of a section and a blank. */
const readSub = ({ next }: Source, blank: string): string => {
  let one = blank
  while (isBlank(one)) {
    if (one === "\n") throw new Unreadable()
    one = next()
  }
  if (one !== '"') throw new Unreadable()
  let sub = ""
  for (one = next(); one !== '"'; one = next()) {
    if (one === "\\") one = next()
    if (one === "\n") throw new Unreadable()
    sub += one
  }
  if (next() !== "]") throw new Unreadable()
  return sub
}

const readHeader = (source: Source): Header => {
  let name = ""
  let sub: string | undefined
  for (let one = source.next(); one !== "]"; one = source.next()) {
    if (isBlank(one)) {
      sub = readSub(source, one)
      break
    }
    if (!isKey(one) && one !== ".") throw new Unreadable()
    name += one.toLowerCase()
  }
  const [section = "", ...dotted] = name.split(".")
  const parts = [...dotted, ...(sub === undefined ? [] : [sub])]
  return { section, sub: parts.length === 0 ? undefined : parts.join(".") }
}

const skipLine = ({ next }: Source): void => {
  while (next() !== "\n");
}

/** Blanks before the end or a comment do not belong to it, quoted ones do. */
const readValue = (source: Source): string => {
  let [value, isQuoted, blanks] = ["", false, ""]
  for (let one = source.next(); ; one = source.next()) {
    if (one === "\n" && isQuoted) throw new Unreadable()
    if (one === "\n") return value
    if (!isQuoted && isBlank(one)) {
      if (value !== "") blanks += one
      continue
    }
    if (!isQuoted && (one === "#" || one === ";")) {
      skipLine(source)
      return value
    }
    value += blanks
    blanks = ""
    if (one === '"') {
      isQuoted = !isQuoted
      continue
    }
    if (one !== "\\") {
      value += one
      continue
    }
    const escaped = source.next()
    if (escaped === "\n") continue
    if (!Object.hasOwn(ESCAPES, escaped)) throw new Unreadable()
    value += ESCAPES[escaped]!
  }
}

const readEntry = (source: Source, first: string, header: Header): Entry => {
  let [key, one] = [first.toLowerCase(), source.next()]
  for (; isKey(one); one = source.next()) key += one.toLowerCase()
  while (one === " " || one === "\t") one = source.next()
  if (one === "\n") return { ...header, key, value: "", alone: true }
  if (one !== "=") throw new Unreadable()
  return { ...header, key, value: readValue(source) }
}

/** The names of its objects are 32 bytes, not 20. */
export const isLarge = (texts: ReadonlyArray<string>): boolean =>
  texts
    .flatMap(entries)
    .some(
      (entry) =>
        entry?.section === "extensions" && entry.key === "objectformat" && entry.value.toLowerCase() === "sha256"
    )

/** Names folded as git folds them; undefined: git reads no further. */
export const entries = (text: string): ReadonlyArray<Entry | undefined> => {
  const source = sourceOf(text)
  const out: Array<Entry | undefined> = []
  let header: Header = { section: "", sub: undefined }
  try {
    while (!source.isOver()) {
      const one = source.next()
      if (isBlank(one)) continue
      if (one === "#" || one === ";") skipLine(source)
      else if (one === "[") header = readHeader(source)
      else if (/^[A-Za-z]$/.test(one)) out.push(readEntry(source, one, header))
      else throw new Unreadable()
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    out.push(undefined)
  }
  return out
}
