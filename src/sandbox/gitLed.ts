/**
 * Where a repository's settings lead inside the workspace (SECURITY P11, T5): files that are included, the directory of
 * hooks, programs that git is told to run. The person's own settings (`~/.gitconfig`) count as well.
 * Owns: reading that out of configurations, and what a path of the workspace is to them. Conditions of `includeIf` are taken
 * as met. Invariant: what was read counts no longer than it stands so on disk.
 */
import { statSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { gitDirectories } from "./commandGitConfig.ts"
import { onDisk } from "./fileNames.ts"
import { entries, type Entry } from "./gitConfigText.ts"
import { attempt, isWithin, kindOf, realOf, textOf } from "./look.ts"

export interface Led {
  /** Files that git reads as settings. */
  readonly includes: ReadonlyArray<string>
  /** Directories whose files git runs. */
  readonly hooks: ReadonlyArray<string>
  /** Files that git is told to run. */
  readonly programs: ReadonlyArray<string>
  /** The same words as names of files that are not there yet. */
  readonly named: ReadonlyArray<string>
  /** Files that say which of the programs a file is given to. */
  readonly attributes: ReadonlyArray<string>
  /** What was read, or would be if it were there. */
  readonly read: ReadonlyArray<string>
}

const DEEPEST = 10

const placed = (path: string, base: string, home: string | undefined): string => {
  if (/^~(?:\/|$)/.test(path)) return join(home ?? base, path.slice(1))
  return resolve(base, path)
}

const isInclude = ({ key, section }: Entry): boolean => /^include(?:if)?$/.test(section) && key === "path"
const isHooks = ({ key, section }: Entry): boolean => section === "core" && key === "hookspath"

const isAttributes = ({ key, section }: Entry): boolean => section === "core" && key === "attributesfile"

/** A command line of some kind. */
const runs = ({ key, section, value }: Entry): boolean =>
  /program|command|editor|helper|cmd|driver|textconv|clean|smudge|process|fsmonitor|askpass|pager|external/.test(key) ||
  (section === "alias" && value.startsWith("!"))

const wordsOf = (value: string): ReadonlyArray<string> => value.split(/[\s"'\\!;&|()<>]+/).filter((word) => word !== "")

const textsOf = (files: ReadonlyArray<string>, home: string | undefined) => {
  const all: Array<{ readonly file: string; readonly found: ReadonlyArray<Entry> }> = []
  const left = files.map((file) => ({ file, deep: 0 }))
  const seen = new Set<string>()
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const { deep, file } = one
    const text = textOf(file)
    if (seen.has(file) || deep > DEEPEST) continue
    seen.add(file)
    if (text === undefined) continue
    const found = entries(text).flatMap((entry) => (entry === undefined ? [] : [entry]))
    all.push({ file, found })
    for (const { value } of found.filter(isInclude))
      left.push({ file: placed(value, dirname(file), home), deep: deep + 1 })
  }
  return { all, read: [...seen] }
}

/** The person's and the machine's own. */
const globals = (home: string | undefined): ReadonlyArray<string> =>
  home === undefined
    ? ["/etc/gitconfig"]
    : ["/etc/gitconfig", join(home, ".config/git/config"), join(home, ".gitconfig")]

/** `tree`: where git stands when it runs hooks and programs. Only what lies in `root`. */
export const ledTo = (git: string, tree: string, root: string, home: string | undefined): Led => {
  const { all, read } = textsOf([join(git, "config"), join(git, "config.worktree"), ...globals(home)], home)
  const inside = (paths: ReadonlyArray<string>) => paths.filter((path) => isWithin(root, path) && path !== root)
  const entriesOf = (is: (entry: Entry) => boolean) => all.flatMap(({ found }) => found.filter(is))
  const includes = all.flatMap(({ file, found }) =>
    found.filter(isInclude).map(({ value }) => placed(value, dirname(file), home))
  )
  const hooks = entriesOf(isHooks).map(({ value }) => placed(value, tree, home))
  const programs = entriesOf(runs)
    .flatMap(({ value }) => wordsOf(value))
    .map((word) => placed(word, tree, home))
  return {
    includes: inside(includes),
    // What husky puts into `_` runs the files beside it.
    hooks: inside(hooks.flatMap((path) => (path.endsWith("/_") ? [path, dirname(path)] : [path]))),
    programs: inside(programs).filter((path) => kindOf(path) === "file"),
    named: inside(programs),
    attributes: inside(entriesOf(isAttributes).map(({ value }) => placed(value, tree, home))),
    read
  }
}

interface Known {
  readonly mark: string
  readonly read: ReadonlyArray<string>
  /** In small letters. */
  readonly settings: ReadonlySet<string>
  readonly runs: ReadonlySet<string>
  readonly hooks: ReadonlyArray<string>
}

const MAX_KNOWN = 64
const known = new Map<string, Known>()

const markOf = (files: ReadonlyArray<string>): string =>
  files
    .map((file) => attempt(() => statSync(onDisk(file), { throwIfNoEntry: false })))
    .map((stats) => (stats === undefined ? "-" : `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`))
    .join(" ")

/** As it is spelled and where it leads, whatever the letters. */
const folded = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [path, realOf(path) ?? path]).map((path) => path.toLowerCase())

const look = (git: string, tree: string, root: string): Known => {
  const { attributes, hooks, includes, named, read } = ledTo(git, tree, root, userInfo().homedir)
  const settings = new Set(folded(includes))
  return { mark: markOf(read), read, settings, runs: new Set(folded([...named, ...attributes])), hooks: folded(hooks) }
}

const knownOf = (git: string, tree: string, root: string): Known => {
  const key = [git, tree, root].join("\0")
  const before = known.get(key)
  if (before !== undefined && before.mark === markOf(before.read)) return before
  const now = look(git, tree, root)
  if (known.size > MAX_KNOWN) known.clear()
  known.set(key, now)
  return now
}

/** What a path is to the repositories around it: settings of theirs, or something that they run or go by. */
export const ledRole = (root: string, relative: string): "settings" | "runs" | undefined => {
  const path = `${root}/${relative}`.toLowerCase()
  const all = gitDirectories(root, relative).map(({ git, tree }) => knownOf(git, tree, root))
  if (all.some(({ settings }) => settings.has(path))) return "settings"
  return all.some(({ hooks, runs }) => runs.has(path) || hooks.some((one) => isWithin(one, path))) ? "runs" : undefined
}
