/**
 * Programs that start another one behind options of their own: where that one may begin (SECURITY P4). Owns: the names,
 * and a reading that does not need to know which option takes a value. It is for deny rules alone: a launcher is never
 * plain, so that a start that is none only makes the judgement stricter.
 * Invariant: of the words at which the started program could stand, none is left out.
 */
import { literalWord, type ShellWord } from "./commandWords.ts"

export interface Starts {
  readonly commands: ReadonlyArray<ReadonlyArray<ShellWord>>
  readonly scripts: ReadonlyArray<ShellWord>
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/** Suffixes that may be the command: each word behind an option, and the first `plain` that stand alone. */
const suffixes = (words: ReadonlyArray<ShellWord>, plain: number): ReadonlyArray<ReadonlyArray<ShellWord>> => {
  const out: Array<ReadonlyArray<ShellWord>> = []
  let alone = 0
  for (let at = 1; at < words.length && alone < plain; at += 1) {
    const word = words[at]!.value
    if (word.startsWith("-") || ASSIGNMENT.test(word)) continue
    const before = words[at - 1]!.value
    // The value of an option, or a program behind a flag: both are looked at.
    if (at === 1 || before === "--" || !/^-[^=]*$/.test(before)) alone += 1
    out.push(words.slice(at))
    if (before === "--") return out
  }
  return out
}

const list = (names: string): ReadonlyArray<string> => names.split(/\s+/)

/** How many words of its own a launcher may have before the program. */
const OWN_WORDS: ReadonlyArray<readonly [number, ReadonlyArray<string>]> = [
  [
    1,
    list(`fakeroot firejail proot tini dumb-init catatonit valgrind torsocks torify proxychains proxychains4 cross-env
      cross-env-shell choom numactl sshpass eatmydata unbuffer rlwrap xvfb-run dbus-launch systemd-inhibit caffeinate
      catchsegv softlimit chpst nodemon watchexec setlogcons cgexec daemonize runcon dotenv dtruss truss ptrace
      start-stop-daemon capsh fakechroot env-cmd dotenvx retry sem zsh-defer nsjail aa-exec schedtool cpulimit ld.so
      ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 coverage ltrace uftrace heaptrack
      entr logsave trickle chronic ifne uclampset systemd-cat wine wine64 box64 qemu-x86_64 qemu-aarch64 qemu-i386 qemu-arm
      cmake arch`)
  ],
  [
    2,
    list(`setarch linux32 linux64 i386 x86_64 uname26 envdir envuidgid setuidgid s6-setuidgid s6-envdir setlock faketime perf
      pipenv pdm hatch rye conda mamba micromamba rbenv pyenv nodenv asdf mise volta rustup direnv op ssh-agent aws-vault doppler chamber
      poetry uv bundle yarn pnpm bun flatpak-spawn distrobox toolbox lxc-attach machinectl
      fnm foreman lerna nx composer pixi meson mix`)
  ],
  [
    4,
    list(`ip tmux screen script dtach abduco docker podman nerdctl lxc incus multipass limactl vagrant wsl
      nix guix nix-shell pdsh clush dsh mussh kubectl oc`)
  ],
  [9, list("bwrap unshare nsenter chroot")]
]

const WORDS_BEFORE: ReadonlyMap<string, number> = new Map(
  OWN_WORDS.flatMap(([count, names]) => names.map((name) => [name, count] as const))
)

/** They are given whole commands as one word. */
const SCRIPTED: ReadonlySet<string> = new Set([
  "hyperfine",
  "tmux",
  "watchexec",
  "cross-env-shell",
  "nodemon",
  "entr",
  "yarn",
  "pnpm",
  "kubectl",
  "oc",
  "concurrently",
  "npm-run-all",
  "screen",
  "capsh",
  "nix-shell",
  "pdsh",
  "clush",
  "dsh",
  "mussh",
  "cargo"
])

const scriptsOf = (words: ReadonlyArray<ShellWord>): ReadonlyArray<ShellWord> =>
  words.slice(1).flatMap((word) => {
    const value = word.value.replace(/^--?[\w-]+=/, "")
    return /\s/.test(value) ? [{ ...literalWord(value), why: word.why }] : []
  })

/** `-- COMMAND`, whatever the program is. */
const behindDashes = (words: ReadonlyArray<ShellWord>): ReadonlyArray<ReadonlyArray<ShellWord>> => {
  const at = words.findIndex((word) => word.value === "--")
  const rest = at < 0 ? [] : words.slice(at + 1)
  return rest.length === 0 ? [] : [rest]
}

/** Those whose first word is a command of theirs, and only some of them launch. */
const LAUNCHING = /^(?:exec|run|x|dlx|tool|netns|vrf)$/
const CONTAINED = /^(?:exec|run|create|debug)$/
/** Their commands that launch. */
const VERBS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(list("yarn pnpm uv poetry bundle bun rustup ip").map((name) => [name, LAUNCHING])),
  ...Object.fromEntries(list("docker podman nerdctl kubectl oc").map((name) => [name, CONTAINED])),
  ...Object.fromEntries(list("fnm foreman lerna nx composer pixi").map((name) => [name, LAUNCHING])),
  cmake: /^-E$/,
  arch: /^-/,
  meson: /^devenv$/,
  mix: /^cmd$/,
  cargo: /^(?:run|r)$/,
  guix: /^(?:shell|environment|time-machine)$/,
  nix: /^(?:run|shell|develop)$/
}
export const isSometimes = (name: string): boolean => Object.hasOwn(VERBS, name)
/** Their `run` starts a script of the manifest and no program. */
const RUNS_SCRIPTS: ReadonlySet<string> = new Set(["yarn", "pnpm"])

const launches = (name: string, word: string): boolean =>
  VERBS[name]!.test(word) && !(word === "run" && RUNS_SCRIPTS.has(name))

export const isLauncher = (name: string): boolean => WORDS_BEFORE.has(name) || SCRIPTED.has(name)

export const launched = (name: string, words: ReadonlyArray<ShellWord>): Starts => {
  if (isSometimes(name) && !words.some((word) => launches(name, word.value))) return { commands: [], scripts: [] }
  const before = WORDS_BEFORE.get(name)
  const commands = before === undefined ? behindDashes(words) : suffixes(words, before + 1)
  return { commands, scripts: SCRIPTED.has(name) ? scriptsOf(words) : [] }
}

/** What an unknown program may start. */
export const unknownStarts = (words: ReadonlyArray<ShellWord>): Starts => ({
  commands: behindDashes(words),
  scripts: []
})
