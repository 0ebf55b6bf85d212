/**
 * Where the words of a command lead (SECURITY P9, P10, P11). Owns: what that means for it, by what the command does to
 * what it names. Does not own: which words are paths (commandCandidates), where copies go (commandDestinations).
 * Invariant: a word or value of a program that may write, and that leads to the control plane, is refused.
 */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { type Candidate, candidates, isTooLong } from "./commandCandidates.ts"
import { onDisk } from "./fileNames.ts"
import { destinations, PLACES_COPIES } from "./commandDestinations.ts"
import { couldMatch, globNames } from "./commandGlob.ts"
import { isSink, type Paths, type Place } from "./commandPaths.ts"
import { TEXT_ONLY, TEXT_OPTIONS, WRITERS } from "./commandTables.ts"
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

/** `of=…`, `NAME=…`: the value is the path; to `mkdir` and its like the whole word is one. */
const readingsOf = (name: string, value: string): ReadonlyArray<string> => {
  const behind = /^[A-Za-z_]\w*=(.*)$/s.exec(value)?.[1]
  if (behind === undefined) return [value]
  if (name === "dd") return [behind]
  return WRITERS.has(name) ? [value] : [value, behind]
}

const LEADING_DASH = /^[*?[-]/

const placesOf = (name: string, word: ShellWord, paths: Paths): ReadonlyArray<Place> | undefined =>
  word.glob ? paths.matches(word.value) : readingsOf(name, word.value).map((one) => paths.place(one))

/** Programs whose second file is written → their options that take the next word. */
const SECOND_IS_WRITTEN: Readonly<Record<string, RegExp>> = {
  uniq: /^(?:-[fsw]|--(?:skip-fields|skip-chars|check-chars))$/,
  xxd: /^-(?:c|cols|g|groupsize|l|len|n|name|o|s|seek|R)$/
}

/** `xxd FILE -l4`: behind its first file xxd knows no options, so that is a file too. */
const writesSecond = (name: string, words: ReadonlyArray<ShellWord>): boolean => {
  const valued = Object.hasOwn(SECOND_IS_WRITTEN, name) ? SECOND_IS_WRITTEN[name] : undefined
  if (valued === undefined) return false
  let files = 0
  for (let at = 0; at < words.length; at += 1) {
    const { value, glob } = words[at]!
    const isOption = /^-./.test(value) && !(name === "xxd" && files > 0)
    if (isOption && valued.test(value)) at += 1
    else if (!isOption) files += glob ? 2 : 1
  }
  return files > 1
}

const MAX_PARTS = 64

const isThere = (path: string): boolean => {
  try {
    return statSync(onDisk(path), { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

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

/** `@secret/x`, `a=@secret/x`, `./secret:/s`, `HEAD:secret/x`, `file:///…`: files that stand within a word. */
const within = (name: string, { value }: Candidate, paths: Paths): ReadonlyArray<string> => {
  const parts = /^file:\/\//i.test(value) ? [value.slice(7)] : value.split(/[=,:@]/).slice(0, MAX_PARTS)
  if (parts.length === 1 && parts[0] === value) return []
  return parts
    .filter((part) => /[\w.]/.test(part))
    .map((part) => paths.place(part))
    .filter(({ inside, path }) => inside && path !== paths.workspace && (name === "git" || isThere(path)))
    .map(({ path }) => path)
}

const judgeWord = (found: Found, name: string, role: Role, word: Candidate, paths: Paths): void => {
  if (!TEXT_ONLY.has(name) && !/\s/.test(word.value))
    for (const path of within(name, word, paths)) found.paths.add(path)
  if (isUrl(word.value) || isSink(word.value)) return
  const places = placesOf(name, word, paths)
  if (places === undefined) found.notPlain.add(`${word.value} matches too many files`)
  for (const place of places ?? []) judgePlace(found, name, role, word, place)
  if (role === "reads" || word.leftOut || /\s/.test(word.value) || !guardedPart(word, paths)) return
  found.refused ??= `${name} may change what ${word.value} names, which tools never write`
}

const BECOMES = "may become an option"
/** `*.md`, where no such file begins with a dash: so it stays while nothing of the line makes one. */
const ENDING = /^(?:\*{1,2}\/)?\*\.[A-Za-z0-9]+$|^\*\/$/
const NOT_YET = "would become an option if a file of such a name came to be"

const becomes = ({ value }: ShellWord, { budget, workspace }: Paths): string => {
  const found = ENDING.test(value) ? globNames(workspace, value, budget) : undefined
  const none = found?.every((name) => !name.startsWith("-")) === true
  return `${value} ${none ? NOT_YET : BECOMES}`
}

/** `--include=*.js`: whatever files are called, it stays that option, whose value is text. */
const staysOption = (name: string, { value }: ShellWord): boolean => {
  const option = /^(--[a-z-]+)=/.exec(value)?.[1]
  return option !== undefined && Object.hasOwn(TEXT_OPTIONS, name) && TEXT_OPTIONS[name]!.has(option)
}

/** Whether this is no reason in a line that only looks. */
export const isNotYet = (why: string): boolean => why.endsWith(NOT_YET)

/** Not an option to it: `printf` looks for one in front only, `test` for `-v` and `-R` with a name behind. */
const isText = (name: string, pattern: string, at: number): boolean => {
  if (!TEXT_ONLY.has(name) || (name === "printf" && at === 0)) return false
  return !(name === "test" || name === "[") || !["-v", "-R", "-a", "-o"].some((one) => couldMatch(pattern, one))
}

/** `test`'s words that are files: behind `-f` and its like, and on both sides of `-nt`. */
const testedFiles = (words: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> =>
  words.filter(
    ({ value }, at) =>
      !/^-[a-zA-Z]+$|^[!()\]]$/.test(value) &&
      (/^-[abcdefghkprstuwxGLNOS]$/.test(words[at - 1]?.value ?? "") ||
        [words[at - 1], words[at + 1]].some((one) => /^-(?:nt|ot|ef)$/.test(one?.value ?? "")))
  )

/** Text to the program, a look at a directory to the shell or to `test`. */
const judgeText = (found: Found, name: string, words: ReadonlyArray<ShellWord>, paths: Paths): void => {
  if (!TEXT_ONLY.has(name)) return
  const patterns = words.filter((word) => word.glob && word.value.includes("/"))
  const files = name === "test" || name === "[" ? testedFiles(words) : []
  for (const word of [...patterns, ...files]) {
    const places = word.glob ? paths.matches(word.value) : [paths.place(word.value)]
    if (places === undefined) found.notPlain.add(`${word.value} matches too many files`)
    for (const { inside, path } of places ?? []) {
      if (!inside) found.notPlain.add(`${word.value} leads outside the workspace`)
      if (word.glob) found.paths.add(path)
    }
  }
}

/** `words` without the program; `started`: those of them that a wrapper runs, which are judged by themselves. */
export const commandPaths = (
  name: string,
  words: ReadonlyArray<ShellWord>,
  paths: Paths,
  given: Role,
  started: ReadonlySet<ShellWord>
): Operands => {
  const second = writesSecond(name, words)
  const role = second ? "open" : given
  const found: Found = { paths: new Set(), notPlain: new Set(), refused: undefined }
  const end = words.findIndex((word) => word.value === "--")
  const dashes = words.filter(
    (word, at) =>
      word.glob &&
      (end < 0 || at < end) &&
      LEADING_DASH.test(word.value) &&
      !isText(name, word.value, at) &&
      !staysOption(name, word)
  )
  for (const word of dashes) found.notPlain.add(becomes(word, paths))
  if (!TEXT_ONLY.has(name) && words.some((word) => isTooLong(name, word, words)))
    found.notPlain.add("has an option too long to be taken apart")
  judgeText(found, name, words, paths)
  const operands = candidates(name, words)
  const copies = PLACES_COPIES.has(name) || (name === "git" && words[0]?.value === "mv")
  for (const word of operands) {
    const readOnly = (name === "cp" || name === "install") && word.form === "word"
    judgeWord(found, name, readOnly || started.has(word.origin) ? "reads" : role, word, paths)
  }
  if (copies) {
    const going = destinations(name === "git" ? "mv" : name, name === "git" ? words.slice(1) : words, paths)
    for (const why of going.notPlain) found.notPlain.add(why)
    for (const path of going.made) found.paths.add(path)
    found.refused ??= going.refused
  }
  if (second) found.notPlain.add("writes its second file")
  return {
    paths: [...found.paths],
    notPlain: [...found.notPlain],
    ...(found.refused === undefined ? {} : { refused: found.refused })
  }
}
