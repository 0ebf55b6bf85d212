/**
 * Options that make a safe name unsafe: they write files, start programs or move the root (SECURITY P8, LESSONS 27).
 * Owns: how options are recognised (abbreviated, clustered, with one dash). Does not own: the lists (commandTables).
 */
import { allowedFor, BEHIND, refusedBy } from "./commandAllowed.ts"
import { ANY_PROGRAM, FIND_LOOKS, FIND_VALUES, LETTER_OF, OPTIONS, type Options, plainName } from "./commandTables.ts"

/** A generic name counts from this many letters on: `--outp` does, `--out` may be another option. */
const GENERIC_ABBREVIATION = 5

/** `-test.cpuprofile` is Go's own spelling of `-cpuprofile`. */
const longName = (word: string, { anyDash, oneDash }: Options): string | undefined => {
  const form = anyDash === true ? /^--+([A-Za-z][\w-]*)/ : /^--([A-Za-z][\w-]*)/
  return (oneDash === true ? /^--?(?:test\.)?([A-Za-z][\w-]*)/ : form).exec(word)?.[1]
}

/** `-prefix=x` where dashes do not count. Two letters at least: one is a letter of its own. */
const singleDashed = (word: string, { anyDash, long }: Options): boolean => {
  const name = anyDash === true ? /^-([A-Za-z][\w-]+)/.exec(word)?.[1] : undefined
  return name !== undefined && [...long, ...ANY_PROGRAM.long].some((one) => one.startsWith(name))
}

/** Programs whose long options have one dash take no abbreviations. */
const isShort = (long: string, name: string): boolean =>
  // tar itself takes no less: `--check` is an option of many.
  long.startsWith(name) && (long !== "checkpoint-action" || name.startsWith("checkpoint-"))

const abbreviates = (name: string, options: Options, atLeast: number): boolean =>
  options.long.some(
    (long) => name === long || (options.oneDash !== true && name.length >= atLeast && isShort(long, name))
  )

const clustered = (word: string, letters: string): boolean =>
  /^-[A-Za-z]/.test(word) && [...word.slice(1).split("=")[0]!].some((letter) => letters.includes(letter))

const isDangerous = (word: string, own: Options): boolean => {
  const name = longName(word, own)
  if (name !== undefined && (abbreviates(name, own, 1) || abbreviates(name, ANY_PROGRAM, GENERIC_ABBREVIATION)))
    return true
  if (singleDashed(word, own)) return true
  return own.oneDash !== true && clustered(word, own.short ?? "")
}

/** The words that make a pair which asks only as one. */
const pairs = (words: ReadonlyArray<string>, { together = [] }: Options): ReadonlyArray<string> => {
  if (together.length === 0) return []
  const lettersOf = (word: string): string => {
    const long = /^--([a-z]{3,})/.exec(word)?.[1]
    if (long === undefined) return /^-[A-Za-z]/.test(word) ? word.slice(1) : ""
    return Object.entries(LETTER_OF).find(([name]) => name.startsWith(long))?.[1] ?? ""
  }
  const all = words.map(lettersOf).join("")
  const found = together.filter((pair) => [...pair].every((letter) => all.includes(letter))).join("")
  return words.filter((word) => [...lettersOf(word)].some((letter) => found.includes(letter)))
}

/** Runners hand what stands behind `--` to a program that nobody has named. */
const HANDS_ON: ReadonlySet<string> = new Set(["npm", "cargo"])

const NONE: Options = { long: [] }

const findWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i]!
    if (FIND_VALUES.has(word)) i += 1
    else if (word.startsWith("-") && !FIND_LOOKS.has(word)) out.push(word)
  }
  return out
}

/** What it hands on behind `--`, by the command that does so. */
const handedOn = (name: string, args: ReadonlyArray<string>, end: number): ReadonlyArray<string> => {
  const handed = args.slice(end + 1)
  const own = Object.hasOwn(BEHIND, name) ? BEHIND[name]! : {}
  const command = args[skipOptions(args, 0, new Set())] ?? ""
  if (Object.hasOwn(own, command)) return refusedBy(own[command]!, handed)
  return HANDS_ON.has(name) ? handed.filter((word) => isDangerous(word, NONE)) : []
}

/** The words of a program that ask. */
export const riskyWords = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (name === "find") return findWords(args)
  const end = args.indexOf("--")
  const options = end < 0 ? args : args.slice(0, end)
  const behind = end < 0 ? [] : handedOn(name, args, end)
  const allowed = allowedFor(plainName(name))
  if (allowed !== undefined) {
    const further = allowed.files === true && end >= 0 ? args.slice(end).filter((word) => word.startsWith("@")) : []
    return [...refusedBy(allowed, options), ...further, ...behind]
  }
  const own = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]! : NONE
  const isForm = (word: string, at: number) =>
    own.forms?.test(word) === true || own.forms?.test(`${word} ${options[at + 1] ?? ""}`) === true
  const before = options.filter((word, at) => isDangerous(word, own) || isForm(word, at))
  return [...before, ...pairs(options, own), ...behind]
}

/** Index of the first word that is neither an option nor the value of one. */
export const skipOptions = (args: ReadonlyArray<string>, from: number, withValue: ReadonlySet<string>): number => {
  let at = from
  for (; at < args.length; at += 1) {
    const word = args[at]!
    if (word === "--") return at + 1
    if (!word.startsWith("-") || word === "-") return at
    if (withValue.has(word)) at += 1
  }
  return at
}
