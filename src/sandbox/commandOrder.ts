/**
 * What an earlier command of a line does to a later one (SECURITY P3, P10, P12): all of them are judged before the first
 * runs. Owns: which commands may put other contents or other directories where a later one was judged. Pure.
 * Does not own: what runs the repository's own scripts; whoever may do that needs no detour.
 */
import type { SimpleCommand } from "../domain/Approval.ts"
import { skipOptions } from "./commandOptions.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))

/** They change what their words name, or what lies below it. */
const NAMED = set("mv cp ln install tee dd rm touch mkdir truncate")
/** They may change anything. */
const PROGRAMS = set("split csplit patch rename sponge sed tar unzip cpio rsync")
/** Of these, the commands that write into the working tree or the manifest. */
const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set(`checkout switch pull merge rebase reset restore stash apply am cherry-pick revert mv rm clean submodule
    read-tree checkout-index clone bisect`),
  npm: set("pkg version init set-script"),
  pnpm: set("pkg version init set-script"),
  yarn: set("version init set")
}
const VALUED = set("-C -c --git-dir --work-tree --namespace --prefix")

/** A new branch at where the work tree stands, or a look. */
const leavesFiles = (name: string, [command = "", ...rest]: ReadonlyArray<string>): boolean => {
  if (name !== "git") return false
  const plain = rest.filter((word) => !word.startsWith("-"))
  if (command === "stash") return plain[0] === "list" || plain[0] === "show"
  const creates = command === "checkout" ? "-b" : command === "switch" ? "-c" : undefined
  return creates !== undefined && rest.length === 2 && rest[0] === creates && plain.length === 1
}

/** What it may put something else into the place of; `nothing`, the paths that it names, or `anything`. */
const changes = ({ argv, names, notPlain, paths }: SimpleCommand): ReadonlyArray<string> | "anything" => {
  const args = argv.slice(1)
  const anything = names.some((name) => {
    if (PROGRAMS.has(name)) return true
    const commands = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    const rest = args.slice(skipOptions(args, 0, VALUED))
    return commands?.has(rest[0] ?? "") === true && !leavesFiles(name, rest)
  })
  if (anything) return "anything"
  if (!names.some((name) => NAMED.has(name))) return []
  // A word that is not literal may name another file than the one that was looked at.
  return notPlain.length === 0 ? paths : "anything"
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

/** Files that are compared with what was changed before, for a whole line. */
const MAX_LOOKS = 200_000

interface Before {
  /** Who may have changed anything. */
  anything: string | undefined
  /** What was named, and by whom. */
  readonly named: Map<string, string>
  /** What was moved or copied, and by what: other directories may lie there. */
  readonly roots: Map<string, string>
  looks: number
}

const changerOf = (files: ReadonlyArray<string>, before: Before): string | undefined => {
  if (before.anything !== undefined || before.named.size === 0) return before.anything
  before.looks += files.length
  if (before.looks > MAX_LOOKS) return before.named.values().next().value
  return files.map((file) => before.named.get(file) ?? rootOf(file, before.named)).find((name) => name !== undefined)
}

const whyOf = ({ content, paths, runs = [] }: SimpleCommand, before: Before): string | undefined => {
  const changer = content === undefined ? undefined : changerOf(runs, before)
  if (changer !== undefined) return `what it runs may be changed by ${changer} before it`
  if (before.roots.size === 0) return undefined
  const mover = paths.map((path) => rootOf(path, before.roots)).find((name) => name !== undefined)
  return mover === undefined ? undefined : `where it leads may be changed by ${mover} before it`
}

const remember = (command: SimpleCommand, before: Before, workspace: string): void => {
  const name = command.names[0] ?? command.argv[0] ?? ""
  const changed = changes(command)
  if (changed === "anything") before.anything ??= name
  else for (const path of changed) before.named.set(path.replace(/\/+$/, ""), name)
  if (!command.names.some((one) => MOVES.has(one))) return
  for (const path of command.paths) if (path !== workspace) before.roots.set(path.replace(/\/+$/, ""), name)
}

/** The same commands; those that an earlier one may have changed ask every time. Linear in their paths. */
export const inOrder = (commands: ReadonlyArray<SimpleCommand>, workspace: string): ReadonlyArray<SimpleCommand> => {
  const before: Before = { anything: undefined, named: new Map(), roots: new Map(), looks: 0 }
  return commands.map((command) => {
    const why = whyOf(command, before)
    remember(command, before, workspace)
    return why === undefined ? command : { ...command, unsettled: [...command.unsettled, why] }
  })
}
