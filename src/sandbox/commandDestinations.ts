/**
 * Where `cp`, `install`, `ln` and `mv` put what they are given (SECURITY P11). Owns: the reading of `-t DIR` and of a
 * last word that may be a directory, and what lies in a directory that is copied, moved or linked whole. Looks, changes
 * nothing. Invariant: each name that would appear is judged, below its source's own name and, as when the destination does
 * not exist yet, below the destination itself.
 */
import { lstatSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { Paths, Place } from "./commandPaths.ts"
import { entriesOf, onDisk } from "./fileNames.ts"
import { literalWord, type ShellWord } from "./commandWords.ts"

export const PLACES_COPIES: ReadonlySet<string> = new Set(["cp", "install", "ln", "mv"])

/** Directories with more entries are not looked through. */
const MAX_ENTRIES = 2_000

const VALUES = /^--(?:suf|mo|ow|g)[a-z]*$/

const LONG: Readonly<Record<string, string>> = {
  "--rec": "r",
  "--ar": "r",
  "--par": "P",
  "--di": "d",
  "--fo": "f",
  "--no-c": "n",
  "--no-t": "T"
}

interface Moves {
  readonly into: ReadonlyArray<ShellWord>
  readonly sources: ReadonlyArray<ShellWord>
  readonly whole: boolean
  readonly linked: boolean
  readonly parents: boolean
  /** Its options as letters. */
  readonly flags: string
}

const lettersWithValue = (name: string): string => (name === "install" ? "tmogS" : "tS")

/** One short cluster: its letters up to the one that takes a value, and that value as far as it is attached. */
const cluster = (
  name: string,
  word: string
): { readonly flags: string; readonly letter?: string; readonly value: string } => {
  const at = [...word].findIndex((letter, i) => i > 0 && lettersWithValue(name).includes(letter))
  return at < 0
    ? { flags: word, value: "" }
    : { flags: word.slice(0, at), letter: word[at]!, value: word.slice(at + 1) }
}

const read = (name: string, words: ReadonlyArray<ShellWord>): Moves => {
  const into: Array<ShellWord> = []
  const plain: Array<ShellWord> = []
  let flags = ""
  let options = true
  for (let at = 0; at < words.length; at += 1) {
    const { value } = words[at]!
    if (!options || !/^-./.test(value)) plain.push(words[at]!)
    else if (value === "--") options = false
    else if (value.startsWith("--t"))
      into.push(
        value.includes("=")
          ? { ...words[at]!, value: value.slice(value.indexOf("=") + 1) }
          : (words[(at += 1)] ?? literalWord(""))
      )
    else if (value.startsWith("--")) {
      flags += Object.entries(LONG).find(([form]) => value.startsWith(form))?.[1] ?? ""
      if (VALUES.test(value)) at += 1
    } else {
      const found = cluster(name, value)
      flags += found.flags.replace(/P/g, "")
      const attached = { ...words[at]!, value: found.value }
      const given = found.letter !== undefined && found.value === "" ? (words[(at += 1)] ?? literalWord("")) : attached
      if (found.letter === "t") into.push(given)
    }
  }
  const all = name === "install" && flags.includes("d")
  const last = into.length === 0 && !all ? plain.slice(-1) : []
  return {
    into: all
      ? plain
      : [...into, ...last.map((word) => (name === "ln" && plain.length === 1 ? literalWord(".") : word))],
    sources: all ? [] : last.length === 0 || plain.length === 1 ? plain : plain.slice(0, -1),
    // mv and ln put a directory in place with all that lies in it.
    whole: name === "mv" || name === "ln" || (name === "cp" && /[rRa]/.test(flags)),
    linked: name === "ln",
    parents: flags.includes("P"),
    flags
  }
}

/** Names below a directory and the links in it, relative to it; undefined: too many. */
const below = (directory: string, { budget, place }: Paths): ReadonlyArray<string> | undefined => {
  const out: Array<string> = []
  const open = [""]
  const led = new Set<string>()
  /** A link that is put in place puts there what it leads to. */
  const leads = (path: string): boolean => {
    const { inside, path: real } = place(path)
    if (!inside || led.has(real) || !isDirectory(real)) return false
    led.add(real)
    return true
  }
  for (let at = 0; at < open.length; at += 1) {
    try {
      for (const { entry, name: own } of entriesOf(`${directory}/${open[at]!}`)) {
        const name = `${open[at]!}${own}`
        budget.spend()
        out.push(name)
        if (entry.isDirectory() || (entry.isSymbolicLink() && leads(`${directory}/${name}`))) open.push(`${name}/`)
        if (out.length > MAX_ENTRIES) return undefined
      }
    } catch {
      // A file, or nothing that could be copied.
    }
  }
  return out
}

/** A link's target is looked up from where the link lies. */
const placesOf = (source: ShellWord, { into, linked }: Moves, paths: Paths): ReadonlyArray<Place> | undefined => {
  if (source.glob) return paths.matches(source.value)
  const from = linked && !source.value.startsWith("/") ? into.flatMap(({ value }) => [value, dirname(value)]) : []
  return [paths.place(source.value), ...from.map((one) => paths.place(`${one}/${source.value}`))]
}

/** `brought`: names that only come along with a directory. */
const namesOf = (
  source: ShellWord,
  moves: Moves,
  paths: Paths,
  brought: Set<string>
): ReadonlyArray<string> | undefined => {
  const places = placesOf(source, moves, paths)
  if (places === undefined) return undefined
  const out = new Set<string>(source.glob ? [] : [basename(source.value)])
  for (const place of places) {
    const own = new Set([basename(place.path), ...(source.glob ? [] : [basename(source.value)])])
    for (const name of own) out.add(name)
    const inner = moves.whole && place.inside ? below(place.path, paths) : []
    if (inner === undefined) return undefined
    for (const name of inner) for (const at of ["", ...own]) brought.add(at === "" ? name : `${at}/${name}`)
  }
  if (moves.parents) out.add(source.value)
  return [...out]
}

/** A copy writes a second control plane; what is moved or linked along stays the one that is there, and asks. */
const writes = (name: string, isBrought: boolean): boolean => name === "cp" || !isBrought

const isDirectory = (path: string): boolean => {
  try {
    return statSync(onDisk(path), { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    // No name is so long.
    return false
  }
}

const isFile = (path: string): boolean => {
  try {
    return statSync(onDisk(path), { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

const isTaken = (path: string): boolean => {
  try {
    const stats = lstatSync(onDisk(path), { throwIfNoEntry: false })
    return stats !== undefined && !stats.isDirectory()
  } catch {
    return false
  }
}

const asWord = (value: string): ShellWord => ({ ...literalWord(value), glob: /[*?[]/.test(value) })

/** The file that is there already, in whose place another one comes, also below a directory. */
export const overwritten = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const moves = read(name, args.map(asWord))
  const { flags, into, sources } = moves
  const [forces, keeps] = [flags.includes("f"), flags.includes("n") && !/[fi]/.test(flags)]
  // `ln` refuses, unless it is forced; `-n` of the others is for that.
  if (sources.length === 0 || (name === "ln" ? !forces : keeps)) return undefined
  for (const { value } of into) {
    const place = paths.place(value).path
    if (isTaken(place)) return value
    if (flags.includes("T") || !isDirectory(place)) continue
    const brought = new Set<string>()
    for (const source of sources) {
      const own = namesOf(source, moves, paths, brought)
      if (own === undefined) return `what lies in ${value}`
      const found = [...own, ...brought].find((one) => isTaken(`${place}/${one}`))
      if (found !== undefined) return `${value.replace(/\/+$/, "")}/${found}`
    }
  }
  return undefined
}

export const destinations = (
  name: string,
  words: ReadonlyArray<ShellWord>,
  paths: Paths
): {
  readonly notPlain: ReadonlyArray<string>
  /** What appears where no word says so: `ln docs/x.md` makes `./x.md`. */
  readonly made: ReadonlyArray<string>
  readonly refused?: string
} => {
  const moves = read(name, words)
  const notPlain = new Set<string>()
  const made = new Set<string>()
  const brought = new Set<string>()
  const own = moves.sources.flatMap((source) => {
    const found = namesOf(source, moves, paths, brought)
    if (found === undefined) notPlain.add(`${source.value} holds too much to be looked through`)
    return found ?? []
  })
  const names = [...own, ...brought]
  // The one that a pattern becomes may be a file by then.
  const patterns = moves.into.filter((word) => word.glob)
  for (const { value } of patterns) notPlain.add(`${value} may become any destination`)
  const matched = patterns.flatMap(({ value }) => (paths.matches(value) ?? []).map(({ path }) => path))
  for (const into of [...moves.into.map(({ value }) => value), ...matched]) {
    // Nothing comes to lie below a file.
    const inner = isFile(paths.place(into).path) ? [] : names
    for (const [at, path] of [into, ...inner.map((one) => `${into}/${one}`)].entries()) {
      const { guard, inside, path: real } = paths.place(path)
      if (path !== into && (into === "." || isDirectory(paths.place(into).path))) made.add(real)
      if (guard === "forbidden" && !writes(name, at > own.length)) notPlain.add(`${path} belongs to the control plane`)
      else if (guard === "forbidden")
        return { notPlain: [...notPlain], made: [], refused: `${name} would write ${path}, which tools never write` }
      if (guard === "alwaysAsk") notPlain.add(`${path} can make other programs run code`)
      if (!inside) notPlain.add(`${path} leads outside the workspace`)
    }
  }
  return { notPlain: [...notPlain], made: [...made] }
}
