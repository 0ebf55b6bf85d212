/**
 * What a repository says about itself (SECURITY P7). Owns: which configuration keys are known to run nothing and to name no
 * place, the hooks that would run, the remotes that are named. Reads `.git/config` and the names in `.git/hooks`.
 * Invariant: a key that is not listed here asks; no section is safe as a whole unless it holds numbers and switches.
 */
import { lstatSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { leadsInto } from "./commandGitPlaces.ts"
import { gitLinks, trackedFiles } from "./commandGitLinks.ts"
import { isMissing, namesOf, onDisk, shownName, textOfBytes } from "./fileNames.ts"
import { isGitDirectory } from "./gitShape.ts"
import { entries, isLarge, type Entry } from "./gitConfigText.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Switches, numbers and colours only. */
const PLAIN_SECTIONS = set(
  "color advice status column versionsort i18n rerere index pack stash log user author committer"
)

const SAFE_KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  core: set(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
    safecrlf quotepath abbrev compression bigfilethreshold whitespace commentchar longpaths sharedrepository untrackedcache
    preloadindex splitindex`),
  branch:
    set(`remote merge rebase description pushremote autosetupmerge autosetuprebase sort vscode-merge-base gh-merge-base
    github-pr-owner-number`),
  http: set(
    "extraheader postbuffer sslverify useragent lowspeedlimit lowspeedtime version followredirects maxrequests"
  ),
  pull: set("rebase ff"),
  push: set("default autosetupremote followtags"),
  init: set("defaultbranch"),
  fetch: set("prune prunetags parallel writecommitgraph fsckobjects showforcedupdates negotiationalgorithm output"),
  rebase: set("autosquash autostash updaterefs stat forkpoint missingcommitscheck abbreviatecommands backend"),
  commit: set("gpgsign status verbose"),
  tag: set("gpgsign sort forcesignannotated"),
  gc: set(
    "auto autopacklimit autodetach pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire packrefs"
  ),
  transfer: set("fsckobjects hiderefs unpacklimit credentialsinurl"),
  extensions: set("objectformat worktreeconfig partialclone noop preciousobjects refstorage relativeworktrees"),
  lfs: set("repositoryformatversion locksverify access"),
  help: set("autocorrect format"),
  apply: set("whitespace ignorewhitespace"),
  remote: set("url pushurl fetch push tagopt prune mirror gh-resolved"),
  diff: set("renames algorithm colormoved mnemonicprefix renamelimit"),
  merge: set("ff conflictstyle renamelimit"),
  submodule: set("active url recurse fetchjobs")
}

/** With a scheme that git itself speaks, as `host:path`, or from the root: nothing that lies in the repository. */
const isAddress = (value: string): boolean =>
  /^(?:(?:https?|ftps?|ssh|git|git\+ssh|ssh\+git):\/\/[^-]|file:\/\/\/)/.test(value) ||
  /^[\w.@-]+:(?!:|\/\/)[^-]/.test(value) ||
  value.startsWith("/")

const isName = (value: string): boolean => /^[A-Za-z0-9_][\w-]*$/.test(value)

const safeKey = (section: string, key: string, value: string): boolean => {
  if (section === "alias") return !value.startsWith("!")
  if (key.endsWith("url")) return isAddress(value) && SAFE_KEYS[section]?.has(key) === true
  if (section === "branch" && key.endsWith("remote")) return value === "." || isName(value)
  if (/program|command|editor|helper|exec|cmd|hook/.test(key)) return false
  return PLAIN_SECTIONS.has(section) || (Object.hasOwn(SAFE_KEYS, section) && SAFE_KEYS[section]!.has(key))
}

export const isSafe = ({ key, section, value }: Entry): boolean => safeKey(section, key, value)

/** First key of a configuration text that could run something. */
export const unsafeConfigKey = (text: string): string | undefined => {
  for (const entry of entries(text)) {
    if (entry === undefined) return "a line that cannot be read"
    if (!isSafe(entry)) return `${entry.section}.${entry.key}`
  }
  return undefined
}

const readText = (path: string): string | undefined => {
  try {
    const file = onDisk(path)
    return statSync(file).size > 1 << 20 ? "[too] large" : textOfBytes(readFileSync(file))
  } catch {
    return undefined
  }
}

const isDirectory = (path: string): boolean => statSync(onDisk(path), { throwIfNoEntry: false })?.isDirectory() === true

/** The `.git` of this very tree, through the file that a work tree has instead. */
const ownGitDirectory = (tree: string): string | undefined => {
  const git = `${tree}/.git`
  if (isDirectory(git)) return git
  const link = readText(git)?.match(/^gitdir: (.+)$/m)?.[1]
  return link === undefined ? undefined : resolve(tree, link.trim())
}

/** The repository's directory and its tree, here or above. */
const gitDirectory = (workspace: string): { readonly path: string; readonly tree: string } | undefined => {
  for (let tree = workspace; ; tree = dirname(tree)) {
    const path = ownGitDirectory(tree) ?? (isGitDirectory(tree) ? tree : undefined)
    if (path !== undefined) return { path, tree }
    if (dirname(tree) === tree) return undefined
  }
}

/** The repositories that a path of this directory lies in: its own, and those of directories on the way to it. */
export const gitDirectories = (
  root: string,
  inside: string
): ReadonlyArray<{ readonly git: string; readonly tree: string }> => {
  const own = gitDirectory(root)
  const found = own === undefined ? [] : [{ git: ownOf(own.path).shared, tree: own.tree }]
  for (let end = inside.indexOf("/"); end > 0 && found.length < MAX_NESTED; end = inside.indexOf("/", end + 1)) {
    const tree = `${root}/${inside.slice(0, end)}`
    const git = ownGitDirectory(tree)
    if (git !== undefined) found.push({ git: ownOf(git).shared, tree })
  }
  return found
}

/** git finds a hook by its name, in a directory that nobody may list too. */
const UNKNOWN = "unreadable"

const hooksIn = (directory: string): ReadonlyArray<string> => {
  try {
    return namesOf(`${directory}/hooks`).filter((name) => !name.endsWith(".sample"))
  } catch (error) {
    return isMissing(error) ? [] : [UNKNOWN]
  }
}

export interface Vetted {
  /** What of it asks before any command of git. */
  readonly config: ReadonlyArray<string>
  readonly hooks: ReadonlyArray<string>
  /** `name` is a remote of the configuration, and nothing else that git would take for one. */
  readonly isRemote: (name: string) => boolean
}

/** They run after a mere look too: it writes what it found into the index, or drops a reference. */
const OF_LOOKS: ReadonlySet<string> = new Set(["post-index-change", "reference-transaction", UNKNOWN])

const NOTHING: Vetted = { config: [], hooks: [], isRemote: () => false }

const exists = (path: string): boolean => {
  try {
    return lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

const remotesOf = (text: string): ReadonlySet<string> =>
  new Set(
    entries(text).flatMap((entry) =>
      entry?.section === "remote" && entry.key === "url" && entry.sub !== undefined && isName(entry.sub)
        ? [entry.sub]
        : []
    )
  )

/** What one repository says about itself. */
interface Own {
  readonly texts: ReadonlyArray<string>
  /** Where its settings and hooks are, also for its further work trees. */
  readonly shared: string
  /** Where its index is. */
  readonly git: string
}

const ownOf = (git: string): Own => {
  const common = readText(`${git}/commondir`)
  const shared = common === undefined ? git : resolve(git, common.trim())
  return { git, shared, texts: [`${shared}/config`, `${git}/config.worktree`].map((path) => readText(path) ?? "") }
}

const MAX_NESTED = 64

/** `git status` looks into them, and runs what their own configuration says. */
const nestedIn = (tree: string, own: Own, found: Array<readonly [tree: string, own: Own]>): boolean => {
  const links = gitLinks(`${own.git}/index`, isLarge(own.texts))
  if (links === undefined || found.length > MAX_NESTED) return false
  return links.every((link) => {
    const inner = join(tree, link)
    const git = ownGitDirectory(inner)
    if (git === undefined) return true
    const nested = ownOf(git)
    found.push([inner, nested])
    return nestedIn(inner, nested, found)
  })
}

/** Absolute paths of the files that the repository of this directory keeps; undefined: nobody can say. */
export const keptByGit = (workspace: string): ReadonlyArray<string> | undefined => {
  const git = gitDirectory(workspace)
  if (git === undefined) return []
  const own = ownOf(git.path)
  return trackedFiles(`${own.git}/index`, isLarge(own.texts))?.map((path) => join(git.tree, path))
}

const unsafeNested = (tree: string, { git, texts }: Own): string | undefined =>
  texts
    .flatMap(entries)
    .map((entry) => {
      if (entry === undefined) return "a line that cannot be read"
      const own = entry.section === "core" && entry.key === "worktree" && resolve(git, entry.value) === tree
      return own || isSafe(entry) ? undefined : `${entry.section}.${entry.key}`
    })
    .find((found) => found !== undefined)

const vetNested = (workspace: string, tree: string, own: Own): Pick<Vetted, "config" | "hooks"> => {
  const nested: Array<readonly [string, Own]> = []
  const complete = nestedIn(tree, own, nested)
  const config = nested.flatMap(([inner, one]) => {
    const key = unsafeNested(inner, one)
    return key === undefined ? [] : [`the configuration of ${shownName(relative(workspace, inner))} sets ${key}`]
  })
  return {
    config: complete ? config : [...config, "its submodules cannot be looked through"],
    hooks: nested.flatMap(([, { shared }]) => hooksIn(shared))
  }
}

const vet = (workspace: string): Vetted => {
  const git = gitDirectory(workspace)
  if (git === undefined) return NOTHING
  const own = ownOf(git.path)
  const { shared, texts } = own
  const key = texts.map(unsafeConfigKey).find((found) => found !== undefined)
  const within = texts
    .flatMap(entries)
    .find((entry) => entry?.key.endsWith("url") === true && leadsInto(entry.value, workspace))
  const remotes = new Set(texts.flatMap((text) => [...remotesOf(text)]))
  const places = [workspace, `${shared}/remotes`, `${shared}/branches`]
  const nested = vetNested(workspace, git.tree, own)
  const hooks = Array.from(new Set([...hooksIn(shared), ...nested.hooks]))
  return {
    config: [
      ...(key === undefined ? [] : [`the repository's configuration sets ${key}`]),
      ...(within === undefined ? [] : [`the remote ${within.sub} lies in the workspace`]),
      ...nested.config,
      ...hooks.filter((hook) => OF_LOOKS.has(hook)).map((hook) => `the repository's ${hook} hook would run`)
    ],
    hooks: hooks.filter((hook) => !OF_LOOKS.has(hook)).slice(0, 1),
    isRemote: (name) => remotes.has(name) && !places.some((place) => exists(`${place}/${name}`))
  }
}

/** One look per line. */
export const gitVetting = (workspace: string): (() => Vetted) => {
  let found: Vetted | undefined
  return () => (found ??= vet(workspace))
}
