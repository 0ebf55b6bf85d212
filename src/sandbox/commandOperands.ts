/**
 * Where the words of a command lead (SECURITY P9, P10, P11). Owns: what that means for it, by what the command does to
 * what it names. Does not own: which words are paths (commandCandidates), where copies go (commandDestinations).
 * Invariant: a word or value of a program that may write, and that leads to the control plane, is refused.
 */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { type Candidate, candidates, isTooLong } from "./commandCandidates.ts"
import { destinations, PLACES_COPIES } from "./commandDestinations.ts"
import { isSink, type Paths, type Place } from "./commandPaths.ts"
import { TEXT_ONLY } from "./commandTables.ts"
import type { ShellWord } from "./commandWords.ts"

/** `reads`: names change nothing; `writes`: it changes what it names; `open`: nobody knows. */
export type Role = "reads" | "writes" | "open"

export interface Operands {
  readonly paths: ReadonlyArray<string>
  readonly notPlain: ReadonlyArray<string>
  /** It would write where no tool may. */
  readonly refused?: string
}

const URL_FORM = /^[a-z][a-z0-9+.-]+:\/\//i
const isUrl = (value: string): boolean => URL_FORM.test(value) && !/^file:/i.test(value)

/** `of=…`, `NAME=…`: the value is the path. */
const valueOf = (value: string): string => /^[A-Za-z_]\w*=(.*)$/s.exec(value)?.[1] ?? value

const LEADING_DASH = /^(?:[*?]|\[)/

const placesOf = (word: ShellWord, paths: Paths): ReadonlyArray<Place> | undefined =>
  word.glob ? paths.matches(word.value) : [paths.place(valueOf(word.value))]

const SECOND_IS_WRITTEN: ReadonlySet<string> = new Set(["uniq", "xxd"])

const MAX_PARTS = 64

/** What a word says behind its own punctuation: `-Wl,-o,.git/x`, `file=@.git/x`, `a:.git/x`. */
const guardedPart = (word: Candidate, paths: Paths): boolean => {
  const parts = word.value.split(/[=,:@]/)
  if (parts.length === 1) return false
  if (parts.length > MAX_PARTS) return /[.]/.test(word.value) && /git|claw/i.test(word.value)
  return parts.some((part, at) =>
    [part, parts.slice(at).join(",")].some((one) => one !== "" && paths.place(one).guard === "forbidden")
  )
}

/** Prose that mentions a place is no path, unless it could be opened. */
const isProse = (word: Candidate, place: Place): boolean =>
  /\s/.test(word.value) && statSync(dirname(place.path), { throwIfNoEntry: false }) === undefined

interface Found {
  readonly paths: Set<string>
  readonly notPlain: Set<string>
  refused: string | undefined
}

const judgePlace = (found: Found, name: string, role: Role, word: Candidate, place: Place): void => {
  const worth =
    word.form !== "cluster" || !place.inside || place.guard !== "free" || !/^(?:\w*|[\d,-]*)$/.test(word.value)
  if (worth) found.paths.add(place.path)
  if (!place.inside) found.notPlain.add(`${word.value} leads outside the workspace`)
  if (place.guard === "alwaysAsk" && role === "writes")
    found.notPlain.add(`${word.value} can make other programs run code`)
  if (place.guard !== "forbidden") return
  if (role === "reads" || word.leftOut || (role === "open" && isProse(word, place)))
    found.notPlain.add(`${word.value} belongs to the control plane`)
  else found.refused = `${name} would change ${word.value}, which tools never write`
}

const judgeWord = (found: Found, name: string, role: Role, word: Candidate, paths: Paths): void => {
  if (isUrl(word.value) || isSink(word.value)) return
  const places = placesOf(word, paths)
  if (places === undefined) found.notPlain.add(`${word.value} matches too many files`)
  for (const place of places ?? []) judgePlace(found, name, role, word, place)
  if (role === "reads" || word.leftOut || /\s/.test(word.value) || !guardedPart(word, paths)) return
  found.refused ??= `${name} may change what ${word.value} names, which tools never write`
}

/** `words` without the program; `started`: those of them that a wrapper runs, which are judged by themselves. */
export const commandPaths = (
  name: string,
  words: ReadonlyArray<ShellWord>,
  paths: Paths,
  role: Role,
  started: ReadonlySet<ShellWord>
): Operands => {
  const found: Found = { paths: new Set(), notPlain: new Set(), refused: undefined }
  const end = words.findIndex((word) => word.value === "--")
  const dashes = words.find((word, at) => word.glob && (end < 0 || at < end) && LEADING_DASH.test(word.value))
  if (dashes !== undefined && !TEXT_ONLY.has(name)) found.notPlain.add(`${dashes.value} may become an option`)
  if (!TEXT_ONLY.has(name) && words.some((word) => isTooLong(name, word, words)))
    found.notPlain.add("has an option too long to be taken apart")
  const operands = candidates(name, words)
  const copies = PLACES_COPIES.has(name) || (name === "git" && words[0]?.value === "mv")
  for (const word of operands) {
    const readOnly = (name === "cp" || name === "install") && word.form === "word"
    judgeWord(found, name, readOnly || started.has(word.origin) ? "reads" : role, word, paths)
  }
  if (copies) {
    const going = destinations(name === "git" ? "mv" : name, name === "git" ? words.slice(1) : words, paths)
    for (const why of going.notPlain) found.notPlain.add(why)
    found.refused ??= going.refused
  }
  if (SECOND_IS_WRITTEN.has(name) && operands.filter((word) => word.form === "word").length > 1)
    found.notPlain.add("writes its second file")
  return {
    paths: [...found.paths],
    notPlain: [...found.notPlain],
    ...(found.refused === undefined ? {} : { refused: found.refused })
  }
}
