/**
 * Files that a program reads and runs because the command names them in its plain words, feeds them in, or names what they
 * stand for (SECURITY P12). Owns: for which programs, and which further names a word may mean. Does not own: digests
 * (commandContent). Pure but for the look whether a word is a file. Invariant: a program that runs what it is given, and is
 * given nothing that can be named, is said so.
 */
import type { Paths } from "./commandPaths.ts"
import { isFile } from "./commandPointed.ts"
import { onlyShows } from "./commandShows.ts"
import { type Language, languageOfName, languageOfProgram } from "./commandSources.ts"
import { exactOnly, isInterpreter, plainName, SHELLS } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))

export interface Named {
  /** As a word of the command. */
  readonly file: string
  readonly language?: Language | undefined
}

/** They show or reckon with what their words name; scripts of theirs come by an option of their own. */
const SHOWS = set("sed gsed awk gawk mawk nawk bc dc less more man info view vi vim nvim nano emacs ed ex red")
/** They follow what the files say that their words name. */
const FOLLOWS = set("patch rename tar bsdtar unzip cpio 7z at batch crontab entr ant nix nix-shell nix-build")
/** What they run stands in no file of theirs, or their rows know it. */
const SETTLED = set(`docker podman nerdctl kubectl tar bsdtar cpio zip unzip 7z ar rsync brew systemctl crontab at batch
  git-config make gmake terraform helm pre-commit corepack`)

/** Its plain words, where they are files, decide what it does. */
export const followsWords = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = plainName(name)
  if (name === "git") return args.some((word) => word === "apply" || word === "am")
  return FOLLOWS.has(plain) || SHELLS.has(plain) || (isInterpreter(name) && !SHOWS.has(plain))
}

const JS = ["js", "mjs", "cjs", "json", "ts"]

/** What else the first word may stand for: a package, a name without its ending. */
export const standsFor = (name: string, word: string): ReadonlyArray<string> => {
  const language = languageOfProgram(name)
  if (language === "py") return [`${word}/__main__.py`]
  if (language !== "js") return []
  return [
    ...JS.map((ending) => `${word}.${ending}`),
    ...JS.map((ending) => `${word}/index.${ending}`),
    `${word}/package.json`
  ]
}

/** Files fed in by `<`: what a shell or an interpreter reads so, it runs. */
export const fedFiles = (name: string, fed: ReadonlyArray<string>): ReadonlyArray<Named> => {
  const plain = plainName(name)
  const language = SHELLS.has(plain) ? "sh" : languageOfProgram(plain)
  return fed.map((file) => ({ file, language: language ?? languageOfName(file) }))
}

const ABOUT = /^--(?:version|help)$/
const INLINE = /^(?:-[A-Za-z]*[ceErp]|--eval|--print|--command|--execute|eval)$/

/** It runs what it reads, and no word, option or redirect says what that is. */
export const readsUnnamed = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = plainName(name)
  // As other runners of tests it finds them by their names.
  if (plain === "node" && args[0] === "--test") return false
  const runs =
    SHELLS.has(plain) || (isInterpreter(plain) && !SHOWS.has(plain)) || exactOnly(plain)?.startsWith("it runs programs")
  if (runs !== true || SETTLED.has(plain) || onlyShows(name, args) || (args.length === 1 && ABOUT.test(args[0]!)))
    return false
  return !args.some((word, at) => INLINE.test(word) && args[at + 1] !== undefined)
}

export const SCRIPTED: ReadonlySet<string> = set("python perl ruby node deno bun tsx ts-node php lua")

/** `python -m a.b`, `python -ma.b` */
const moduleFiles = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.findIndex((word) => /^-[A-Za-z]*?m/.test(word))
  const attached = /^-[A-Za-z]*?m(.*)$/s.exec(args[at] ?? "")?.[1] ?? ""
  const name = at < 0 ? undefined : (attached === "" ? args[at + 1] : attached)?.replaceAll(".", "/")
  if (name === undefined) return []
  // `-m unittest test_a.Case`: modules that the module is given.
  const given = args.slice(at + 1).filter((word) => /^[A-Za-z_]\w*(?:\.\w+)*$/.test(word))
  const ways = given.flatMap((word) =>
    word.split(".").map((_, end) =>
      word
        .split(".")
        .slice(0, end + 1)
        .join("/")
    )
  )
  return [name, ...ways].flatMap((one) => [`${one}.py`, `${one}/__init__.py`, `${one}/__main__.py`])
}

/** `perl -Ml -I.`, `ruby -rl`: what is loaded before the script. */
const loadedFiles = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const form = name === "perl" ? /^-[mM](\w[\w:]*)/ : name === "ruby" ? /^-r(.+)/s : undefined
  if (form === undefined) return []
  const joined = args.map((word, at) => (/^-[IrmM]$/.test(word) ? `${word}${args[at + 1] ?? ""}` : word))
  const from = joined.flatMap((word) => /^(?:-I|-Mlib=)(.+)/s.exec(word)?.[1] ?? [])
  const ending = name === "perl" ? ".pm" : ".rb"
  return joined.flatMap((word) => {
    const file = form.exec(word)?.[1]?.replaceAll("::", "/")
    return file === undefined ? [] : [".", ...from].map((at) => `${at}/${file.replace(/\.rb$/, "")}${ending}`)
  })
}

/** `go run main.go` */
const goFiles = (name: string, args: ReadonlyArray<string>): ReadonlyArray<Named> =>
  name === "go" && args[0] === "run" ? args.filter((word) => word.endsWith(".go")).map((file) => ({ file })) : []

/** The scripts that its words and options name. */
export const scriptRoots = (name: string, args: ReadonlyArray<string>): ReadonlyArray<Named> => {
  const shell = SHELLS.has(name) || name === "." || name === "source"
  if (!shell && !SCRIPTED.has(name)) return goFiles(name, args)
  const language = shell ? "sh" : languageOfProgram(name)
  const behind = args.flatMap((word) => /^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? [])
  const words = args.filter((word) => !word.startsWith("-") && word !== "/dev/stdin")
  const given = shell && args.some((word) => /^-[A-Za-z]*c/.test(word))
  return [
    ...words.map((file, at) => ({ file, language: at === 0 && !given ? language : languageOfName(file) })),
    ...words.slice(0, given ? 0 : 1).flatMap((word) => standsFor(name, word).map((file) => ({ file, language }))),
    ...behind.map((file) => ({ file, language: languageOfName(file) })),
    ...loadedFiles(name, args).map((file) => ({ file, language })),
    ...(name === "python" ? moduleFiles(args).map((file) => ({ file, language })) : [])
  ]
}

const inner = (word: string): ReadonlyArray<string> =>
  /\s/.test(word) && word.length < 400 ? word.split(/[\s;"'()]+/) : []

/** Words that are files, or options whose value is one. */
export const wordFiles = (name: string, args: ReadonlyArray<string>, paths: Paths): ReadonlyArray<Named> =>
  followsWords(name, args)
    ? args
        // `.read a.sql`, `source x.gdb`: a command of the interpreter's own.
        .flatMap((word) => [word, word.replace(/^(?:--[\w-]+=|-[A-Za-z])/s, ""), ...inner(word)])
        .filter((file) => file !== "" && !file.startsWith("-") && isFile(file, paths))
        .map((file) => ({ file, language: languageOfName(file) }))
    : []
