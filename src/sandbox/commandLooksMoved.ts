/**
 * `cd src && ls`: a line that goes to one directory of the workspace and only looks from there (SECURITY P8, P9). Owns: which
 * lines those are. Looks, changes nothing. Invariant: each word is judged from the root and from that directory, since the
 * shell may not get there; whatever reads settings of its own, or could mean other names there, asks as ever.
 */
import { statSync } from "node:fs"
import type { SimpleCommand } from "../domain/Approval.ts"
import { onlyLooks } from "../domain/Looks.ts"
import { judgedFrom } from "./commandMovedPaths.ts"
import type { Paths } from "./commandPaths.ts"
import { onDisk } from "./fileNames.ts"

/** They read what their words name, and nothing that lies where they run. */
const LOOKS: ReadonlySet<string> = new Set(
  "ls cat head tail wc pwd stat file du grep egrep fgrep sort uniq cut tr nl tac basename dirname find true".split(" ")
)
const DIRECTORY = /^(?:\.\/)?[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*\/?$/
const WILD = /[*?[]/

/** The real directory that it names by its own name; undefined: it is none, or a link leads there. */
const goneTo = ({ argv, notPlain, unsettled }: SimpleCommand, paths: Paths): string | undefined => {
  const [program, target = "", ...more] = argv
  if (program !== "cd" || more.length > 0 || !DIRECTORY.test(target)) return undefined
  if (notPlain.length !== 1 || !notPlain[0]!.startsWith("cd moves") || unsettled.length > 0) return undefined
  const { inside, path } = paths.place(target)
  if (!inside || path !== `${paths.workspace}/${target.replace(/^\.\/|\/$/g, "")}`) return undefined
  return statSync(onDisk(path), { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined
}

const looksFrom = (directory: string, command: SimpleCommand, paths: Paths): boolean => {
  const { argv, names } = command
  if (!onlyLooks(command) || !LOOKS.has(argv[0] ?? "") || names.some((name) => !LOOKS.has(name))) return false
  return !argv.some((word) => WILD.test(word)) && judgedFrom(directory, command, paths).notPlain.length === 0
}

/** The same commands, with the `cd` in front as plain as the others where they are. */
export const withLooksFrom = (
  commands: ReadonlyArray<SimpleCommand>,
  quiet: boolean,
  paths: Paths
): ReadonlyArray<SimpleCommand> => {
  const [first, ...rest] = commands
  const directory = quiet && first !== undefined && rest.length > 0 ? goneTo(first, paths) : undefined
  if (first === undefined || directory === undefined) return commands
  if (!rest.every((command) => looksFrom(directory, command, paths))) return commands
  return [{ ...first, notPlain: [], readOnly: true, filter: true }, ...rest]
}
