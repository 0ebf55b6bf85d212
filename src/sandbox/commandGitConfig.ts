/**
 * What a repository says about itself (SECURITY P7). Owns: which configuration keys are known to run nothing and to name no
 * place, the hooks that would run, the remotes that are named. Reads `.git/config` and the names in `.git/hooks`.
 * Invariant: a key that is not listed here asks; no section is safe as a whole unless it holds numbers and switches.
 */
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Switches, numbers and colours only. */
const PLAIN_SECTIONS = set("color advice status column versionsort i18n rerere index pack stash log")

const SAFE_KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  core: set(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
    safecrlf quotepath abbrev compression bigfilethreshold whitespace commentchar longpaths sharedrepository untrackedcache
    preloadindex splitindex`),
  branch: set("remote merge rebase description pushremote autosetupmerge autosetuprebase sort"),
  user: set("name email signingkey useconfigonly"),
  author: set("name email"),
  committer: set("name email"),
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
  remote: set("url pushurl fetch push tagopt prune mirror"),
  diff: set("renames algorithm colormoved mnemonicprefix renamelimit"),
  merge: set("ff conflictstyle renamelimit"),
  submodule: set("active url recurse fetchjobs")
}

/** With a scheme that git itself speaks, as `host:path`, or from the root: nothing that lies in the repository. */
const isAddress = (value: string): boolean =>
  /^(?:https?|ssh|git|git\+ssh):\/\/[^-]/.test(value) || /^[\w.@-]+:(?!:)[^-]/.test(value) || value.startsWith("/")

const isName = (value: string): boolean => /^[A-Za-z0-9_][\w-]*$/.test(value)

const safeKey = (section: string, key: string, value: string): boolean => {
  if (section === "alias") return !value.startsWith("!")
  if (key.endsWith("url")) return isAddress(value) && SAFE_KEYS[section]?.has(key) === true
  if (section === "branch" && key.endsWith("remote")) return value === "." || isName(value)
  if (/program|command|editor|helper|exec|cmd|hook/.test(key)) return false
  return PLAIN_SECTIONS.has(section) || (Object.hasOwn(SAFE_KEYS, section) && SAFE_KEYS[section]!.has(key))
}

export interface Entry {
  readonly section: string
  readonly sub: string | undefined
  readonly key: string
  readonly value: string
}

/** In a comment a backslash joins nothing: what follows is a line of its own to git. */
const JOINED_COMMENT = /[#;][^\n]*\\\r?$/m

/** Names folded as git folds them; undefined: a line that cannot be read. */
export const entries = (text: string): ReadonlyArray<Entry | undefined> => {
  let section = ""
  let sub: string | undefined
  const out: Array<Entry | undefined> = JOINED_COMMENT.test(text) ? [undefined] : []
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    let rest = line.trim()
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest)
    if (header !== null) {
      const [first = "", ...dotted] = header[1]!.split(".")
      section = first.toLowerCase()
      sub = header[2] ?? (dotted.length === 0 ? undefined : dotted.join("."))
      rest = rest.slice(header[0].length).trim()
    }
    if (rest === "" || /^[#;]/.test(rest)) continue
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(rest)
    const value = (entry?.[2] ?? "").replace(/^"(.*)"$/, "$1").replace(/^"/, "")
    out.push(entry === null ? undefined : { section, sub, key: entry[1]!.toLowerCase(), value })
  }
  return out
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
    return statSync(path).size > 1 << 20 ? "[too] large" : readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The repository's directory: `.git` here or above, through the file that a work tree has instead. */
const gitDirectory = (workspace: string): string | undefined => {
  for (let at = workspace; ; at = dirname(at)) {
    const git = `${at}/.git`
    if (isDirectory(git)) return git
    const link = readText(git)?.match(/^gitdir: (.+)$/m)?.[1]
    if (link !== undefined) return resolve(at, link.trim())
    if (dirname(at) === at) return undefined
  }
}

const hooksIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(`${directory}/hooks`).filter((name) => !name.endsWith(".sample"))
  } catch {
    return []
  }
}

export interface Vetted {
  /** What of its configuration asks. */
  readonly config: ReadonlyArray<string>
  readonly hooks: ReadonlyArray<string>
  /** `name` is a remote of the configuration, and nothing else that git would take for one. */
  readonly isRemote: (name: string) => boolean
}

const NOTHING: Vetted = { config: [], hooks: [], isRemote: () => false }

const exists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
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

const vet = (workspace: string): Vetted => {
  const git = gitDirectory(workspace)
  if (git === undefined) return NOTHING
  const common = readText(`${git}/commondir`)
  const shared = common === undefined ? git : resolve(git, common.trim())
  const texts = [`${shared}/config`, `${git}/config.worktree`].map((path) => readText(path) ?? "")
  const key = texts.map(unsafeConfigKey).find((found) => found !== undefined)
  const within = texts
    .flatMap(entries)
    .find((entry) => entry?.key.endsWith("url") === true && `${entry.value}/`.startsWith(`${workspace}/`))
  const remotes = new Set(texts.flatMap((text) => [...remotesOf(text)]))
  const places = [workspace, `${shared}/remotes`, `${shared}/branches`]
  return {
    config: [
      ...(key === undefined ? [] : [`the repository's configuration sets ${key}`]),
      ...(within === undefined ? [] : [`the remote ${within.sub} lies in the workspace`])
    ],
    hooks: hooksIn(shared).slice(0, 1),
    isRemote: (name) => remotes.has(name) && !places.some((place) => exists(`${place}/${name}`))
  }
}

/** One look per line. */
export const gitVetting = (workspace: string): (() => Vetted) => {
  let found: Vetted | undefined
  return () => (found ??= vet(workspace))
}
