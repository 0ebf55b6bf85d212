/**
 * The commands of git after which something is gone that nothing has kept. Owns: the table, by git's own reading of
 * options: abbreviated, several letters in one word, anywhere before `--`. Does not own: other programs (commandDestroys).
 * Invariant: a word that could be such an option, or a pathspec where paths are overwritten, counts as one.
 */
import { lstatSync } from "node:fs"
import { skipOptions } from "./commandOptions.ts"
import type { Paths } from "./commandPaths.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

interface Row {
  /** Long options; whatever they begin with is one of them. */
  readonly long?: string
  /** Long options that only begin as one of those does. */
  readonly not?: string
  readonly letters?: RegExp
  /** Its own commands. */
  readonly words?: RegExp
}

const FORCES: Row = { long: "force", letters: /f/ }
const STOPS: Row = { long: "abort skip" }

/** git's command → the words that make it lose work; `true`: it always does. */
const ROWS: Readonly<Record<string, Row | true>> = {
  reset: { long: "hard merge keep" },
  checkout: {
    long: "force ours theirs merge conflict patch pathspec-from-file pathspec-file-nul",
    letters: /[fB23mp]/
  },
  switch: { long: "force force-create discard-changes merge conflict", letters: /[fCm]/ },
  branch: { long: "force", letters: /[DMCf]/ },
  tag: { long: "force delete", letters: /[df]/ },
  stash: { words: /^(?:drop|clear)$/ },
  reflog: { words: /^(?:expire|delete|drop)$/ },
  worktree: { ...FORCES, letters: /[fB]/, words: /^(?:remove|prune)$/ },
  gc: { long: "prune expire-to cruft-expiration" },
  // `+main` and `:main` force and delete as the options do.
  push: {
    long: "force force-with-lease force-if-includes delete mirror prune",
    letters: /[fd]/,
    words: /^(?:\+.|:.)/
  },
  rm: FORCES,
  mv: FORCES,
  fetch: { long: "force prune-tags", not: "prune", letters: /[fP]/, words: /^\+./ },
  pull: { ...FORCES, words: /^\+./ },
  notes: { ...FORCES, words: /^(?:remove|prune)$/ },
  merge: { long: "abort" },
  rebase: STOPS,
  "cherry-pick": STOPS,
  revert: STOPS,
  am: STOPS,
  remote: { words: /^(?:remove|rm|prune)$/ },
  submodule: { ...FORCES, words: /^deinit$/ },
  replace: { long: "delete force", letters: /[df]/ },
  "update-ref": { long: "delete stdin", letters: /d/ },
  "symbolic-ref": { long: "delete", letters: /d/ },
  "read-tree": { long: "reset", letters: /u/ },
  "checkout-index": { ...FORCES },
  rerere: { words: /^(?:clear|forget)$/ },
  lfs: { words: /^prune$/ },
  prune: true,
  "filter-branch": true,
  "filter-repo": true
}

interface Words {
  readonly options: ReadonlyArray<string>
  readonly plain: ReadonlyArray<string>
}

const partedWords = (words: ReadonlyArray<string>): Words => {
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const isOption = (word: string) => /^-./.test(word)
  const behind = end < 0 ? [] : words.slice(end + 1)
  return { options: before.filter(isOption), plain: [...before.filter((word) => !isOption(word)), ...behind] }
}

const meets = ({ long = "", not = "", letters, words }: Row, { options, plain }: Words): boolean => {
  const isLong = (name: string) => !not.split(" ").includes(name) && long.split(" ").some((one) => one.startsWith(name))
  return (
    plain.some((word) => words?.test(word) === true) ||
    options.some((word) =>
      word.startsWith("--") ? isLong(word.slice(2).split("=")[0]!) : letters?.test(word.slice(1)) === true
    )
  )
}

/** A name as branches and commits have them: no pattern, no magic word of a pathspec. */
const REVISION = /^[\w@./][\w@./{}~^+#-]*$/
const MAKES_BRANCH = /^-[A-Za-z]*[bt]|^--(?:orphan|track)(?:=|$)/

/** `git checkout evil src`, or a name that is a file, or no name: the files as they are here are gone. */
const checksOutPaths = (
  words: ReadonlyArray<string>,
  { options, plain }: Words,
  elsewhere: boolean,
  { place, budget }: Paths
): boolean => {
  if (words.includes("--")) return true
  if (options.some((word) => MAKES_BRANCH.test(word))) return false
  const [first, ...more] = plain.filter((word) => word !== "-")
  if (first === undefined) return false
  budget.spend()
  const isThere = () => lstatSync(place(first).path, { throwIfNoEntry: false }) !== undefined
  return more.length > 0 || elsewhere || !REVISION.test(first) || isThere()
}

/** `git restore --staged`: the index alone, with no option that is not known. */
const STAGED = /^(?:--staged|-q*S[Sq]*)$/
const OF_STAGED = /^(?:--staged|--quiet|--(?:no-)?progress|--source=.*|--source|-[Sq]+|-s.*)$/
const onlyStaged = (words: ReadonlyArray<string>, { options }: Words): boolean => {
  const staged = words.findIndex((word) => STAGED.test(word))
  if (staged < 0 || words.slice(0, staged).includes("--") || /^(?:-s|--source)$/.test(words[staged - 1] ?? ""))
    return false
  return options.every((word) => OF_STAGED.test(word))
}

/** `git clean -n`: with no option that is not known, since some take the next word. */
const onlyTells = ({ options }: Words): boolean =>
  options.some((word) => /^(?:-[dfqxX]*n|--dry-run$)/.test(word)) &&
  options.every((word) => /^(?:-[dfnqxX]+|--dry-run|--force|--quiet)$/.test(word))

const BEFORE = set("-C -c --git-dir --work-tree --namespace --super-prefix --config-env")
/** Options before the command that change which files its words mean. */
const MOVES = /^(?:-C|--(?:work-tree|git-dir|bare|glob|icase|noglob|literal))/

/** git's command, where it loses work with these words; undefined: it does not. */
export const losesWork = (args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const from = skipOptions(args, 0, BEFORE)
  const [command = "", ...rest] = args.slice(from)
  const words = partedWords(rest)
  const row = Object.hasOwn(ROWS, command) ? ROWS[command] : undefined
  const lost =
    (command === "restore" && !onlyStaged(rest, words)) ||
    (command === "clean" && !onlyTells(words)) ||
    (command === "checkout" &&
      checksOutPaths(
        rest,
        words,
        args.slice(0, from).some((word) => MOVES.test(word)),
        paths
      )) ||
    row === true ||
    (row !== undefined && meets(row, words))
  return lost ? command : undefined
}
