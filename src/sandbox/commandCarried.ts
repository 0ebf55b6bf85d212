/**
 * Programs that an option names: `--exec=…`, `tar -I …`, `git -c alias.x=!…` (SECURITY P4, T2). Owns: which options carry
 * a command, and its text. It is for deny rules: such an option is never plain, so that a text that is no command only makes
 * the judgement stricter. Invariant: attached or apart, abbreviated or clustered, the value is found.
 */
import { skipOptions } from "./commandOptions.ts"
import { literalWord, type ShellWord } from "./commandWords.ts"

interface Carrier {
  /** Long options, without dashes; an abbreviation of one counts. */
  readonly long?: ReadonlyArray<string>
  /** Letters of short ones; the value is attached or the next word. */
  readonly short?: string
  /** Long options with one dash (`go`). */
  readonly oneDash?: boolean
}

const list = (names: string): ReadonlyArray<string> => names.split(/\s+/)

/** Whatever the program is; `--pre` and `--filter` are other things to others. */
const ANY: Carrier = {
  long: list(`exec execute exec-batch shell script-shell rsh rsync-path pager editor compress-program
    use-compress-program to-command info-script new-volume-script preprocessor hostname-bin upload-pack receive-pack
    strip-program command run-cmd call`)
}
/** Shorter abbreviations of those may be other options. */
const ANY_ABBREVIATION = 5

const OWN: Readonly<Record<string, Carrier>> = {
  rg: { long: ["pre"] },
  split: { long: ["filter"] },
  tar: { long: ["rmt-command", "checkpoint-action"], short: "IF" },
  bsdtar: { long: ["use-compress-program"] },
  rsync: { short: "e" },
  man: { short: "PH" },
  scp: { short: "So" },
  sftp: { short: "So" },
  ssh: { short: "o" },
  mapfile: { short: "C" },
  readarray: { short: "C" },
  npm: { short: "c" },
  npx: { short: "c" },
  flock: { short: "c" },
  script: { short: "c" },
  su: { short: "c" },
  nc: { short: "ec", long: ["sh-exec"] },
  ncat: { short: "ec", long: ["sh-exec"] },
  netcat: { short: "ec" },
  complete: { short: "C" },
  compgen: { short: "C" },
  tcpdump: { short: "z" },
  wget: { long: ["use-askpass"] },
  ansible: { short: "a", long: ["args"] },
  vagrant: { short: "c" },
  fzf: { long: ["preview", "bind"] },
  coreutils: { long: ["coreutils-prog"] },
  bazel: { long: ["run_under"] },
  svn: { long: ["diff-cmd", "diff3-cmd", "editor-cmd"] },
  gcc: { long: ["wrapper"], oneDash: true },
  just: { short: "c" },
  cargo: { long: ["config"] },
  hg: { long: ["config"] },
  "nix-shell": { long: ["run"] },
  runuser: { short: "c" },
  gdb: { long: list("ex iex eval-command init-eval-command"), oneDash: true },
  go: { long: ["exec", "toolexec", "vettool"], oneDash: true }
}

const GIT: Readonly<Record<string, Carrier>> = {
  rebase: { short: "x" },
  difftool: { short: "x", long: ["extcmd"] },
  "send-email": { long: ["sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd"] },
  "filter-branch": {
    long: list("setup tree-filter index-filter msg-filter parent-filter commit-filter env-filter tag-name-filter")
  },
  grep: { long: ["open-files-in-pager"], short: "O" },
  fetch: { short: "u" },
  clone: { short: "uc", long: ["config"] }
}

/** `start:execute(rm x)` (fzf), `a,b` (gcc's wrapper) */
const inParts = (value: string): ReadonlyArray<string> => [
  ...Array.from(value.matchAll(/\(([^()]+)\)/g), ([, one = ""]) => one),
  ...(/^[\w/-]+(?:,[\w/-]+)+$/.test(value) ? [value.replaceAll(",", " ")] : [])
]

/** `alias.x=!rm y`, `core.pager=rm y`, `ProxyCommand=rm y`, `exec=rm y` (tar), and the bare `rm y`. */
const commandIn = (value: string): ReadonlyArray<string> => {
  const set = /^(?:[A-Za-z][\w-]*(?:\.[^=\s]*)?)[= ](.*)$/s.exec(value)?.[1]
  const alias = /^alias\.[^=]+=(?!!)(.*)$/s.exec(value)?.[1]
  return [
    value.replace(/^(?:!|shell\s)/, ""),
    ...inParts(value),
    ...(set === undefined ? [] : [set.replace(/^!/, "")]),
    ...(alias === undefined ? [] : [`git ${alias}`])
  ]
}

/** An abbreviation that could be this one; two letters may be anything. */
const isOf = (name: string, long: string, carrier: Carrier): boolean =>
  name === long || (name.length >= (carrier === ANY ? ANY_ABBREVIATION : 3) && long.startsWith(name))

interface Value {
  readonly text: string
  readonly word: ShellWord
}

const valueAt = (words: ReadonlyArray<ShellWord>, at: number, carrier: Carrier): ReadonlyArray<Value> => {
  const { long = [], oneDash, short = "" } = carrier
  const word = words[at]!
  const next = words[at + 1]
  const apart: ReadonlyArray<Value> = next === undefined ? [] : [{ text: next.value, word: next }]
  const named = (oneDash === true ? /^--?([a-z][\w-]*)(?:=(.*))?$/s : /^--([a-z][\w-]*)(?:=(.*))?$/s).exec(word.value)
  if (named !== null && long.some((one) => isOf(named[1]!, one, carrier)))
    return named[2] === undefined ? apart : [{ text: named[2], word }]
  if (short === "" || !/^-[A-Za-z]/.test(word.value)) return []
  const letter = [...word.value].findIndex((one, i) => i > 0 && short.includes(one))
  if (letter < 0) return []
  const attached = word.value.slice(letter + 1)
  return attached === "" ? apart : [{ text: attached, word }]
}

const scriptsOf = ({ text, word }: Value): ReadonlyArray<ShellWord> =>
  commandIn(text).map((one) => ({ ...literalWord(one), why: word.why }))

const gitCarriers = (args: ReadonlyArray<string>): ReadonlyArray<Carrier> => {
  const at = skipOptions(args, 0, new Set(["-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"]))
  const command = args[at] ?? ""
  return Object.hasOwn(GIT, command) ? [GIT[command]!] : []
}

/** `git -c NAME=VALUE` before git's command. */
const gitSettings = (words: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> => {
  const out: Array<ShellWord> = []
  for (let at = 1; at < words.length && words[at]!.value.startsWith("-"); at += 1) {
    out.push(...valueAt(words, at, { short: "c" }).flatMap(scriptsOf))
    if (/^(?:-[cC]|--(?:git-dir|work-tree|namespace|config-env|exec-path))$/.test(words[at]!.value)) at += 1
  }
  return out
}

/** Texts that options of this command run. */
export const carried = (name: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> => {
  const own = Object.hasOwn(OWN, name) ? [OWN[name]!] : []
  const git = name === "git" ? gitCarriers(words.slice(1).map((word) => word.value)) : []
  const end = words.findIndex((word) => word.value === "--")
  const options = end < 0 ? words : words.slice(0, end)
  const found = options.flatMap((_, at) =>
    at === 0 ? [] : [ANY, ...own, ...git].flatMap((carrier) => valueAt(options, at, carrier).flatMap(scriptsOf))
  )
  // `make SHELL=rm`, `gh alias set z '!rm x'`, `env 'BASH_FUNC_ls%%=() { rm x; }'`
  const held = words.flatMap((word): ReadonlyArray<ShellWord> => {
    const value =
      name === "make" || name === "gmake"
        ? /^(?:SHELL|MAKE|CC|CXX)=(.+)$/s.exec(word.value)?.[1]
        : name === "gh"
          ? /^!(.+)$/s.exec(word.value)?.[1]
          : /^BASH_FUNC_[^=]*=\(\)\s*(.+)$/s.exec(word.value)?.[1]
    return value === undefined ? [] : [{ ...literalWord(value), why: word.why }]
  })
  return name === "git" ? [...gitSettings(words), ...found] : [...found, ...held]
}
