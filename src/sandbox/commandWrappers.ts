/**
 * Programs that start other programs: what they would start. Owns: one reader per wrapper. Grants stop at a wrapper,
 * deny rules go through it (SECURITY P4). Invariant: what cannot be read is named as such, never left out.
 */
import { beginnings, own, type Own } from "./commandBeginnings.ts"
import { carried } from "./commandCarried.ts"
import { isKnown } from "./commandKnown.ts"
import { isLauncher, isSometimes, launched, unknownStarts } from "./commandLaunchers.ts"
import { skipOptions } from "./commandOptions.ts"
import { OTHER_READERS } from "./commandReaders.ts"
import { exactOnly, plainName, SHELLS } from "./commandTables.ts"
import { literalWord, type ShellWord } from "./commandWords.ts"

export interface Started {
  /** Words that it runs as commands. */
  readonly commands: ReadonlyArray<ReadonlyArray<ShellWord>>
  /** Texts that it runs as shell scripts. */
  readonly scripts: ReadonlyArray<ShellWord>
  /** Where it can be read in several ways: the words that are started in each of them. */
  readonly certain?: ReadonlyArray<ShellWord>
}

type Reader = (words: ReadonlyArray<ShellWord>) => Started

const values = (words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => words.map((word) => word.value)
const flags = (names: string): ReadonlySet<string> => new Set(names.split(" ").filter((name) => name !== ""))
const nothing: Started = { commands: [], scripts: [] }
const command = (words: ReadonlyArray<ShellWord>): Started =>
  words.length === 0 ? nothing : { commands: [words], scripts: [] }

/** `NAME [OPTION]… [own word]… COMMAND …`, in all the ways in which it can be read. */
const startedAt = (words: ReadonlyArray<ShellWord>, from: number, options: Own): Started => {
  const commands = beginnings(values(words), from, options).map((at) => words.slice(at))
  return { commands, scripts: [], ...(commands.length > 1 ? { certain: commands.at(-1)! } : {}) }
}

const after =
  (valued = "", given = "", operands = 0): Reader =>
  (words) =>
    startedAt(words, 1, own(valued, given, operands))

const ENV = own(
  "-u -C -a -S --unset --chdir --argv0 --split-string",
  "-i -0 -v --ignore-environment --null --debug --list-signal-handling --block-signal --default-signal --ignore-signal",
  0,
  true
)

/** `-S TEXT`, attached, clustered or abbreviated; behind it come the words that follow. */
const SPLIT = /^(?:-[iv0]*S|--s[a-z-]*(?:=|$))(.*)$/s

/** env's own escapes, as far as they part words. */
const unescaped = (text: string): string => text.replace(/\\[_tnrfv]/g, " ").replace(/\\c.*/s, "")

const env: Reader = (words) => {
  const scripts = words.flatMap((word, at): ReadonlyArray<ShellWord> => {
    const split = at === 0 ? null : SPLIT.exec(word.value)
    if (split === null) return []
    const rest = words.slice(at + 1)
    const texts = split[1] === "" ? rest : [literalWord(split[1]!.replace(/^=/, "")), ...rest]
    const text = texts.map(({ value }) => value).join(" ")
    return [...new Set([text, unescaped(text)])].map(literalWord)
  })
  return { ...startedAt(words, 1, ENV), scripts }
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

/** Each of the ways in which its words can be one text. */
const eachJoined = ({ commands }: Started): Started => ({
  commands: [],
  scripts: commands.flatMap((words) => joined(words).scripts)
})

/** What `$0` and `$@` of a script are: it may run them. */
const positional = (text: ShellWord, rest: ReadonlyArray<ShellWord>): Started => ({
  commands: text.value.includes("$") && rest.length > 0 ? [rest, ...command(rest.slice(1)).commands] : [],
  scripts: [text, ...(text.value.includes("$") ? rest.filter(({ value }) => /\s/.test(value)) : [])]
})

/** `sh -c TEXT`, in a cluster too (`-lc`); without it the script is a file or standard input, and unknown. */
const shell: Reader = (words) => {
  const args = values(words)
  for (let at = 1; at < args.length; at += 1) {
    const word = args[at]!
    if (/^-[A-Zabd-z]*c[A-Za-z]*$/.test(word)) {
      const text = skipOptions(args, at + 1, flags("-o -O +o +O"))
      return words[text] === undefined ? nothing : positional(words[text], words.slice(text + 1))
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

/** `-x COMMAND …`, attached or in a cluster. */
const fd: Reader = (words) => {
  const form = /^(?:-[A-Za-z]*?[xX]|--exe[c-]?[a-z]*(?:=|$))(.*)$/s
  const at = words.findIndex((word, i) => i > 0 && form.test(word.value))
  if (at < 0) return nothing
  const attached = form.exec(words[at]!.value)?.[1] ?? ""
  return command([...(attached === "" ? [] : [literalWord(attached)]), ...words.slice(at + 1)])
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

/** Its words are one text for a shell, up to the list of arguments; without any each argument is one. */
const parallel: Reader = (words) => {
  const end = words.findIndex((word) => /^:::[:+]*$/.test(word.value))
  const { scripts } = eachJoined(after(PARALLEL)(end < 0 ? words : words.slice(0, end)))
  const listed = end < 0 ? [] : words.slice(end + 1).filter((word) => /\s/.test(word.value) || scripts.length === 0)
  return { commands: [], scripts: [...scripts, ...listed] }
}
const PARALLEL =
  "-j --jobs -a --arg-file -I --colsep --delay -n --max-args -N -L -S --sshlogin --results --joblog --timeout"

/** `exec COMMAND …` behind whatever options. */
const npm: Reader = (words) => {
  const at = words.findIndex((word, i) => i > 0 && /^(?:exec|x)$/.test(word.value))
  return at < 0 ? nothing : startedAt(words, at + 1, own("-p --package -w --workspace", "-y --yes --silent"))
}

const READERS: Readonly<Record<string, Reader>> = {
  ...OTHER_READERS,
  env,
  nohup: after(),
  setsid: after("", "-c -f -w --ctty --fork --wait"),
  nice: after("-n --adjustment"),
  ionice: after("-c -n -p -P -u --class --classdata", "-t --ignore"),
  chrt: after("-T -P -D", "-b -d -f -i -o -r -R -a -v --batch --deadline --fifo --idle --other --rr --verbose", 1),
  taskset: after("", "-a -c --all-tasks --cpu-list", 1),
  timeout: after("-s --signal -k --kill-after", "-v --foreground --preserve-status --verbose", 1),
  stdbuf: after("-i -o -e --input --output --error"),
  time: after("-f -o --format --output", "-a -p -v -q --append --portability --verbose --quiet"),
  // With -v or -V it only says what a name means.
  command: (words) => (/^-\w*[vV]/.test(words[1]?.value ?? "") ? nothing : after("", "-p")(words)),
  builtin: after(),
  coproc: after(),
  exec: after("-a", "-c -l"),
  xargs: after(
    `-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --max-chars --arg-file --process-slot-var`,
    `-i -l -e -0 -o -p -r -t -x --replace --max-lines --eof --null --open-tty --interactive --no-run-if-empty --verbose
    --exit --show-limits`
  ),
  parallel,
  ssh: (words) => {
    const at = skipOptions(values(words), 1, flags("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"))
    return joined(words.slice(at + 1))
  },
  watch: (words) => eachJoined(after("-n -q --interval --equexit", "-d -t -b -e -g -c -C -x -p -w")(words)),
  setpriv: after("", "-d --clear-groups --keep-groups --init-groups --no-new-privs --nnp --reset-env --dump"),
  prlimit: after("-o -p --output --pid", "--noheadings --raw --verbose"),
  strace: after(
    "-a -b -e -E -I -o -O -p -P -s -S -u -U -X",
    "-c -C -d -D -f -F -i -k -n -q -r -t -T -v -V -w -x -y -Y -z -Z --follow-forks --output-separately"
  ),
  gdb: behind("--args"),
  flock: withScriptOption(
    /^(?:-c|--command)$/,
    after("-w -E --timeout --wait --conflict-exit-code", "-s -x -e -u -n -o -F --shared --nonblock --nb --close", 1)
  ),
  script: withScriptOption(/^(?:-\w*c|--command)$/, () => nothing),
  busybox: after(),
  toybox: after(),
  sudo: after(
    "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir",
    "-A -b -E -e -H -i -K -k -l -n -P -S -s -v --preserve-env --login --non-interactive --stdin --shell",
    0
  ),
  doas: after("-u -C", "-L -n -s"),
  su: withScriptOption(/^(?:-c|--command)$/, () => nothing),
  runuser: withScriptOption(/^(?:-c|--command)$/, after("-u")),
  pkexec: after("--user"),
  run0: after("-u --user"),
  "systemd-run": after(
    "-u -p -M -H -E -t -P -d -S --unit --property --machine --host --slice --setenv --uid --gid --nice --working-directory",
    "--user --system --scope --wait --pty --pipe --quiet --collect --no-block --same-dir --shell -q -G -r"
  ),
  "dbus-run-session": after(),
  npx: withScriptOption(/^(?:-c|--call)$/, after("-p --package", "-y --yes --no-install --quiet -q")),
  bunx: after("", "--bun --silent --verbose"),
  pnpx: after("", "--silent"),
  eval: (words) => joined(words.slice(words[1]?.value === "--" ? 2 : 1)),
  trap,
  find,
  fd,
  fdfind: fd,
  git,
  npm
}

/** Programs whose very purpose is to start another one. */
const PLAIN_STARTERS: ReadonlySet<string> = new Set(
  ["find", "fd", "fdfind", "git", "npm", "gdb", "ssh"].concat(Object.keys(OTHER_READERS))
)

export interface Wrapper extends Started {
  /** False for a program that starts others only with some of its options. */
  readonly always: boolean
}

const readerOf = (name: string): Reader | undefined =>
  SHELLS.has(plainName(name)) ? shell : Object.hasOwn(READERS, name) ? READERS[name] : undefined

const unwrapAs = (name: string, words: ReadonlyArray<ShellWord>): Wrapper | undefined => {
  const reader = readerOf(name)
  if (reader !== undefined) return { ...reader(words), always: !PLAIN_STARTERS.has(name) }
  return isLauncher(name) ? { ...launched(name, words), always: !isSometimes(name) } : undefined
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
