/**
 * Does a matcher cover a call? Owns: comparison of argv prefixes, globs and digests. Pure.
 * Invariant: an allowing match needs a plain command and compares whole words and whole path segments; a denying match
 * looks through path forms, leading options and order of flags.
 */
import { createHash } from "node:crypto"
import picomatch from "picomatch"
import type { RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import * as Canonical from "../domain/Canonical.ts"
import { isPlain } from "../domain/Looks.ts"
import type { Consequence } from "../domain/Matcher.ts"

/** As the registry makes it: SHA-256 of tool name and canonical arguments. */
export const digestOf = (tool: string, args: unknown): string =>
  createHash("sha256")
    .update(`${tool}\n${Canonical.stringify(args)}`)
    .digest("hex")

const globs = new Map<string, (path: string) => boolean>()

const compiled = (glob: string): ((path: string) => boolean) => {
  const known = globs.get(glob)
  if (known !== undefined) return known
  if (globs.size > 1_000) globs.clear()
  const made = picomatch(glob, { dot: true, windows: false, strictSlashes: true, noextglob: true, nonegate: true })
  globs.set(glob, made)
  return made
}

/** Relative to the workspace with `/`; undefined: not inside it. */
export const relativeTo = (workspace: string, path: string): string | undefined => {
  if (path === workspace) return "."
  const root = workspace.endsWith("/") ? workspace : `${workspace}/`
  return path.startsWith(root) ? path.slice(root.length) : undefined
}

/** None of the words that a rule or a grant names is a pattern in the command. */
const areLiteral = (count: number, { patterns }: SimpleCommand): boolean =>
  patterns?.every((at) => at >= count) !== false

const startsWith = (argv: ReadonlyArray<string>, prefix: ReadonlyArray<string>): boolean =>
  prefix.every((word, at) => argv[at] === word)

/** Every path of the call is inside the workspace and under the glob. */
export const pathsCovered = (glob: string, paths: ReadonlyArray<string>, workspace: string): boolean =>
  paths.length > 0 &&
  paths.every((path) => {
    const relative = relativeTo(workspace, path)
    return relative !== undefined && compiled(glob)(relative)
  })

/** No file is called so. */
const ANYTHING = "\u0001"

const WILD = /[*?[\]{}()!+@\\]/

/** A glob that is a plain name, and where it is a directory what lies below it. */
const isNamedBy = (glob: string, path: string): boolean => {
  const name = glob.replace(/^\.\//, "")
  return !WILD.test(glob) && (path === name || path.startsWith(`${name}/`))
}

/** One path is under the glob: enough to deny or to ask. An absolute glob judges absolute paths. */
export const pathTouched = (glob: string, paths: ReadonlyArray<string>, workspace: string): boolean =>
  paths.some((path) => {
    const relative = relativeTo(workspace, path)
    // Whoever names a directory reaches what lies in it.
    return [path, ...(relative === undefined || relative === "." ? [] : [relative])].some(
      (one) => compiled(glob)(one) || compiled(glob)(`${one}/${ANYTHING}`) || isNamedBy(glob, one)
    )
  })

/** Paths of file tools, and those that the words of a command name. */
export const pathsOf = (assessment: RiskAssessment): ReadonlyArray<string> => [
  ...assessment.paths,
  ...(assessment.command?.commands.flatMap(({ paths, within }) => [
    ...paths,
    ...(within?.commands.flatMap((one) => one.paths) ?? [])
  ]) ?? [])
]

/** A user's rule allows this command: plain, whole words; a program that runs others only word for word (P5). */
export const ruleCovers = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean =>
  isPlain(command) &&
  startsWith(command.argv, argv) &&
  areLiteral(argv.length, command) &&
  (command.exactOnly === undefined || (command.argv.length === argv.length && command.fed !== true))

/** Why a grant of its first words covers it never, though this very call can be granted. */
export const noPrefix = ({ destroys, exactOnly }: SimpleCommand): string | undefined => exactOnly ?? destroys

/** A prefix grant covers this command; for some programs it never does, however it came into the file (P5). */
export const grantCovers = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean =>
  isPlain(command) &&
  noPrefix(command) === undefined &&
  startsWith(command.argv, argv) &&
  areLiteral(argv.length, command)

/** Options in front of a subcommand that take a value of their own. */
const VALUES: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set([
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env"
  ]),
  npm: new Set(["--prefix", "-C", "--registry"]),
  docker: new Set(["-H", "--host", "--context", "--config", "-l"])
}

/** Two spellings of one option, as far as programs agree on them. */
const SAME: Readonly<Record<string, string>> = {
  "-f": "--force",
  "-r": "--recursive",
  "-R": "--recursive",
  "-g": "--global"
}
const spelled = (flag: string): string => SAME[flag] ?? flag

/** `-rf` is `-r` and `-f`; `--name=value` is `--name`. */
const flagsOf = (word: string): ReadonlyArray<string> =>
  (word.startsWith("--") ? [word.split("=")[0]!] : Array.from(word.slice(1), (letter) => `-${letter}`)).map(spelled)

const isOption = (word: string): boolean => /^-./.test(word)
const allFlags = (words: ReadonlyArray<string>): ReadonlyArray<string> => words.filter(isOption).flatMap(flagsOf)

/** An abbreviation of a long option is that option: at least three letters of it. */
const hasFlag = (given: ReadonlyArray<string>, flag: string): boolean =>
  given.some((one) => one === flag || (one.length > 4 && flag.startsWith(one)))

/** The plain words begin with these, with options between; where nobody knows whether one takes a value, it may. */
const beginsWith = (name: string, args: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean => {
  const valued = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined
  /** How many of `wanted` have been found on any way to this word. */
  const reached: Array<Set<number>> = [new Set([0])]
  for (const [at, word] of args.entries()) {
    const here = reached[at] ?? new Set<number>()
    if (here.has(wanted.length)) return true
    const next = (reached[at + 1] ??= new Set())
    const behind = (reached[at + 2] ??= new Set())
    for (const found of here) {
      if (!isOption(word) && word === wanted[found]) next.add(found + 1)
      if (isOption(word) && valued?.has(word) !== true) next.add(found)
      // `--tag x`: the next word may be its value.
      if (isOption(word) && !word.includes("=")) behind.add(found)
    }
  }
  return reached[args.length]?.has(wanted.length) === true
}

/** A deny or ask rule meets this command: by any name of its program, wherever its options stand. */
export const ruleMeets = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean => {
  const [program = "", ...rest] = argv
  if (!command.names.includes(program) && command.argv[0] !== program) return false
  const own = /(?:^|\/)git-([a-z][a-z0-9-]*)$/.exec(command.argv[0] ?? "")?.[1]
  const args = [...(own === undefined || program !== "git" ? [] : [own]), ...command.argv.slice(1)]
  if (meetsArgs(program, rest, args)) return true
  const others = program === "git" && Object.hasOwn(ALSO, rest[0] ?? "") ? ALSO[rest[0]!]! : []
  return others.some((other) => meetsArgs(program, [...other, ...rest.slice(1)], args))
}

/** Other commands of git that do the same. */
const ALSO: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  push: [["send-pack"], ["http-push"], ["subtree", "push"], ["lfs", "push"]],
  fetch: [["fetch-pack"], ["http-fetch"], ["remote", "update"]]
}

const meetsArgs = (program: string, rest: ReadonlyArray<string>, args: ReadonlyArray<string>): boolean => {
  if (rest.length === 0 || startsWith(args, rest)) return true
  const wanted = rest.filter((word, at) => !isOption(word) && VALUES[program]?.has(rest[at - 1] ?? "") !== true)
  const given = allFlags(args)
  return allFlags(rest).every((flag) => hasFlag(given, flag)) && beginsWith(program, args, wanted)
}

/** One command of a line does this, as far as is known. */
export const hasEffect = (effect: Consequence, { deletes, network, readOnly }: SimpleCommand): boolean => {
  if (effect === "deletes") return deletes !== undefined
  return effect === "network" ? network === true : !readOnly
}

const BARE = /^[\w@%+=:,./-]+$/

/** A command's words as one text: what a person would have typed. */
export const canonicalText = (argv: ReadonlyArray<string>): string =>
  argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ")
