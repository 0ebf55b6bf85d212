/**
 * git, whose configuration and hooks run programs (SECURITY P7). Owns: which of its commands and options are plain. Does
 * not own: what the repository's own files say (commandGitConfig). Pure. Invariant: a command, remote or option that is not
 * known to be harmless asks.
 */
import type { Vetted } from "./commandGitConfig.ts"
import type { Role } from "./commandOperands.ts"
import { riskyWords, skipOptions } from "./commandOptions.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const READS =
  set(`status log diff show rev-parse blame annotate ls-files ls-tree cat-file describe shortlog rev-list name-rev
  merge-base grep count-objects show-ref for-each-ref whatchanged diff-tree diff-index diff-files cherry range-diff
  check-ignore check-attr var version reflog`)
const CHANGES =
  set(`add commit checkout switch restore reset branch tag stash merge cherry-pick revert rm mv clean init fetch
  pull push rebase remote apply am gc worktree notes sparse-checkout`)
const REMOTE = set("fetch pull push remote")

/** These of its commands follow a text that nobody has judged: a patch may write any file. */
const FOLLOWING = set("apply am")

export interface GitJudgement {
  readonly notPlain: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
  readonly exactOnly?: string
  readonly readOnly: boolean
  /** What it does to the paths that its words name. */
  readonly role: Role
  readonly refused?: string
}

/** They keep what their words name as it is: it goes into the index, or is only looked at. */
const KEEPS = set(
  "add commit reset branch tag stash merge cherry-pick revert fetch pull push rebase remote gc notes switch"
)
const WRITES = set("mv rm restore checkout clean init worktree sparse-checkout clone submodule")

const roleOf = (command: string): Role =>
  READS.has(command) || KEEPS.has(command) ? "reads" : WRITES.has(command) ? "writes" : "open"

const BEFORE_COMMAND = set("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path")
const CONFIG_READS = /^(?:--get[a-z-]*|--list|-l|get|list)$/

/** `git config` with a value, or with anything but a look. */
const configures = (args: ReadonlyArray<string>): boolean => {
  const at = skipOptions(args, 0, BEFORE_COMMAND)
  if (args[at] !== "config") return false
  const rest = args.slice(at + 1)
  if (rest.some((word) => /^(?:-e|--edit|--unset|--add|--re)/.test(word))) return true
  const first = rest.find(
    (word) => !/^--(?:local|global|system|worktree|show-origin|show-scope|name-only|null|includes)$/.test(word)
  )
  if (first !== undefined && CONFIG_READS.test(first)) return false
  return rest.filter((word) => !word.startsWith("-")).length > 1
}

const REMOTE_VALUES = set(
  "--depth --deepen --shallow-since --shallow-exclude --jobs -j -o --push-option --filter --refmap"
)

const remoteWhy = (command: string, args: ReadonlyArray<string>, vetted: () => Vetted): ReadonlyArray<string> => {
  if (command === "remote")
    return args.every((word) => word === "-v" || word === "--verbose" || word === "show")
      ? []
      : ["changes or asks a remote"]
  if (args.some((word) => word.length > 3 && "--multiple".startsWith(word))) return ["names several remotes"]
  const first = args[skipOptions(args, 0, REMOTE_VALUES)]
  return first === undefined || vetted().isRemote(first) ? [] : [`${first} is no remote of the configuration alone`]
}

/** Letters of short options that start a program or a strategy, alone or in a cluster. */
const LETTERS: Readonly<Record<string, string>> = {
  grep: "O",
  rebase: "ixs",
  merge: "s",
  pull: "s",
  blame: "S",
  annotate: "S",
  // They write into git's configuration.
  branch: "mcu"
}
const CONFIGURES = /^--(?:mov|cop|set-up|unset-up|edit)/

const hasLetter = (command: string, word: string): boolean =>
  Object.hasOwn(LETTERS, command) && /^-[A-Za-z]/.test(word) && [...word].some((one) => LETTERS[command]!.includes(one))

/** What they show stands in no word of the line, but in what comes in. */
const isBatch = (command: string, word: string): boolean => command === "cat-file" && word.startsWith("--b")

/** `git rev-parse --git-dir` says where it is. */
const isTold = (command: string, word: string): boolean => command === "rev-parse" && word === "--git-dir"

const REFUSED = "git would change its configuration, which tools never write"

/** Looks of commands that do more with other words. */
const LOOKS = [
  /^config --get(?:-all)? (?:user|core|init|branch|pull|push|remote)\.[\w.-]+$/,
  /^submodule status(?: [\w./]+)*$/,
  /^--version$/,
  /^branch(?: (?:-[arv]+|--(?:all|remotes|verbose|show-current|list|no-color|merged|no-merged)))*$/,
  /^branch(?: -[arv]+)* --list(?: [\w*?./][\w*?./-]*)*$/,
  /^tag(?: -n\d*)?$/,
  /^tag(?: -n\d*)? (?:-l|--list)(?: [\w*?./][\w*?./-]*)*$/,
  /^remote(?: -v| --verbose)?$/,
  /^stash list$/,
  /^worktree list(?: --porcelain)?$/
]

const isLook = (args: ReadonlyArray<string>): boolean => LOOKS.some((form) => form.test(args.join(" ")))

/** Judges git's words behind `git`. `vetted` says what the repository's own files hold. */
export const judgeGit = (given: ReadonlyArray<string>, vetted: () => Vetted): GitJudgement => {
  const args = given.slice(given.findIndex((word) => word !== "--no-pager" && word !== "-P"))
  const [command = "", ...rest] = args
  const reads = READS.has(command) || isLook(args)
  const { config, hooks } = vetted()
  const inner = args[skipOptions(args, 0, BEFORE_COMMAND)] ?? ""
  const path = { role: roleOf(inner), ...(configures(args) ? { refused: REFUSED } : {}) }
  if (command.startsWith("-") && command !== "--version") {
    return { notPlain: [`has the option ${command} before git's command`], unsettled: config, readOnly: false, ...path }
  }
  if (!reads && !CHANGES.has(command) && command !== "--version") {
    const why = `git ${command} may be an alias or run programs`
    return { notPlain: [why], unsettled: config, exactOnly: why, readOnly: false, ...path }
  }
  const end = rest.indexOf("--")
  const options = end < 0 ? rest : rest.slice(0, end)
  const risky = [
    ...riskyWords("git", options).filter((word) => !isTold(command, word)),
    ...options.filter(
      (word) => hasLetter(command, word) || isBatch(command, word) || (command === "branch" && CONFIGURES.test(word))
    )
  ]
  const only = FOLLOWING.has(command) ? `git ${command} writes whatever its patch names` : undefined
  return {
    notPlain: [
      ...risky.map((word) => `has the option ${word}`),
      ...(REMOTE.has(command) ? remoteWhy(command, rest, vetted) : [])
    ],
    unsettled: [...config, ...(reads ? [] : hooks.map((hook) => `the repository's ${hook} hook would run`))],
    ...(only === undefined ? {} : { exactOnly: only }),
    readOnly: reads && risky.length === 0,
    ...path,
    ...(risky.length > 0 && path.role === "reads" && reads ? { role: "open" as const } : {})
  }
}
