/**
 * Does a matcher cover a call? Owns: comparison of argv prefixes, globs and digests. Pure.
 * Invariant: an allowing match needs a plain command and compares whole words and whole path segments; a denying match
 * looks through path forms, leading options and order of flags.
 */
import { createHash } from "node:crypto"
import picomatch from "picomatch"
import type { RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import * as Canonical from "../domain/Canonical.ts"

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

const startsWith = (argv: ReadonlyArray<string>, prefix: ReadonlyArray<string>): boolean =>
  prefix.every((word, at) => argv[at] === word)

/** Every path of the call is inside the workspace and under the glob. */
export const pathsCovered = (glob: string, paths: ReadonlyArray<string>, workspace: string): boolean =>
  paths.length > 0 &&
  paths.every((path) => {
    const relative = relativeTo(workspace, path)
    return relative !== undefined && compiled(glob)(relative)
  })

/** One path is under the glob: enough to deny or to ask. An absolute glob judges absolute paths. */
export const pathTouched = (glob: string, paths: ReadonlyArray<string>, workspace: string): boolean =>
  paths.some((path) => {
    const relative = relativeTo(workspace, path)
    return compiled(glob)(path) || (relative !== undefined && compiled(glob)(relative))
  })

/** Paths of file tools, and those that the words of a command name. */
export const pathsOf = (assessment: RiskAssessment): ReadonlyArray<string> => [
  ...assessment.paths,
  ...(assessment.command?.commands.flatMap((command) => command.paths) ?? [])
]

export const isPlain = (command: SimpleCommand): boolean =>
  command.notPlain.length === 0 && command.unsettled.length === 0

/** A user's rule allows this command: plain, whole words; a program that runs others only word for word (P5). */
export const ruleCovers = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean =>
  isPlain(command) &&
  startsWith(command.argv, argv) &&
  (command.exactOnly === undefined || command.argv.length === argv.length)

/** A prefix grant covers this command; for some programs it never does, however it came into the file (P5). */
export const grantCovers = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean =>
  isPlain(command) && command.exactOnly === undefined && startsWith(command.argv, argv)

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

interface Split {
  readonly words: ReadonlyArray<string>
  readonly flags: ReadonlySet<string>
}

/** `-rf` is `-r` and `-f`; `--name=value` is `--name`. */
const flagsOf = (word: string): ReadonlyArray<string> =>
  word.startsWith("--") ? [word.split("=")[0]!] : Array.from(word.slice(1), (letter) => `-${letter}`)

const split = (name: string, args: ReadonlyArray<string>): Split => {
  const words: Array<string> = []
  const flags = new Set<string>()
  const valued = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!
    if (!/^-./.test(word)) words.push(word)
    else {
      for (const flag of flagsOf(word)) flags.add(flag)
      if (valued?.has(word) === true) at += 1
    }
  }
  return { words, flags }
}

/** A deny or ask rule meets this command: by any name of its program, wherever its options stand. */
export const ruleMeets = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean => {
  const [program = "", ...rest] = argv
  if (!command.names.includes(program) && command.argv[0] !== program) return false
  if (rest.length === 0 || startsWith(command.argv.slice(1), rest)) return true
  const rule = split(program, rest)
  const call = split(program, command.argv.slice(1))
  return startsWith(call.words, rule.words) && [...rule.flags].every((flag) => call.flags.has(flag))
}

const BARE = /^[\w@%+=:,./-]+$/

/** A command's words as one text: what a person would have typed. */
export const canonicalText = (argv: ReadonlyArray<string>): string =>
  argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ")
