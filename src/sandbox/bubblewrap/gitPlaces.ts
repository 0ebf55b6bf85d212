/**
 * Where a repository's settings lead inside the workspace (SECURITY P11, T5): files that are included, the directory of
 * hooks, programs that git is told to run. The person's own settings (`~/.gitconfig`) count as well.
 * Owns: reading that out of configurations. Conditions of `includeIf` are taken as met.
 */
import { dirname, join, resolve } from "node:path"
import { entries, type Entry } from "../gitConfigText.ts"
import { isWithin, kindOf, textOf } from "./look.ts"

export interface Led {
  /** Files that git reads as settings. */
  readonly includes: ReadonlyArray<string>
  /** Directories whose files git runs. */
  readonly hooks: ReadonlyArray<string>
  /** Files that git is told to run. */
  readonly programs: ReadonlyArray<string>
}

const DEEPEST = 10

const placed = (path: string, base: string, home: string | undefined): string => {
  if (/^~(?:\/|$)/.test(path)) return join(home ?? base, path.slice(1))
  return resolve(base, path)
}

const isInclude = ({ key, section }: Entry): boolean => /^include(?:if)?$/.test(section) && key === "path"
const isHooks = ({ key, section }: Entry): boolean => section === "core" && key === "hookspath"

/** A command line of some kind. */
const runs = ({ key, section, value }: Entry): boolean =>
  /program|command|editor|helper|cmd|driver|textconv|clean|smudge|process|fsmonitor|askpass|pager|external/.test(key) ||
  (section === "alias" && value.startsWith("!"))

const wordsOf = (value: string): ReadonlyArray<string> => value.split(/[\s"'\\!;&|()<>]+/).filter((word) => word !== "")

const textsOf = (files: ReadonlyArray<string>, home: string | undefined) => {
  const all: Array<{ readonly file: string; readonly found: ReadonlyArray<Entry>; readonly deep: number }> = []
  const left = files.map((file) => ({ file, deep: 0 }))
  const seen = new Set<string>()
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    const { deep, file } = one
    const text = textOf(file)
    if (text === undefined || seen.has(file) || deep > DEEPEST) continue
    seen.add(file)
    const found = entries(text).flatMap((entry) => (entry === undefined ? [] : [entry]))
    all.push({ file, found, deep })
    for (const { value } of found.filter(isInclude))
      left.push({ file: placed(value, dirname(file), home), deep: deep + 1 })
  }
  return all
}

/** The person's and the machine's own. */
const globals = (home: string | undefined): ReadonlyArray<string> =>
  home === undefined
    ? ["/etc/gitconfig"]
    : ["/etc/gitconfig", join(home, ".config/git/config"), join(home, ".gitconfig")]

/** `tree`: where git stands when it runs hooks and programs. Only what lies in `root`. */
export const ledTo = (git: string, tree: string, root: string, home: string | undefined): Led => {
  const all = textsOf([join(git, "config"), join(git, "config.worktree"), ...globals(home)], home)
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
    programs: inside(programs).filter((path) => kindOf(path) === "file")
  }
}
