/**
 * Which words of a command may be paths. Owns: that reading, through options, clusters and attached values. Does not own:
 * where they lead (commandOperands). Invariant: words that are text to their program (`echo a / b`, a pattern, a message)
 * are never taken for paths (LESSONS 28), and of a cluster every ending is.
 */
import { FIND_VALUES, PATTERN_FIRST, plainName, TEXT_ONLY, TEXT_OPTIONS } from "./commandTables.ts"
import type { ShellWord } from "./commandWords.ts"

/** Longer than any path behind a letter: such an option is not taken apart. */
const MAX_CLUSTER = 512

/** What may be a path inside an option: behind `=`, or attached to a short one wherever its letters end. */
const optionPaths = (word: string): readonly [string | undefined, ...Array<string>] => {
  const at = word.indexOf("=")
  const value: [string | undefined] = [at > 0 ? word.slice(at + 1) : undefined]
  if (!/^-[A-Za-z]./s.test(word) || word.length > MAX_CLUSTER) return value
  return [...value, ...Array.from({ length: word.length - 2 }, (_, from) => word.slice(from + 2))]
}

/** Its commands whose short options take a text: `-m` a message, `-S` and `-G` what to look for, `-L` lines. */
const GIT_TEXTS: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^(?:commit|merge|tag|stash|notes)$/, /^-m/],
  [/^(?:log|show|diff|whatchanged|diff-tree|diff-index|diff-files)$/, /^-[SG]/],
  [/^(?:log|blame|annotate|show)$/, /^-L/]
]

/** `-ne SCRIPT` */
const SCRIPT_IN_CLUSTER: ReadonlySet<string> = new Set(["perl", "ruby", "sed", "gsed"])

type TextOption = "no" | "attached" | "next"

/** Whether the word is an option whose value is text, and where that value stands. */
const textOption = (name: string, word: string, words: ReadonlyArray<ShellWord>): TextOption => {
  const plain = Object.hasOwn(TEXT_OPTIONS, name) ? name : plainName(name)
  const options = Object.hasOwn(TEXT_OPTIONS, plain) ? TEXT_OPTIONS[plain]! : undefined
  if (options?.has(word) === true) return "next"
  if (word.startsWith("--") && options?.has(word.split("=")[0]!) === true) return "attached"
  if (SCRIPT_IN_CLUSTER.has(plain) && /^-[A-Za-z]*[eE]$/.test(word)) return "next"
  if (name !== "git") return "no"
  const command = words[0]?.value ?? ""
  const matches = GIT_TEXTS.some(([commands, option]) => commands.test(command) && option.test(word))
  if (!matches) return "no"
  return word.length === 2 ? "next" : "attached"
}

const SINGLE_FLAGS =
  /^-(?:[rnilvwcoHhsxqaEFPGULzSsuNjeCM]+|-(?:ignore-case|line-number|recursive|word-regexp|count|files-with-matches|fixed-strings|hidden|no-ignore|extended-regexp|perl-regexp|invert-match|smart-case|multiline|no-heading|only-matching|null|raw-output|compact-output|[\w-]+=.*))$/s

/** The pattern or script is an option's value, attached or not: no plain word is one. */
const GIVES_PATTERN = /^(?:-[A-Za-z]*[ef]|--(?:reg|fi|ex?(?:$|=)|exp|from|source))/

/** A pattern is text only where it cannot be the value of the option before it. */
const isPattern = (before: string | undefined): boolean =>
  before === undefined || !before.startsWith("-") || SINGLE_FLAGS.test(before)

/** The word that follows names what to leave out. */
const LEAVES_OUT = /^--?(?:exclude|ignore|skip)[\w-]*$/

export interface Candidate extends ShellWord {
  readonly form: "word" | "value" | "cluster"
  readonly leftOut: boolean
  /** The word it stands in. */
  readonly origin: ShellWord
}

const optionValues = (word: ShellWord): ReadonlyArray<Candidate> => {
  const leftOut = LEAVES_OUT.test(word.value.split("=")[0]!)
  const [value, ...cluster] = optionPaths(word.value)
  return [
    ...(value === undefined ? [] : [{ ...word, origin: word, value, form: "value" as const, leftOut }]),
    ...cluster.map((one) => ({ ...word, origin: word, value: one, glob: false, form: "cluster" as const, leftOut }))
  ]
}

/** An option that hides more than a path's length behind its letter. */
export const isTooLong = (name: string, word: ShellWord, words: ReadonlyArray<ShellWord>): boolean =>
  word.value.length > MAX_CLUSTER && /^-[A-Za-z]/.test(word.value) && textOption(name, word.value, words) === "no"

/** Words that may be paths, in order. */
export const candidates = (name: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<Candidate> => {
  if (TEXT_ONLY.has(name)) return []
  const out: Array<Candidate> = []
  let pattern = PATTERN_FIRST.has(name) && !words.some((word) => GIVES_PATTERN.test(word.value))
  let options = true
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (word.value === "--") options = false
    const kind = options ? textOption(name, word.value, words) : "no"
    if (kind !== "no") {
      if (kind === "next") at += 1
    } else if (options && word.value.startsWith("-") && word.value.length > 1) {
      if (name === "find") {
        if (FIND_VALUES.has(word.value) && word.value !== "-samefile") at += 1
      } else out.push(...optionValues(word))
    } else if (pattern) {
      pattern = false
      if (!isPattern(words[at - 1]?.value)) out.push({ ...word, origin: word, form: "word", leftOut: false })
    } else out.push({ ...word, origin: word, form: "word", leftOut: LEAVES_OUT.test(words[at - 1]?.value ?? "") })
  }
  return out
}
