/**
 * What a pattern matches now, segment by segment and through links, as a shell without globstar does it; and whether it
 * could match a name. Owns: that walk, and a matching whose cost is bounded by both lengths. Invariants: more than
 * `MAX_GLOB_MATCHES` names is no answer, never a part of one; a bracket stands for any character and for itself, so that
 * no name which some shell's locale lets it match is left out.
 */
import { type Budget, UNBOUNDED } from "./commandBudget.ts"
import { namesOf, readingsOf } from "./fileNames.ts"

export const MAX_GLOB_MATCHES = 2_000
/** What is longer or has more brackets could match anything: no name needs it. */
const MAX_PATTERN = 400
const MAX_BRACKETS = 8
const WILD = /[*?[]/

export const isWild = (name: string): boolean => WILD.test(name)

/** Positions behind a bracket that is open at `at`, for each of its possible ends. */
const closings = (pattern: ReadonlyArray<string>, at: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let end = pattern.indexOf("]", at + 2); end >= 0; end = pattern.indexOf("]", end + 1)) found.push(end + 1)
  return found
}

const isMatch = (pattern: ReadonlyArray<string>, name: ReadonlyArray<string>): boolean => {
  const ends = pattern.map((one, at) => (one === "[" ? closings(pattern, at) : []))
  const length = pattern.length
  /** With each star passed over. */
  const settled = (at: number, into: Set<number>) => {
    into.add(at)
    for (let next = at; pattern[next] === "*"; next += 1) into.add(next + 1)
  }
  let here = new Set<number>()
  settled(0, here)
  for (let i = 0; i < name.length; i += 1) {
    const next = new Set<number>()
    for (const at of here) {
      const one = pattern[at]
      if (one === "*") settled(at, next)
      else if (one === "?" || one === name[i]) settled(at + 1, next)
      for (const end of ends[at] ?? []) settled(end, next)
    }
    if (next.size === 0) return false
    here = next
  }
  return here.has(length)
}

/** Whether a pattern without `/` could match this name, wherever its brackets end and whatever a character is to the shell. */
export const couldMatch = (pattern: string, name: string): boolean => {
  if (pattern.length > MAX_PATTERN || pattern.split("[").length > MAX_BRACKETS + 1) return true
  if (name.startsWith(".") && !pattern.startsWith(".")) return false
  const patterns = readingsOf(pattern)
  return readingsOf(name).some((units, at) => isMatch(patterns[at] ?? patterns[0]!, units))
}

const names = (directory: string, budget: Budget): ReadonlyArray<string> => {
  budget.spend()
  try {
    return namesOf(directory)
  } catch {
    return []
  }
}

const below = (root: string, base: string, pattern: string, budget: Budget): ReadonlyArray<string> => {
  if (!isWild(pattern)) return [`${base}${pattern}`]
  const directory = base.startsWith("/") ? base : `${root}/${base}`
  const found = names(directory, budget)
  const steps = Math.ceil(pattern.length / 32)
  return found.flatMap((name) => {
    budget.spend(steps)
    return couldMatch(pattern, name) ? [`${base}${name}`] : []
  })
}

/** Names that the pattern stands for, relative to `root` where it is; undefined: too many. */
export const globNames = (root: string, pattern: string, budget = UNBOUNDED): ReadonlyArray<string> | undefined => {
  const [first = "", ...rest] = pattern.split("/")
  let found = first === "" ? [""] : below(root, "", first, budget)
  for (const name of rest) {
    found = found.flatMap((base) => below(root, `${base}/`, name, budget))
    if (found.length > MAX_GLOB_MATCHES) return undefined
  }
  return found.length > MAX_GLOB_MATCHES ? undefined : found
}
