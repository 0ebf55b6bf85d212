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
/** They may change what any file holds. */
const PROGRAMS = set("split csplit patch rename sponge sed tar bsdtar unzip cpio rsync 7z ar")
/** Of these, the ones that may also put links or directories anywhere. */
const PLACERS = set("patch rename tar bsdtar unzip cpio rsync 7z git mv cp ln install")
/** Of these, the commands that write into the working tree or the manifest. */
const COMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set(`checkout switch pull merge rebase reset restore stash apply am cherry-pick revert mv rm clean submodule
    read-tree checkout-index clone bisect worktree sparse-checkout`),
  npm: set("pkg version init set-script"),
  pnpm: set("pkg version init set-script"),
  yarn: set("version init set")
}
/** Of git's commands, those that leave its index and work tree alone. */
const LEAVES_INDEX =
  set(`status log diff show rev-parse blame annotate ls-files ls-tree cat-file describe shortlog rev-list
  name-rev merge-base grep count-objects show-ref for-each-ref whatchanged diff-tree diff-index diff-files cherry
  range-diff check-ignore check-attr var version reflog push fetch tag branch remote`)
const VALUED = set("-C -c --git-dir --work-tree --namespace --prefix")

/** A new branch at where the work tree stands, or a look. */
const leavesFiles = (name: string, [command = "", ...rest]: ReadonlyArray<string>): boolean => {
  if (name !== "git") return false
  const plain = rest.filter((word) => !word.startsWith("-"))
  if (command === "stash" || command === "worktree" || command === "sparse-checkout")
    return plain[0] === "list" || plain[0] === "show"
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
  /** Who may have put links or directories anywhere. */
  placed: string | undefined
  /** Who may have put a repository below into git's index, or into the place of one. */
  indexed: string | undefined
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

/** git itself goes through no link of the work tree, but for files that its options name. */
const OPENS = /^(?:--no-index|--fi|--contents|--pathspec-from|-[A-Za-z]*[Ft])/

/** Paths that lead where the line's own links and directories say. */
const ledBy = ({ argv, names, paths }: SimpleCommand, workspace: string): boolean =>
  paths.some((path) => path !== workspace) && (!names.includes("git") || argv.some((word) => OPENS.test(word)))

interface Place {
  readonly workspace: string
  /** Whether a repository lies below that was not looked at. */
  readonly open: () => boolean
}

const whyOf = (command: SimpleCommand, before: Before, { open, workspace }: Place): string | undefined => {
  const { content, paths, runs = [] } = command
  const changer = content === undefined ? undefined : changerOf(runs, before)
  if (changer !== undefined) return `what it runs may be changed by ${changer} before it`
  if (before.placed !== undefined && ledBy(command, workspace))
    return `where it leads may be changed by ${before.placed} before it`
  if (before.indexed !== undefined && command.names.includes("git") && open())
    return `${before.indexed} before it may make git look into a repository that nobody has looked at`
  if (before.roots.size === 0) return undefined
  const mover = paths.map((path) => rootOf(path, before.roots)).find((name) => name !== undefined)
  return mover === undefined ? undefined : `where it leads may be changed by ${mover} before it`
}

const touchesIndex = ({ argv, names }: SimpleCommand): boolean => {
  if (!names.includes("git")) return false
  const rest = argv.slice(1 + skipOptions(argv.slice(1), 0, VALUED))
  return !LEAVES_INDEX.has(rest[0] ?? "") && !leavesFiles("git", rest)
}

const remember = (command: SimpleCommand, before: Before, workspace: string): void => {
  const name = command.names[0] ?? command.argv[0] ?? ""
  const changed = changes(command)
  const places = command.names.some((one) => PLACERS.has(one))
  if (touchesIndex(command) || (places && changed.length > 0)) before.indexed ??= name
  if (changed === "anything") {
    before.anything ??= name
    if (places) before.placed ??= name
  }
  if (changed !== "anything") for (const path of changed) before.named.set(path.replace(/(?<!\/)\/+$/, ""), name)
  if (!command.names.some((one) => MOVES.has(one))) return
  for (const path of command.paths) if (path !== workspace) before.roots.set(path.replace(/(?<!\/)\/+$/, ""), name)
}

/** The same commands; those that an earlier one may have changed ask every time. Linear in their paths. */
export const inOrder = (commands: ReadonlyArray<SimpleCommand>, place: Place): ReadonlyArray<SimpleCommand> => {
  const before: Before = {
    anything: undefined,
    placed: undefined,
    indexed: undefined,
    named: new Map(),
    roots: new Map(),
    looks: 0
  }
  return commands.map((command) => {
    const why = whyOf(command, before, place)
    remember(command, before, place.workspace)
    return why === undefined ? command : { ...command, unsettled: [...command.unsettled, why] }
  })
}
