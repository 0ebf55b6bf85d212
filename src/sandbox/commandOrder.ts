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
const rewrites = ({ argv, names }: SimpleCommand): boolean => {
  const args = argv.slice(1)
  return names.some((name) => {
    if (PROGRAMS.has(name)) return true
    const commands = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    return commands?.has(args[skipOptions(args, 0, VALUED)] ?? "") === true
  })
}

const MOVES = set("mv cp ln")

/** A root that this path lies below; undefined: none. */
const rootOf = (path: string, roots: ReadonlyMap<string, string>): string | undefined => {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const name = roots.get(path.slice(0, at))
    if (name !== undefined) return name
  }
  return undefined
}

/** The same commands; those that an earlier one may have changed ask every time. Linear in their paths. */
export const inOrder = (commands: ReadonlyArray<SimpleCommand>, workspace: string): ReadonlyArray<SimpleCommand> => {
  let first: string | undefined
  /** What was moved or copied, and by what. */
  const roots = new Map<string, string>()
  const whyOf = ({ content, paths }: SimpleCommand): string | undefined => {
    if (content !== undefined && first !== undefined) return `what it runs may be changed by ${first} before it`
    if (roots.size === 0) return undefined
    const mover = paths.map((path) => rootOf(path, roots)).find((name) => name !== undefined)
    return mover === undefined ? undefined : `where it leads may be changed by ${mover} before it`
  }
  return commands.map((command) => {
    const why = whyOf(command)
    if (rewrites(command)) {
      const name = command.names[0] ?? command.argv[0] ?? ""
      first ??= name
      const moves = command.names.some((one) => MOVES.has(one))
      if (moves) for (const path of command.paths) if (path !== workspace) roots.set(path.replace(/\/+$/, ""), name)
    }
    return why === undefined ? command : { ...command, unsettled: [...command.unsettled, why] }
  })
}
