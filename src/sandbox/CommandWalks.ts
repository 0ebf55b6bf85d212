/**
 * What a command that walks over a directory would reach (SECURITY P1, T2). Owns: which commands walk, and the look below.
 * Does not own: what may not be reached (the caller says). Invariants: links are not followed, as no walker here does of
 * itself; a look that had to end early says so.
 */
import { statSync } from "node:fs"
import { basename, join } from "node:path"
import type { CommandPlan, SimpleCommand } from "../domain/Approval.ts"
import { onlyLooks } from "../domain/Looks.ts"
import { keptByGit } from "./commandGitConfig.ts"
import { ignoredBy } from "./commandIgnored.ts"
import { comparesFiles, extentOf, namesMore, printsTree, showsObjects } from "./commandWholeTree.ts"
import { mayTakeTree, mountsHere, takesTree } from "./commandTakesTree.ts"
import { entriesOf, isMissing, onDisk } from "./fileNames.ts"

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Whatever their options; without a directory they take the working directory. */
const ALWAYS = names(
  "rg ag ack ugrep find fd fdfind tree du ncdu cloc tokei scc rsync tar bsdtar gtar star pax zip 7z 7za"
)
/** Whatever their options, where they name a directory: all of it goes along. */
const NAMED_ONLY = names("mv cd pushd ln")
const BY_OPTION: Readonly<Record<string, RegExp>> = {
  grep: /^(?:-[A-Za-z]*[rRd]|--(?:dereference-)?recursive|--directories)/,
  egrep: /^(?:-[A-Za-z]*[rRd]|--(?:dereference-)?recursive|--directories)/,
  fgrep: /^(?:-[A-Za-z]*[rRd]|--(?:dereference-)?recursive|--directories)/,
  zgrep: /^(?:-[A-Za-z]*[rRd]|--recursive)/,
  ls: /^(?:-[A-Za-z]*R|--recursive)/,
  cp: /^(?:-[A-Za-z]*[rRa]|--recursive|--archive)/,
  scp: /^-[A-Za-z]*r/,
  rm: /^(?:-[A-Za-z]*[rR]|--recursive)/,
  diff: /^(?:-[A-Za-z]*r|--recursive)/,
  chmod: /^(?:-[A-Za-z]*R|--recursive)/,
  chown: /^(?:-[A-Za-z]*R|--recursive)/,
  chgrp: /^(?:-[A-Za-z]*R|--recursive)/
}
/** Of these the working directory too, where none is named. */
const FROM_HERE = names("grep egrep fgrep ls diff")
const GIT_WALKS = names("grep add mv rm archive")

const walks = (name: string, args: ReadonlyArray<string>): boolean => {
  if (ALWAYS.has(name) || NAMED_ONLY.has(name)) return true
  if (name === "git") return args.some((word) => GIT_WALKS.has(word))
  const option = Object.hasOwn(BY_OPTION, name) ? BY_OPTION[name] : undefined
  // A long option may be cut short.
  return option !== undefined && args.some((word) => option.test(word) || /^--(?:rec|arch|deref|direct)/.test(word))
}

const isDirectory = (path: string): boolean => statSync(onDisk(path), { throwIfNoEntry: false })?.isDirectory() === true

/** `git mv a b`: it comes by nothing but these. */
const namesFiles = ({ argv, paths }: SimpleCommand): boolean =>
  /^(?:add|mv|rm)$/.test(argv[1] ?? "") &&
  argv.slice(2).some((word) => !word.startsWith("-")) &&
  paths.some((path) => statSync(onDisk(path), { throwIfNoEntry: false }) !== undefined)

/** Directories that this command walks over; absolute. */
export const walkedBy = (command: SimpleCommand, workspace: string): ReadonlyArray<string> => {
  const args = command.argv.slice(1)
  const name = [...command.names, basename(command.argv[0] ?? "")].find((one) => walks(one, args))
  const named = command.paths.filter(isDirectory)
  if (name === undefined) return comparesFiles(command) ? named : []
  if (name === "git" && namesMore(command)) return [workspace]
  if (name === "git" && namesFiles(command)) return named
  // From the workspace's root on every path is judged as it is written.
  if (name === "cd" || name === "pushd") return named.filter((path) => path !== workspace)
  if (named.length > 0) return named
  return ALWAYS.has(name) || FROM_HERE.has(name) || name === "git" ? [workspace] : []
}

/** Directories that it takes along or serves as they are; absolute. */
export const takenBy = (command: SimpleCommand, workspace: string): ReadonlyArray<string> => {
  if (mountsHere(command, workspace)) return [workspace]
  if (!takesTree(command, workspace)) return []
  const named = command.paths.filter(isDirectory)
  return named.length > 0 ? named : [workspace]
}

/** Directories that it names, and of which nobody knows whether it leaves alone what lies below; absolute. */
export const perhapsWalkedBy = (command: SimpleCommand, workspace: string): ReadonlyArray<string> =>
  mayTakeTree(command) && walkedBy(command, workspace).length + takenBy(command, workspace).length === 0
    ? command.paths.filter(isDirectory)
    : []

const isAdd = ({ argv }: SimpleCommand): boolean => argv[0] === "git" && argv[1] === "add"

/** Absolute paths that the walks of this line come by and leave alone: nothing but `git add` walks. */
export const leftOut = ({ commands, writes }: CommandPlan, workspace: string): ((path: string) => boolean) =>
  commands.every((command) => isAdd(command) || walkedBy(command, workspace).length === 0)
    ? ignoredBy(commands, writes, workspace)
    : () => false

const NAMES_ONLY = names("find tree du ls")

/** Nothing but the names of what lies there comes out of this line: its commands list them, or shorten such a list. */
export const listsNames = ({ commands, doubts, writes }: CommandPlan): boolean =>
  doubts.length === 0 &&
  writes.length === 0 &&
  commands.every(
    (command) =>
      onlyLooks(command) &&
      (NAMES_ONLY.has(command.argv[0] ?? "") || (command.filter === true && command.argv[0] !== "xargs"))
  ) &&
  !commands.some(({ argv }) => argv[0] === "xargs")

const within = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/**
 * Paths that git's commands come by without naming them, of those that are `wanted`; not more than a few. `hidden`: of
 * those that it would print, too.
 */
export const reachedByGit = (
  commands: ReadonlyArray<SimpleCommand>,
  workspace: string,
  ruled: (path: string) => boolean,
  hidden: (path: string) => boolean
): ReadonlyArray<string> => {
  const found = new Set<string>()
  let kept: ReadonlyArray<string> | undefined
  for (const command of commands) {
    const extent = extentOf(command)
    if (extent === undefined) continue
    const named = command.paths.filter((path) => statSync(onDisk(path), { throwIfNoEntry: false }) !== undefined)
    const roots = named.length === 0 || namesMore(command) || showsObjects(command) ? [workspace] : named
    const prints = printsTree(command)
    const wanted = (path: string) => ruled(path) || (prints && hidden(path))
    kept ??= keptByGit(workspace)
    const tracked = (kept ?? []).filter((path) => wanted(path) && roots.some((root) => within(root, path)))
    const walked = extent === "all" || kept === undefined ? entriesBelow(roots, wanted).found : []
    for (const path of [...tracked.slice(0, MAX_FOUND), ...walked]) found.add(path)
  }
  return [...found]
}

/** Entries looked at for one line. */
const MAX_ENTRIES = 30_000
const MAX_FOUND = 32
/** What others brought along and nobody's secret: by far most of what lies in a workspace. Named, they count. */
const SKIPPED = names(".git node_modules")

export interface Below {
  readonly found: ReadonlyArray<string>
  /** False: there was more than could be looked at, or a directory that nobody may read. */
  readonly complete: boolean
}

/** Entries below these directories that are `wanted`, without what is below such an entry. */
export const entriesBelow = (directories: ReadonlyArray<string>, wanted: (path: string) => boolean): Below => {
  const found: Array<string> = []
  const queue = [...new Set(directories)]
  let looked = 0
  for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
    const entries = listed(directory)
    if (entries === undefined) return { found, complete: false }
    for (const { name, folder } of entries) {
      looked += 1
      const path = join(directory, name)
      if (wanted(path)) found.push(path)
      else if (folder && !SKIPPED.has(name)) queue.push(path)
      if (found.length >= MAX_FOUND || looked > MAX_ENTRIES) return { found, complete: looked <= MAX_ENTRIES }
    }
  }
  return { found, complete: true }
}

const listed = (directory: string) => {
  try {
    return entriesOf(directory).map(({ entry, name }) => ({ name, folder: entry.isDirectory() }))
  } catch (error) {
    return isMissing(error) ? [] : undefined
  }
}
