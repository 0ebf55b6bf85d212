/**
 * Words of a line that may be paths and that nobody can know before it runs (SECURITY P1, T2): for rules on paths, which else
 * would not see what such a word names. Owns: which words, and when what a variable holds is sure. Pure but for the paths.
 * Invariants: it makes rules stricter and nothing else; a variable that anything else of the line may set is not sure.
 */
import { type Assignment, type Command, type For, forEachChild, type Redirection, type Word } from "unbash"
import type { SimpleCommand } from "../domain/Approval.ts"
import { candidates } from "./commandCandidates.ts"
import type { Held } from "./commandHeld.ts"
import type { Paths } from "./commandPaths.ts"
import { SHELLS, TEXT_ONLY } from "./commandTables.ts"
import { shellWords, type ShellWord } from "./commandWords.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

export interface Unknown {
  /** The first word that is certainly one. */
  word: string | undefined
  /** Variables whose values were put in place of their names → how many there were. */
  readonly used: Map<string, number>
  /** Variables that get a value which does not stand in the line. */
  readonly unsure: Set<string>
}

export const makeUnknown = (): Unknown => ({ word: undefined, used: new Map(), unsure: new Set() })

/** Their words are numbers and names. */
const NO_PATHS = set("kill wait exit return shift break continue umask ulimit")
const EXPANDS = set("expands translates evaluates runs uses makes mixes")
/** Its file is what its own commands say, and those are judged. */
const HARMLESS = "runs a command as a file"

const VARIABLE = /\$(?:(\w+)|\{(\w+)(?:\[[@*\d]+\])?\})/g
const MOST_VALUES = 8

const isDynamic = ({ value, why }: ShellWord): boolean => {
  if (/^https?:\/\//.test(value)) return false
  return why.some((one) => one !== HARMLESS && EXPANDS.has(one.split(" ")[0]!))
}

/** Its variables, where nothing but variables is in it that the line itself sets, all but one of them once. */
const variablesOf = ({ value, why }: ShellWord, held: Held): ReadonlyArray<string> | undefined => {
  if (why.some((one) => !one.startsWith("expands a variable") && EXPANDS.has(one.split(" ")[0]!))) return undefined
  const names = Array.from(value.matchAll(VARIABLE), ([, plain, braced]) => plain ?? braced ?? "")
  if (/[$`]/.test(value.replace(VARIABLE, "")) || names.some((name) => !held.has(name))) return undefined
  const many = new Set(names).size > 1 && names.filter((name) => held.get(name)!.length > 1).length > 1
  return many ? undefined : names
}

const note = (unknown: Unknown, word: ShellWord, held: Held): void => {
  if (!isDynamic(word)) return
  const names = variablesOf(word, held)
  for (const name of names ?? []) unknown.used.set(name, Math.min(held.get(name)!.length, unknown.used.get(name) ?? 99))
  if (names === undefined) unknown.word ??= word.value
}

/** What takes the names of files from a file or from what comes in. */
const TAKES_NAMES = /^--(?:files0?-from|pathspec-from|pathspec-file|from-file|batch|ch?e?c?k?$)/
const SUMS = /^(?:md5|sha\d+|b2|ck)?sum$/

const takesNames = (name: string, words: ReadonlyArray<ShellWord>): boolean =>
  words.some(({ value }) => TAKES_NAMES.test(value) && (!value.startsWith("--c") || SUMS.test(name))) ||
  (SUMS.test(name) && words.some(({ value }) => /^-[a-z]*c/.test(value))) ||
  (/^(?:bsd)?tar$/.test(name) && words.some(({ value }) => /^-?[A-Za-z]*T/.test(value)))

/** What the words of a command leave open; `words` without the program. */
export const noteWords = (
  unknown: Unknown,
  name: string,
  words: ReadonlyArray<ShellWord>,
  held: Held,
  paths: Paths
): void => {
  if (NO_PATHS.has(name) || TEXT_ONLY.has(name)) return
  if (takesNames(name, words)) unknown.word ??= name
  for (const word of words.filter(isDynamic).length === 0 ? [] : candidates(name, words))
    note(unknown, { ...word, value: word.origin.value }, held)
  const many = words.find((word) => word.glob && paths.matches(word.value) === undefined)
  if (many !== undefined) unknown.word ??= many.value
}

export const noteRedirect = (unknown: Unknown, node: Redirection, home: string): void => {
  if (node.type !== "Redirect" || node.target === undefined) return
  const [word, ...more] = shellWords(node.target, home)
  if (word !== undefined && (more.length > 0 || isDynamic(word))) unknown.word ??= word.value
}

const noteAssignment = (unknown: Unknown, { append, name, value }: Assignment, home: string): void => {
  const words: Array<Word> = value.type === "Word" ? [value] : []
  if (value.type !== "Word")
    forEachChild(value, (child) => {
      if (child.type === "Word") words.push(child)
    })
  const known = words.flatMap((word) => shellWords(word, home)).every((word) => !isDynamic(word))
  if (append === true || !known) unknown.unsure.add(name)
}

/** The variables that this sets to what does not stand in the line. */
export const noteAssigned = (unknown: Unknown, node: Command | For, home: string): void => {
  if (node.type === "For") {
    const words = node.wordlist?.flatMap((word) => shellWords(word, home))
    if (words?.every((word) => !isDynamic(word)) !== true) unknown.unsure.add(node.name.value)
    return
  }
  for (const part of [...node.prefix, ...node.args]) if (part.type === "Assignment") noteAssignment(unknown, part, home)
}

/** Builtins that set variables by name, or change what words mean. */
const SETS = set("read mapfile readarray getopts let eval source . printf unset coproc")
const DECLARES = set("declare typeset local readonly export")
const SETS_WITHIN = /\$\{\w+(?:\[[^\][]*\])?:?=|\$\{!|\(\(|\bselect\b/
const OF_SHELL = set("HOME IFS PWD OLDPWD GLOBIGNORE CDPATH")

const setsByName = ({ argv }: SimpleCommand): boolean => {
  const [program = "", ...args] = argv
  if (program === "printf") return args[0]?.startsWith("-v") === true
  return SETS.has(program) || (DECLARES.has(program) && args.some((word) => /^-|^[^=]*$/.test(word)))
}

const changesWords = ({ argv }: SimpleCommand): boolean => {
  const [program = "", ...args] = argv
  if (program === "shopt" || (program === "set" && args.length > 0)) return true
  return SHELLS.has(program) && args.some((word) => /^[-+]O/.test(word))
}

/** A word that nobody can know, once the whole line is read; undefined: there is none. */
export const unknownWord = (
  { unsure, used, word }: Unknown,
  held: Held,
  commands: ReadonlyArray<SimpleCommand>,
  source: string
): string | undefined => {
  if (word !== undefined) return word
  const hides = commands.find(changesWords)
  if (hides !== undefined) return hides.text
  const own = [...held.keys(), ...unsure].find(
    (name) => OF_SHELL.has(name) && (name !== "PWD" || unsure.has(name) || held.get(name)!.length > 1)
  )
  if (own !== undefined) return own
  if (used.size === 0) return undefined
  const open = SETS_WITHIN.test(source) || commands.some(setsByName)
  for (const [name, count] of used) {
    const values = held.get(name)?.length ?? 0
    if (open || unsure.has(name) || values !== count || values >= MOST_VALUES) return `$${name}`
  }
  return undefined
}

const GIVEN_NAMES = set("xargs gxargs parallel")

/** Fed by a pipe, it has words that stand nowhere. */
export const isGivenNames = ({ argv, notPlain }: SimpleCommand): boolean =>
  GIVEN_NAMES.has((argv[0] ?? "").split("/").at(-1)!) && notPlain.length > 0
