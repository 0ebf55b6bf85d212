/**
 * `find … | xargs wc -l`: a command that only looks, given what find found (SECURITY P4, P10). Owns: when that reaches no
 * further than a look at each of these files. Looks, changes nothing. Invariant: a name that xargs would take apart, a link
 * that leads outside, or more than can be looked through asks as every other wrapper does.
 */
import type { Pipeline } from "unbash"
import type { SimpleCommand } from "../domain/Approval.ts"
import { isPlain } from "../domain/Looks.ts"
import type { Paths } from "./commandPaths.ts"
import { globNames } from "./commandGlob.ts"
import { entriesOf } from "./fileNames.ts"

const LOOKS: ReadonlySet<string> = new Set(
  "wc cat head tail grep egrep fgrep ls stat file du md5sum sha1sum sha256sum sha512sum cksum basename dirname".split(
    " "
  )
)
const OPTION = /^-(?:r|0|t|[nP]\d*|0r|r0)$/
/** The word behind these. */
const NUMBER = /^-[nP]$/
const MAX_ENTRIES = 10_000
/** xargs parts its input at these, unless it is told that names end with a zero. */
const PARTED = /[\s'"\\]/

/** It prints the names of what it finds, and nothing else. */
const printsNames = ({ argv, names, readOnly, ...find }: SimpleCommand, zero: boolean): boolean => {
  if (!names.includes("find") || !readOnly || !isPlain({ argv, names, readOnly, ...find })) return false
  if (argv.some((word) => /^-(?:printf|ls|fls|fprint|L|H|follow)/.test(word))) return false
  return argv.includes("-print0") === zero
}

/** Whether every name below may be handed on. */
const areHarmless = (roots: ReadonlyArray<string>, zero: boolean, { budget, place }: Paths): boolean => {
  const open = [...roots]
  let seen = 0
  for (const path of open) {
    const entries = entriesOf(path)
    budget.spend(1 + (entries.length >> 5))
    for (const { entry, name } of entries) {
      if ((seen += 1) > MAX_ENTRIES || (!zero && PARTED.test(name))) return false
      if (entry.isSymbolicLink() && !place(`${path}/${name}`).inside) return false
      if (entry.isDirectory()) open.push(`${path}/${name}`)
    }
  }
  return true
}

/** The names that its output begins with, patterns as what they match now; undefined: more than can be looked through. */
const beginnings = ({ argv, patterns = [] }: SimpleCommand, { budget, workspace }: Paths) => {
  const end = argv.findIndex((word, at) => at > 0 && /^(?:-[^HLPOD]|-D.|[(),!]$)/.test(word))
  const roots = argv.slice(0, end < 0 ? argv.length : end)
  const names = roots.map((word, at) => (patterns.includes(at) ? globNames(workspace, word, budget) : [word]))
  return names.includes(undefined) ? undefined : names.flatMap((one) => one ?? [])
}

/** Read from a file, they are nobody's to look at. */
const LISTED = /^-files0/

const arePlainRoots = (find: SimpleCommand, zero: boolean, paths: Paths): boolean =>
  !find.argv.some((word) => LISTED.test(word)) &&
  (zero || beginnings(find, paths)?.every((name) => !PARTED.test(name)) === true)

const isStarted = (why: string): boolean => why === "is started by xargs"

const areKnown = (options: ReadonlyArray<string>): boolean =>
  options.every((word, at) => OPTION.test(word) || (/^\d+$/.test(word) && NUMBER.test(options[at - 1] ?? "")))

/** Both as they count then; undefined: it is no such pipe. */
const foundWords = (
  find: SimpleCommand,
  xargs: SimpleCommand,
  inner: SimpleCommand,
  paths: Paths
): readonly [SimpleCommand, SimpleCommand] | undefined => {
  const options = xargs.argv.slice(1, xargs.argv.length - inner.argv.length)
  const zero = options.some((word) => /^-r?0/.test(word))
  if (xargs.argv[0] !== "xargs" || !areKnown(options) || !printsNames(find, zero)) return undefined
  if (!LOOKS.has(inner.argv[0] ?? "") || !inner.readOnly || inner.unsettled.length > 0) return undefined
  if (!inner.notPlain.every(isStarted) || !xargs.notPlain.every((why) => why === "xargs starts another program"))
    return undefined
  const roots = find.paths.length === 0 ? [paths.workspace] : find.paths
  try {
    if (!arePlainRoots(find, zero, paths) || !areHarmless(roots, zero, paths)) return undefined
  } catch {
    return undefined
  }
  const { exactOnly: _only, ...rest } = xargs
  return [
    { ...rest, notPlain: [], unsettled: [], prefix: [], readOnly: true, filter: true },
    { ...inner, notPlain: [] }
  ]
}

/** Nothing but what it prints goes into the pipe: complaints would be words, too. */
const isPlainPipe = ({ commands, operators }: Pipeline, at: number): boolean =>
  operators[at - 1] === "|" &&
  commands.slice(at - 1, at + 1).every((stage) => stage.type === "Command" && stage.redirects.length === 0)

/** `find … | xargs wc`: judged by what was found. `starts`: of the two stages, the second of which is `at`. */
export const handOn = (
  commands: Array<SimpleCommand>,
  [before, from]: readonly [number, number],
  [pipe, at]: readonly [Pipeline, number],
  paths: Paths
): void => {
  if (!isPlainPipe(pipe, at) || from - before !== 1) return
  const [xargs, inner, ...more] = commands.slice(from)
  if (xargs === undefined || inner === undefined || more.length > 0) return
  const found = foundWords(commands[before]!, xargs, inner, paths)
  if (found !== undefined) commands.splice(from, 2, ...found)
}
