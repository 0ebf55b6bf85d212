/**
 * Where the program begins that a wrapper starts (SECURITY P4). Owns: the reading of a wrapper's own options, of which
 * some are known to take a value and some are known to take none. Pure. Invariant: an option that is not known is read
 * both ways, so that of the words that may be the program none is left out.
 */
import { Exhausted } from "./commandBudget.ts"

/** More places for one program to begin than anybody could mean. */
const MAX_BEGINNINGS = 64

export interface Own {
  readonly valued: ReadonlySet<string>
  readonly flags: ReadonlySet<string>
  /** Words of its own before the program. */
  readonly operands: number
  /** `NAME=value` may stand before the program. */
  readonly assigns: boolean
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter((name) => name !== ""))

/** `-k` or `--kill-after` each; short ones may be clustered and have their value attached. */
export const own = (valued = "", flags = "", operands = 0, assigns = false): Own => ({
  valued: set(valued),
  flags: set(`--help --version ${flags}`),
  operands,
  assigns
})

const ONE = [1]
const TWO = [2]
const BOTH = [1, 2]

/** How many words an option takes. */
const lengths = (word: string, { flags, valued }: Own): ReadonlyArray<number> => {
  if (flags.has(word) || /^-\d+$/.test(word)) return ONE
  if (word.startsWith("--")) return word.includes("=") ? ONE : valued.has(word) ? TWO : BOTH
  for (let at = 1; at < word.length; at += 1) {
    const letter = `-${word[at]!}`
    if (valued.has(letter)) return at === word.length - 1 ? TWO : ONE
    if (!flags.has(letter)) return BOTH
  }
  return ONE
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/** Indices from `from` on at which the program may stand, in order; the last one is the least. */
export const beginnings = (words: ReadonlyArray<string>, from: number, options: Own): ReadonlyArray<number> => {
  const found: Array<number> = []
  /** How many own words may have been seen before each word; -1: options are over. */
  const open: Array<Set<number>> = []
  const reach = (at: number, seen: number) => (open[at] ??= new Set()).add(seen)
  reach(from, 0)
  for (let at = from; at < words.length; at += 1) {
    const word = words[at]!
    const option = /^-./.test(word)
    for (const seen of open[at] ?? []) {
      if (word === "--") {
        const start = at + 1 + options.operands - seen
        if (start < words.length) found.push(start)
      } else if (option) for (const length of lengths(word, options)) reach(at + length, seen)
      else if (options.assigns && (ASSIGNMENT.test(word) || word === "-")) reach(at + 1, seen)
      else if (seen < options.operands) reach(at + 1, seen + 1)
      else found.push(at)
    }
  }
  if (found.length > MAX_BEGINNINGS) throw new Exhausted("is too much to be judged")
  return [...new Set(found)].toSorted((a, b) => a - b)
}
