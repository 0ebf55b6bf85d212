/**
 * What an earlier command of a line does to a later one (SECURITY P3, P10, P12): all of them are judged before the first
 * runs. Owns: which commands may put other contents or other directories where a later one was judged. Pure.
 * Does not own: what runs the repository's own scripts; whoever may do that needs no detour.
 */
import type { SimpleCommand } from "../domain/Approval.ts"
import { skipOptions } from "./commandOptions.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))

const PROGRAMS = set("mv cp ln install tee dd split csplit patch rename sponge sed tar unzip cpio rsync rm")
/** Of these, the commands that write into the working tree or the manifest. */
const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set(`checkout switch pull merge rebase reset restore stash apply am cherry-pick revert mv rm clean submodule
    read-tree checkout-index clone bisect`),
  npm: set("pkg version init set-script"),
  pnpm: set("pkg version init set-script"),
  yarn: set("version init set")
}
const VALUED = set("-C -c --git-dir --work-tree --namespace --prefix")

/** It may put something else where a later word of the line leads. */
const rewrites = ({ argv, content, names }: SimpleCommand): boolean => {
  if (content !== undefined) return false
  const args = argv.slice(1)
  return names.some((name) => {
    if (PROGRAMS.has(name)) return true
    const commands = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    return commands?.has(args[skipOptions(args, 0, VALUED)] ?? "") === true
  })
}

const MOVES = set("mv cp ln")

const isBelow = (path: string, root: string): boolean => path.startsWith(`${root.replace(/\/+$/, "")}/`)

const whyOf = (earlier: SimpleCommand, later: SimpleCommand, workspace: string): string | undefined => {
  const name = earlier.names[0] ?? earlier.argv[0] ?? ""
  if (later.content !== undefined) return `what it runs may be changed by ${name} before it`
  if (!earlier.names.some((one) => MOVES.has(one))) return undefined
  const roots = earlier.paths.filter((path) => path !== workspace)
  return later.paths.some((path) => roots.some((root) => isBelow(path, root)))
    ? `where it leads may be changed by ${name} before it`
    : undefined
}

/** The same commands; those that an earlier one may have changed ask every time. */
export const inOrder = (commands: ReadonlyArray<SimpleCommand>, workspace: string): ReadonlyArray<SimpleCommand> => {
  const earlier: Array<SimpleCommand> = []
  return commands.map((command) => {
    const why = earlier.map((one) => whyOf(one, command, workspace)).find((found) => found !== undefined)
    if (rewrites(command) && earlier.length < 64) earlier.push(command)
    return why === undefined ? command : { ...command, unsettled: [...command.unsettled, why] }
  })
}
