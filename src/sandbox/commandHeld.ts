/**
 * What variables of a line hold, as far as it says so itself, and texts that the shell evaluates though they are quoted
 * (SECURITY P4, corpus B039). Owns: both readings. They are for rules and refusals: a word that is not literal is never
 * plain, so that a value that is none only makes the judgement stricter. Pure. Invariant: of several values each counts.
 */
import { type Assignment, type Command, type For, forEachChild, type SyntaxNode, type Word } from "unbash"
import { shellWords, type ShellWord } from "./commandWords.ts"

export type Held = Map<string, Array<string>>

const MAX_VALUES = 8

const isKnown = ({ why }: ShellWord): boolean =>
  why.every((one) => one.startsWith("spells") || one.startsWith("has a backslash"))

const hold = (held: Held, name: string, value: string): void => {
  const known = held.get(name) ?? []
  if (known.length < MAX_VALUES && !known.includes(value)) held.set(name, [...known, value])
}

const valuesOf = (value: Assignment["value"], home: string): ReadonlyArray<string> => {
  if (value.type === "Word")
    return shellWords(value, home)
      .filter(isKnown)
      .map((word) => word.value)
  const elements: Array<Word> = []
  forEachChild(value, (child) => {
    if (child.type === "Word") elements.push(child)
  })
  const all = elements
    .flatMap((word) => shellWords(word, home))
    .filter(isKnown)
    .map((word) => word.value)
  return all.length === 0 ? [] : [all.join(" "), ...all]
}

/** What this assigns; a later command may use it. */
export const holdFrom = (node: Command | For, held: Held, home: string): void => {
  if (node.type === "For") {
    for (const value of (node.wordlist ?? []).flatMap((word) => shellWords(word, home)).filter(isKnown))
      hold(held, node.name.value, value.value)
    return
  }
  for (const part of [...node.prefix, ...node.args]) {
    if (part.type !== "Assignment") continue
    for (const value of valuesOf(part.value, home)) {
      if (part.append === true)
        for (const before of held.get(part.name) ?? []) hold(held, part.name, `${before}${value}`)
      hold(held, part.name, value)
    }
  }
}

const NAMES = /\$(?:([A-Za-z_]\w*)|\{!?([A-Za-z_]\w*)(?:\[[^\][]*\])?(?:@\w|[-:+=?%#/^,][^}]{0,1000})?\})/g

/** The same words with what the variables hold, each value in its turn. */
export const withHeld = (words: ReadonlyArray<ShellWord>, held: Held): ReadonlyArray<ReadonlyArray<ShellWord>> => {
  if (held.size === 0 || !words.some(({ value, why }) => why.length > 0 && value.includes("$"))) return []
  const out = new Map<string, ReadonlyArray<ShellWord>>()
  for (let turn = 0; turn < MAX_VALUES; turn += 1) {
    let changed = false
    const filled = words.flatMap((word): ReadonlyArray<ShellWord> => {
      if (word.why.length === 0) return [word]
      const value = word.value.replace(NAMES, (whole, plain?: string, braced?: string) => {
        const known = held.get(plain ?? braced ?? "")
        if (known === undefined) return whole
        changed = true
        return known[Math.min(turn, known.length - 1)]!
      })
      if (value === word.value) return [word]
      const parts = word.splits ? value.split(/\s+/).filter((part) => part !== "") : [value]
      const why = value.includes("$") || value.includes("`") ? word.why : []
      return parts.map((part) => ({ value: part, why, glob: /[*?[]/.test(part), splits: false }))
    })
    if (!changed) return []
    out.set(JSON.stringify(filled), filled)
  }
  return [...out.values()]
}

const EVALUATES: ReadonlySet<string> = new Set(
  `test [ declare typeset local export readonly let read printf unset mapfile readarray getopts wait`.split(" ")
)
const SUBSCRIPT = /\[[^\][]*(?:\$\(|`)/
const RUNS = /\$\(|`/

const asWords = (text: string): string => `: ${text.replace(/(?<![;&|<>\n])[;&|<>\n]+$/, "")}`

/** Scripts that stand in subscripts, or in a value that may be expanded once more. */
export const evaluatedIn = (node: SyntaxNode, source: string): ReadonlyArray<string> => {
  if (node.type === "TestUnary" || node.type === "TestBinary") {
    const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right]
    return words
      .map(({ value }) => value)
      .filter((value) => SUBSCRIPT.test(value))
      .map(asWords)
  }
  if (node.type === "ArithmeticCommand") {
    const text = source.slice(node.pos, node.end)
    return SUBSCRIPT.test(text) ? [asWords(text.replace(/^\(\(|\)\)$|'/g, ""))] : []
  }
  if (node.type !== "Command") return []
  const assigned = [...node.prefix, ...node.args].flatMap((part) =>
    part.type === "Assignment" && part.value.type === "Word" && RUNS.test(part.value.value) ? [part.value.value] : []
  )
  const named = EVALUATES.has(node.name?.value ?? "")
    ? node.args.flatMap((arg) => (arg.type === "Word" && SUBSCRIPT.test(arg.value) ? [arg.value] : []))
    : []
  return [...assigned, ...named].map(asWords)
}
