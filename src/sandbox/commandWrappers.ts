/**
 * Programs that start other programs: what they would start. Owns: one reader per wrapper. Grants stop at a wrapper,
 * deny rules go through it (SECURITY P4). Invariant: what cannot be read is named as such, never left out.
 */
import { carried } from "./commandCarried.ts"
import { isKnown } from "./commandKnown.ts"
import { isLauncher, launched, SOMETIMES, unknownStarts } from "./commandLaunchers.ts"
import { skipOptions } from "./commandOptions.ts"
import { exactOnly, SHELLS } from "./commandTables.ts"
import { literalWord, type ShellWord } from "./commandWords.ts"

export interface Started {
  /** Words that it runs as commands. */
  readonly commands: ReadonlyArray<ReadonlyArray<ShellWord>>
  /** Texts that it runs as shell scripts. */
  readonly scripts: ReadonlyArray<ShellWord>
}

type Reader = (words: ReadonlyArray<ShellWord>) => Started

const values = (words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => words.map((word) => word.value)
const flags = (names: string): ReadonlySet<string> => new Set(names.split(" ").filter((name) => name !== ""))
const nothing: Started = { commands: [], scripts: [] }
const command = (words: ReadonlyArray<ShellWord>): Started =>
  words.length === 0 ? nothing : { commands: [words], scripts: [] }

/** `NAME [OPTION]… [operand × skipped] COMMAND …` */
const after =
  (withValue = "", skipped = 0): Reader =>
  (words) => {
    const at = skipOptions(values(words), 1, flags(withValue))
    return command(words.slice(at + skipped))
  }

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

const env: Reader = (words) => {
  const args = values(words)
  const scripts: Array<ShellWord> = []
  let at = 1
  for (; at < args.length; at += 1) {
    const word = args[at]!
    const split = /^(?:-[iv0]*S|--split-string(?:=|$))(.*)$/s.exec(word)
    if (split !== null) {
      const text = split[1] === "" ? (args[(at += 1)] ?? "") : split[1]!.replace(/^=/, "")
      scripts.push(literalWord([text, ...args.slice(at + 1)].join(" ")))
    } else if (["-u", "-C", "--unset", "--chdir", "-a", "--argv0"].includes(word)) at += 1
    else if (!word.startsWith("-") && !ASSIGNMENT.test(word)) break
  }
  return { commands: command(words.slice(at)).commands, scripts }
}

const joined = (words: ReadonlyArray<ShellWord>): Started =>
  words.length === 0
    ? nothing
    : {
        commands: [],
        scripts: [
          {
            ...literalWord(words.map((word) => word.value).join(" ")),
            why: words.flatMap((word) => word.why)
          }
        ]
      }

/** `sh -c TEXT`, in a cluster too (`-lc`); without it the script is a file or standard input, and unknown. */
const shell: Reader = (words) => {
  const args = values(words)
  for (let at = 1; at < args.length; at += 1) {
    const word = args[at]!
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word)) {
      const text = skipOptions(args, at + 1, flags("-o -O +o +O"))
      return words[text] === undefined ? nothing : { commands: [], scripts: [words[text]] }
    }
    if (["-o", "-O", "+o", "+O", "--rcfile", "--init-file"].includes(word)) at += 1
    else if (!/^[-+]/.test(word)) break
  }
  return nothing
}

/** `-exec … ;` and its kin, as many as there are. */
const find: Reader = (words) => {
  const commands: Array<ReadonlyArray<ShellWord>> = []
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]!.value)) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex((word, i) => word.value === ";" || (word.value === "+" && rest[i - 1]?.value === "{}"))
    commands.push(end < 0 ? rest : rest.slice(0, end))
  }
  return { commands: commands.filter((found) => found.length > 0), scripts: [] }
}

const fd: Reader = (words) => {
  const at = words.findIndex((word, i) => i > 0 && /^(?:-[xX]|--exec(?:-batch)?)$/.test(word.value))
  return at < 0 ? nothing : command(words.slice(at + 1))
}

const trap: Reader = (words) => {
  const at = skipOptions(values(words), 1, flags(""))
  return words[at] === undefined || words[at].value === "" ? nothing : { commands: [], scripts: [words[at]] }
}

const withScriptOption =
  (option: RegExp, otherwise: Reader): Reader =>
  (words) => {
    const at = words.findIndex((word, i) => i > 0 && option.test(word.value))
    if (at < 0) return otherwise(words)
    return words[at + 1] === undefined ? nothing : { commands: [], scripts: [words[at + 1]!] }
  }

const behind =
  (flag: string): Reader =>
  (words) => {
    const at = words.findIndex((word) => word.value === flag)
    return at < 0 ? nothing : command(words.slice(at + 1))
  }

/** `git bisect run …`, `git submodule foreach …`, `git rebase --exec …`: a command inside git's own words. */
const git: Reader = (words) => {
  const at = words.findIndex((word) => word.value === "run" || word.value === "foreach" || word.value === "--exec")
  if (at < 0 || !words.some((word) => /^(?:bisect|submodule|rebase)$/.test(word.value))) return nothing
  const rest = words.slice(at + 1)
  return joined(rest.slice(rest.findIndex((word) => !/^-./.test(word.value))))
}

const READERS: Readonly<Record<string, Reader>> = {
  env,
  nohup: after(),
  setsid: after(),
  nice: after("-n --adjustment"),
  ionice: after("-c -n -t --class --classdata"),
  chrt: after("", 1),
  taskset: after("", 1),
  timeout: after("-s --signal -k --kill-after", 1),
  stdbuf: after("-i -o -e --input --output --error"),
  time: after("-f -o --format --output"),
  // With -v or -V it only says what a name means.
  command: (words) => (/^-\w*[vV]/.test(words[1]?.value ?? "") ? nothing : after()(words)),
  builtin: after(),
  coproc: after(),
  exec: after("-a"),
  xargs: after(
    "-I -i -n -P -L -l -d -E -e -s -a --replace --max-args --max-procs --max-lines --delimiter --eof --max-chars --arg-file"
  ),
  // Its words are one text for a shell, up to the list of arguments.
  parallel: (words) => {
    const [own = []] = after("-j --jobs -a -I --colsep --delay")(words).commands
    const end = own.findIndex((word) => /^:::[:+]*$/.test(word.value))
    return joined(end < 0 ? own : own.slice(0, end))
  },
  ssh: (words) => {
    const at = skipOptions(values(words), 1, flags("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"))
    return joined(words.slice(at + 1))
  },
  watch: (words) => joined(after("-n --interval")(words).commands[0] ?? []),
  setpriv: after(),
  prlimit: after(),
  strace: after("-e -o -p -s -u -E"),
  gdb: behind("--args"),
  flock: withScriptOption(/^(?:-c|--command)$/, after("-w --timeout -E", 1)),
  script: withScriptOption(/^(?:-\w*c|--command)$/, () => nothing),
  busybox: after(),
  toybox: after(),
  sudo: after("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir"),
  doas: after("-u -C"),
  su: withScriptOption(/^(?:-c|--command)$/, () => nothing),
  runuser: withScriptOption(/^(?:-c|--command)$/, after("-u")),
  pkexec: after("--user"),
  run0: after("-u --user"),
  "systemd-run": after("-u --unit -p --property"),
  "dbus-run-session": after(),
  npx: withScriptOption(/^(?:-c|--call)$/, after("-p --package")),
  bunx: after(),
  pnpx: after(),
  eval: (words) => joined(words.slice(words[1]?.value === "--" ? 2 : 1)),
  trap,
  find,
  fd,
  fdfind: fd,
  git,
  npm: (words) =>
    /^(?:exec|x)$/.test(words[1]?.value ?? "")
      ? command(words.slice(skipOptions(values(words), 2, flags("-p --package"))))
      : nothing
}

/** Programs whose very purpose is to start another one. */
const PLAIN_STARTERS: ReadonlySet<string> = new Set(["find", "fd", "fdfind", "git", "npm", "gdb", "ssh"])

export interface Wrapper extends Started {
  /** False for a program that starts others only with some of its options. */
  readonly always: boolean
}

const readerOf = (name: string): Reader | undefined =>
  SHELLS.has(name) ? shell : Object.hasOwn(READERS, name) ? READERS[name] : undefined

const unwrapAs = (name: string, words: ReadonlyArray<ShellWord>): Wrapper | undefined => {
  const reader = readerOf(name)
  if (reader !== undefined) return { ...reader(words), always: !PLAIN_STARTERS.has(name) }
  return isLauncher(name) ? { ...launched(name, words), always: !SOMETIMES.has(name) } : undefined
}

/** Together with what its options carry. */
const withCarried = (wrapper: Wrapper, scripts: ReadonlyArray<ShellWord>): Wrapper =>
  scripts.length === 0 ? wrapper : { ...wrapper, scripts: [...wrapper.scripts, ...scripts] }

const starterOf = (name: string, names: ReadonlyArray<string>, words: ReadonlyArray<ShellWord>) => {
  if (isKnown(name)) return unwrapAs(name, words)
  const found = [name, ...names].map((one) => unwrapAs(one, words)).find((one) => one !== undefined)
  if (found !== undefined || names.some((one) => exactOnly(one) !== undefined)) return found
  return { ...unknownStarts(words), always: false }
}

/** What this command would start, by any name of its program; undefined: it is no wrapper. */
export const unwrap = (
  name: string,
  names: ReadonlyArray<string>,
  words: ReadonlyArray<ShellWord>
): Wrapper | undefined => {
  const scripts = [...new Set([name, ...names])].map((one) => carried(one, words)).find((one) => one.length > 0) ?? []
  const wrapper = starterOf(name, names, words)
  if (wrapper === undefined) return scripts.length === 0 ? undefined : { commands: [], scripts, always: false }
  return withCarried(wrapper, scripts)
}
