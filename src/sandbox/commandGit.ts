/**
 * git, whose configuration and hooks run programs (SECURITY P7). Owns: which of its commands are plain, and whether the
 * repository's own configuration is free of programs. Reads `.git/config` and the names in `.git/hooks`; runs nothing.
 * Invariant: a key that is not known to be harmless asks.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { riskyWords } from "./commandOptions.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const READS =
  set(`status log diff show rev-parse blame annotate ls-files ls-tree cat-file describe shortlog rev-list name-rev
  merge-base grep count-objects show-ref for-each-ref whatchanged diff-tree diff-index diff-files cherry range-diff
  check-ignore check-attr var version reflog`)
const CHANGES =
  set(`add commit checkout switch restore reset branch tag stash merge cherry-pick revert rm mv clean init fetch
  pull push rebase remote apply am gc worktree notes sparse-checkout`)
const REMOTE = set("fetch pull push remote")

const SAFE_CORE =
  set(`repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
  safecrlf quotepath abbrev compression bigfilethreshold whitespace commentchar longpaths sharedrepository untrackedcache
  preloadindex splitindex`)
const SAFE_SECTIONS =
  set(`branch user author committer pull push init color advice status log fetch rebase rerere commit tag
  index pack gc transfer extensions lfs column help versionsort i18n stash apply`)
const SAFE_KEYS =
  set(`remote.url remote.pushurl remote.fetch remote.push remote.tagopt remote.prune remote.mirror diff.renames
  diff.algorithm diff.colormoved diff.mnemonicprefix diff.renamelimit merge.ff merge.conflictstyle merge.renamelimit submodule.active
  submodule.url submodule.recurse submodule.fetchjobs`)

const safeKey = (section: string, key: string, value: string): boolean => {
  if (section === "core") return SAFE_CORE.has(key)
  if (section === "alias") return !value.startsWith("!")
  if (key.endsWith("url") && /^(?:ext|fd)::|::|^-/.test(value)) return false
  if (/program|command|editor|helper|exec|cmd|sshcommand/.test(key)) return false
  return SAFE_SECTIONS.has(section) || SAFE_KEYS.has(`${section}.${key}`)
}

/** First key of a configuration text that could run something; its names folded as git folds them. */
export const unsafeConfigKey = (text: string): string | undefined => {
  let section = ""
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    let rest = line.trim()
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/.exec(rest)
    if (header !== null) {
      section = header[1]!.split(".")[0]!.toLowerCase()
      rest = rest.slice(header[0].length).trim()
    }
    if (rest === "" || /^[#;]/.test(rest)) continue
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(rest)
    if (entry === null) return "a line that cannot be read"
    const key = entry[1]!.toLowerCase()
    if (!safeKey(section, key, (entry[2] ?? "").replace(/^"/, ""))) return `${section}.${key}`
  }
  return undefined
}

/** Marks a hook's name among what was found. */
const HOOK = "hook:"

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

const vet = (workspace: string): ReadonlyArray<string> => {
  const git = gitDirectory(workspace)
  if (git === undefined) return []
  const common = readText(`${git}/commondir`)
  const shared = common === undefined ? git : resolve(git, common.trim())
  const configs = [`${shared}/config`, `${git}/config.worktree`].map((path) => unsafeConfigKey(readText(path) ?? ""))
  const key = configs.find((found) => found !== undefined)
  const [hook] = hooksIn(shared)
  return [
    ...(key === undefined ? [] : [`the repository's configuration sets ${key}`]),
    ...(hook === undefined ? [] : [`${HOOK}${hook}`])
  ]
}

export interface GitJudgement {
  readonly notPlain: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
  readonly exactOnly?: string
  readonly readOnly: boolean
}

/** Short options that run a program or choose one, also inside a cluster: `git grep -nO./x`. */
const CLUSTERS: Readonly<Record<string, RegExp>> = {
  grep: /^-[a-zA-Z0-9]*O/,
  rebase: /^-[a-zA-Z]*[ixs]/,
  merge: /^-[a-zA-Z]*s/,
  pull: /^-[a-zA-Z]*s/,
  "cherry-pick": /^-[a-zA-Z]*s/,
  revert: /^-[a-zA-Z]*s/,
  blame: /^-S/
}

const remoteWhy = (command: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (command === "remote")
    return args.every((word) => word === "-v" || word === "show") ? [] : ["changes or asks a remote"]
  const first = args.find((word) => !word.startsWith("-"))
  return first === undefined || /^[\w-]+$/.test(first) ? [] : ["names a remote by its address"]
}

const hooksWhy = (vetted: ReadonlyArray<string>): ReadonlyArray<string> =>
  vetted
    .filter((found) => found.startsWith(HOOK))
    .map((found) => `the repository's ${found.slice(HOOK.length)} hook would run`)

/** Judges git's words behind `git`. `vetted` is what the repository's own files say, read once a line. */
export const judgeGit = (args: ReadonlyArray<string>, vetted: ReadonlyArray<string>): GitJudgement => {
  const [command = "", ...rest] = args
  const reads = READS.has(command)
  const config = vetted.filter((found) => !found.startsWith(HOOK))
  if (command.startsWith("-") && command !== "--version") {
    return { notPlain: [`has the option ${command} before git's command`], unsettled: config, readOnly: false }
  }
  if (!reads && !CHANGES.has(command) && command !== "--version") {
    const why = `git ${command} may be an alias or run programs`
    return { notPlain: [why], unsettled: config, exactOnly: why, readOnly: false }
  }
  const end = rest.indexOf("--")
  const options = end < 0 ? rest : rest.slice(0, end)
  const risky = [...riskyWords("git", options), ...options.filter((word) => CLUSTERS[command]?.test(word) === true)]
  return {
    notPlain: [
      ...risky.map((word) => `has the option ${word}`),
      ...(REMOTE.has(command) ? remoteWhy(command, options) : [])
    ],
    unsettled: [...config, ...(reads ? [] : hooksWhy(vetted))],
    readOnly: reads && risky.length === 0
  }
}

/** One look per line. */
export const gitVetting = (workspace: string): (() => ReadonlyArray<string>) => {
  let found: ReadonlyArray<string> | undefined
  return () => (found ??= vet(workspace))
}
