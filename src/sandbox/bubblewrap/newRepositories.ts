/**
 * What a call made of repositories (SECURITY T5): settings that would let git run a program are put aside before the
 * call is over, and it is said. A repository as `git init` or `git clone` makes it stays as it is.
 * Owns: the judgement and the putting aside: nothing is deleted, `<name>.claw-held` is its own content.
 * Invariant: whatever cannot be understood counts as such a setting.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isSafe } from "../commandGitConfig.ts"
import { namesOf, onDisk } from "../fileNames.ts"
import { entries, type Entry } from "../gitConfigText.ts"
import { isHeld } from "./heldFiles.ts"
import { attempt, isWithin, kindOf, realOf, textOf } from "../look.ts"
import type { Repository } from "./repositories.ts"

const asideOf = (path: string): string => {
  for (let count = 0; ; count += 1) {
    const to = `${path}.claw-held${count === 0 ? "" : count}`
    if (!existsSync(onDisk(to))) return to
  }
}

/** The name that it has now; undefined: it could not be done. */
const putAside = (path: string): string | undefined =>
  attempt(() => {
    const to = asideOf(path)
    renameSync(onDisk(path), onDisk(to))
    return to
  })

const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&")
const quoted = (value: string): string => `"${escaped(value).replaceAll("\n", "\\n")}"`
const lineOf = ({ alone, key, section, sub, value }: Entry): string =>
  `[${section}${sub === undefined ? "" : ` "${escaped(sub)}"`}]\n\t${key}${alone === true ? "" : ` = ${quoted(value)}`}\n`

interface Around {
  readonly root: string
  /** Directories of repositories that are looked at, or were there before. */
  readonly known: ReadonlySet<string>
  /** The name that it has then; undefined: it stays. */
  readonly putAside: (path: string) => string | undefined
}

/** A submodule's says where its files are. */
const isHarmless = (entry: Entry, git: string, root: string): boolean =>
  isSafe(entry) || (entry.section === "core" && entry.key === "worktree" && isWithin(root, resolve(git, entry.value)))

const ofSettings = (git: string, name: string, { putAside, root }: Around): ReadonlyArray<string> => {
  const path = join(git, name)
  if (kindOf(path) === "missing" || isHeld(git, path)) return []
  const all = entries(textOf(path) ?? "[unreadable")
  const kept = all.filter((entry) => entry !== undefined && isHarmless(entry, git, root))
  if (kept.length === all.length) return []
  const to = putAside(path)
  if (to !== undefined)
    attempt(() => writeFileSync(onDisk(path), onDisk(kept.map((entry) => lineOf(entry!)).join("")), { flag: "wx" }))
  return [path]
}

const ofHooks = (git: string, { putAside }: Around): ReadonlyArray<string> => {
  const path = join(git, "hooks")
  const kind = kindOf(path)
  if (kind === "missing") return []
  if (kind === "directory" && attempt(() => namesOf(path))?.every((name) => name.endsWith(".sample")) === true)
    return []
  putAside(path)
  return [path]
}

const ofCommon = (git: string, { known, putAside }: Around): ReadonlyArray<string> => {
  const path = join(git, "commondir")
  if (kindOf(path) === "missing" || isHeld(git, path)) return []
  const shared = realOf(resolve(git, textOf(path)?.trim() ?? "."))
  if (shared !== undefined && known.has(shared) && git.startsWith(`${shared}/worktrees/`)) return []
  putAside(path)
  return [path]
}

const ofPointer = (
  path: string,
  kind: Repository["kind"],
  { known, putAside, root }: Around
): ReadonlyArray<string> => {
  const [, to] = /^gitdir: ([^\n]+)\n?$/.exec(kind === "file" ? (textOf(path) ?? "") : "") ?? []
  const git = to === undefined ? undefined : realOf(resolve(dirname(path), to))
  if (git !== undefined && known.has(git) && isWithin(root, git)) return []
  putAside(path)
  return [path]
}

const ofRepository = ({ kind, path }: Repository, around: Around): ReadonlyArray<string> => {
  if (kind !== "directory") return ofPointer(path, kind, around)
  return [
    ...ofCommon(path, around),
    ...["config", "config.worktree"].flatMap((name) => ofSettings(path, name, around)),
    ...ofHooks(path, around)
  ]
}

const judged = (
  root: string,
  before: ReadonlySet<string>,
  now: ReadonlyArray<Repository>,
  putAside: Around["putAside"]
) => {
  const made = now.filter(({ id }) => !before.has(id))
  if (made.length === 0) return []
  const directories = now.filter(({ kind }) => kind === "directory").map(({ path }) => path)
  const around: Around = { root, known: new Set([`${root}/.git`, ...directories]), putAside }
  return made.map((repository) => ({ repository, paths: ofRepository(repository, around) }))
}

/** What was put aside, relative to the root. */
export const disarm = (root: string, before: ReadonlySet<string>, now: ReadonlyArray<Repository>) =>
  judged(root, before, now, putAside).flatMap(({ paths }) => paths.map((path) => path.slice(root.length + 1)))

/** Those of which something would be. */
export const armedAmong = (root: string, before: ReadonlySet<string>, now: ReadonlyArray<Repository>) =>
  judged(root, before, now, () => undefined).flatMap(({ paths, repository }) => (paths.length > 0 ? [repository] : []))
