/**
 * git's commands that come by the whole tree without naming a file: they show what is in it (`git diff`, `git show`) or put
 * something else in its place (`git restore .`, `git stash`, `git clean`) (SECURITY P1, P10, T2). Owns: which do, and how
 * much of the tree. Pure. Does not own: what lies there (CommandWalks). Invariants: a command that names files comes by
 * those; what moves the work tree from one commit to another (`git switch`, `git pull`) is no look at its files.
 */
import type { SimpleCommand } from "../domain/Approval.ts"
import { isCommit, isFileOf, isQuiet, sumsUp, tellsContents } from "./commandGitQuiet.ts"
import { skipOptions } from "./commandOptions.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** `kept`: what the index names; `all`: what lies there, kept or not. */
export type Extent = "kept" | "all"

const BEFORE_COMMAND = set("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path")
type Rest = ReadonlyArray<string>
type Row = (rest: Rest) => Extent | undefined

const options = (rest: Rest): Rest => rest.slice(0, rest.indexOf("--") < 0 ? rest.length : rest.indexOf("--"))
const has = (rest: Rest, form: RegExp): boolean => options(rest).some((word) => form.test(word))

const always: Row = () => "kept"
/** They show contents unless they are told to sum up, by nothing but words that show none. */
const shows: Row = (rest) => (options(rest).some(sumsUp) && options(rest).every(isQuiet) ? undefined : "kept")
/** They show none unless they are told to, or by a word that nobody knows. */
const unlessTold: Row = (rest) => (options(rest).every(isQuiet) ? undefined : "kept")
const toldBy =
  (form: RegExp): Row =>
  (rest) =>
    has(rest, form) ? "kept" : undefined
/** Hunk by hunk, or what it stopped at. */
const inHunks = toldBy(/^(?:-[A-Za-z]*[pi]$|--(?:pat|inter|show))/)
const fields: Row = (rest) => (rest.some(tellsContents) ? "kept" : undefined)
const words = (rest: Rest): Rest => rest.filter((word) => !word.startsWith("-"))

/** Files that the words name, of a commit: `HEAD:src/a.ts`. */
const areNamed = (rest: Rest): boolean => words(rest).length > 0 && words(rest).every(isFileOf)

/** By the hash of an object, or by what comes in, it shows any file that was ever kept. */
const object: Row = (rest) =>
  rest.some((word) => word.startsWith("--b")) || !(areNamed(rest) || rest.some((word) => /^-[ets]$/.test(word)))
    ? "kept"
    : undefined

const stash: Row = (rest) => {
  const [command = "push"] = words(rest)
  if (command === "drop" || command === "clear") return undefined
  if (command === "show" || command === "list") return unlessTold(rest)
  return has(rest, /^(?:-[A-Za-z]*[ua]|--include-u|--all)/) ? "all" : "kept"
}

/** Before `--`, names that may be those of a file's text or of a tag for one. */
const namesObjects = (rest: Rest): boolean => words(options(rest)).some((word) => !isCommit(word) && !isFileOf(word))

const checkout: Row = (rest) =>
  has(rest, /^(?:-[A-Za-z]*f|--force|--pathspec|--ours|--theirs)/) || rest.some(isAll) ? "kept" : undefined

/** `.`, `:/`, `*`: no file that could be looked up. */
const isAll = (word: string): boolean => /^(?:\.{1,2}\/?$|:|.*[*?[])/.test(word)

const ROWS: Readonly<Record<string, Row>> = {
  show: (rest) => (areNamed(rest) ? undefined : namesObjects(rest) ? "kept" : shows(rest)),
  "cat-file": object,
  diff: shows,
  difftool: always,
  "diff-files": unlessTold,
  "diff-index": unlessTold,
  "diff-tree": unlessTold,
  "range-diff": always,
  log: unlessTold,
  whatchanged: unlessTold,
  reflog: unlessTold,
  shortlog: unlessTold,
  "rev-list": unlessTold,
  cherry: unlessTold,
  status: toldBy(/^(?:-[A-Za-z]*v|--v)/),
  commit: toldBy(/^(?:-[A-Za-z]*[vp]$|--(?:v|pat|inter))/),
  "for-each-ref": fields,
  branch: fields,
  tag: fields,
  add: inHunks,
  rebase: toldBy(/^--show/),
  am: toldBy(/^--show/),
  "format-patch": always,
  "fast-export": always,
  archive: always,
  bundle: always,
  stash,
  restore: always,
  checkout,
  "checkout-index": (rest) => (has(rest, /^(?:-[A-Za-z]*a|--all)/) ? "kept" : undefined),
  "read-tree": (rest) => (has(rest, /^(?:-[A-Za-z]*u|--reset)/) ? "kept" : undefined),
  reset: (rest) => (has(rest, /^--(?:h|me|ke)/) ? "kept" : undefined),
  clean: (rest) => (has(rest, /^(?:-[A-Za-z]*n|--dry)/) ? undefined : "all")
}

const partsOf = ({ argv, names }: SimpleCommand): readonly [command: string, rest: Rest] | undefined => {
  if (!names.includes("git")) return undefined
  const args = argv.slice(1)
  const [command = "", ...rest] = args.slice(skipOptions(args, 0, BEFORE_COMMAND))
  return [command, rest]
}

/** How much of the tree it comes by; undefined: no more than it names. */
export const extentOf = (command: SimpleCommand): Extent | undefined => {
  const [name = "", rest = []] = partsOf(command) ?? []
  return Object.hasOwn(ROWS, name) ? ROWS[name]!(rest) : undefined
}

const SHOWS = set(`show diff difftool diff-files diff-index diff-tree range-diff log whatchanged reflog format-patch
  fast-export archive bundle cat-file shortlog rev-list cherry status commit for-each-ref branch tag add rebase am`)

/** What it comes by it also prints or packs; the others put it elsewhere. */
export const printsTree = (command: SimpleCommand): boolean => {
  const [name = "", rest = []] = partsOf(command) ?? []
  return SHOWS.has(name) || (name === "stash" && /^(?:show|list)$/.test(words(rest)[0] ?? ""))
}

/** What it shows it was given as an object: a path beside it keeps nothing back. */
export const showsObjects = (command: SimpleCommand): boolean => {
  const [name = "", rest = []] = partsOf(command) ?? []
  if (name === "show") return !areNamed(rest) && namesObjects(rest)
  return (name === "cat-file" && !areNamed(rest)) || name === "for-each-ref" || name === "tag" || name === "branch"
}

/** A word that means more files than the one of its name: `:/`, `'*.js'`. */
export const namesMore = ({ argv }: SimpleCommand): boolean => argv.some((word) => /^:|[*?[\\]/.test(word))

/** It compares what lies there, kept or not; with two names it does so by itself where nothing is kept. */
export const comparesFiles = (command: SimpleCommand): boolean => {
  const [name, rest = []] = partsOf(command) ?? []
  if (name !== "diff") return false
  return has(rest, /^--no-i/) || command.paths.length > 1
}
