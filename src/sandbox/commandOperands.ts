/**
 * Which words of a command are paths, and where they lead (SECURITY P9, P10). Owns: that reading. Invariant: words that
 * are text to their program (`echo a / b`, a pattern, a message) are never taken for paths (LESSONS 28).
 */
import { isSink, type Paths, type Place } from "./commandPaths.ts"
import { FIND_VALUES, PATTERN_FIRST, TEXT_ONLY, TEXT_OPTIONS, WRITERS } from "./commandTables.ts"
import type { ShellWord } from "./commandWords.ts"

export interface Operands {
  readonly paths: ReadonlyArray<string>
  readonly notPlain: ReadonlyArray<string>
  /** It would write where no tool may. */
  readonly refused?: string
}

const URL_FORM = /^[a-z][a-z0-9+.-]+:\/\//i

/** The path inside an option: behind `=`, or attached to a short one where it cannot be anything else. */
const optionPath = (word: string): string | undefined => {
  const at = word.indexOf("=")
  if (at > 0) return word.slice(at + 1)
  const attached = /^-[A-Za-z](.+)$/s.exec(word)?.[1]
  return attached !== undefined && /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(attached) ? attached : undefined
}

const isTextOption = (name: string, word: string, options: ReadonlySet<string> | undefined): boolean =>
  options !== undefined &&
  (options.has(word) || options.has(word.split("=")[0]!) || (name === "git" && /^-[mSGL]./.test(word)))

/** Words that may be paths, in order. */
const candidates = (name: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> => {
  if (TEXT_ONLY.has(name)) return []
  const textOptions = Object.hasOwn(TEXT_OPTIONS, name) ? TEXT_OPTIONS[name] : undefined
  const out: Array<ShellWord> = []
  let pattern =
    PATTERN_FIRST.has(name) && !words.some((word) => /^(?:-\w*[ef]|--regexp|--file|--files)(?:$|=)/.test(word.value))
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (isTextOption(name, word.value, textOptions)) {
      if (textOptions?.has(word.value) === true) at += 1
      continue
    }
    if (word.value.startsWith("-") && word.value.length > 1) {
      const path = optionPath(word.value)
      if (path !== undefined) out.push({ ...word, value: path })
      else if (name === "find" && FIND_VALUES.has(word.value) && word.value !== "-samefile") at += 1
    } else if (pattern) pattern = false
    else out.push(word)
  }
  return out
}

const isUrl = (value: string): boolean => URL_FORM.test(value) && !/^file:/i.test(value)

/** `of=…`, `NAME=…`: the value is the path. */
const valueOf = (value: string): string => /^[A-Za-z_]\w*=(.*)$/s.exec(value)?.[1] ?? value

const LEADING_DASH = /^(?:[*?]|\[)/

const placesOf = (word: ShellWord, paths: Paths): ReadonlyArray<Place> | undefined =>
  word.glob ? paths.matches(word.value) : [paths.place(valueOf(word.value))]

/** Of `cp` and its like only the last word is written. */
const COPIES: ReadonlySet<string> = new Set(["cp", "install"])

const SECOND_IS_WRITTEN: ReadonlySet<string> = new Set(["uniq", "xxd"])

export const commandPaths = (name: string, words: ReadonlyArray<ShellWord>, paths: Paths): Operands => {
  const found: Array<string> = []
  const notPlain: Array<string> = []
  let refused: string | undefined
  const end = words.findIndex((word) => word.value === "--")
  const dashes = words.find((word, at) => word.glob && (end < 0 || at < end) && LEADING_DASH.test(word.value))
  if (dashes !== undefined && !TEXT_ONLY.has(name)) notPlain.push(`${dashes.value} may become an option`)
  const operands = candidates(name, words)
  for (const [index, word] of operands.entries()) {
    if (isUrl(word.value) || isSink(word.value)) continue
    const places = placesOf(word, paths)
    if (places === undefined) notPlain.push(`${word.value} matches too many files`)
    for (const place of places ?? []) {
      found.push(place.path)
      if (!place.inside) notPlain.push(`${word.value} leads outside the workspace`)
      const writes = WRITERS.has(name) && (!COPIES.has(name) || index === operands.length - 1)
      if (place.guard === "alwaysAsk" && writes) notPlain.push(`${word.value} can make other programs run code`)
      if (place.guard === "forbidden" && writes) refused = `${name} would change ${word.value}, which tools never write`
    }
  }
  if (SECOND_IS_WRITTEN.has(name) && operands.filter((word) => !word.value.startsWith("-")).length > 1)
    notPlain.push("writes its second file")
  return { paths: [...new Set(found)], notPlain: [...new Set(notPlain)], ...(refused === undefined ? {} : { refused }) }
}
