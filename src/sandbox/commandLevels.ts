/**
 * Programs whose first words are commands of their own (SECURITY P5, P8). Owns: whether a grant of first words may cover
 * one of those: those that only look, and those that do what a digested manifest says. Does not own: the rows
 * (commandLevelRows), git's (commandGit), their options (commandAllowed).
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Paths } from "./commandPaths.ts"
import type { Level } from "./commandLevel.ts"
import { LEVELS } from "./commandLevelRows.ts"
import { plainName } from "./commandTables.ts"

const rowOf = (name: string): Level | undefined => LEVELS.find(({ programs }) => programs.has(plainName(name)))

export const isLevelled = (name: string): boolean => rowOf(name) !== undefined

/** A look at itself, whatever comes before. */
const ABOUT = /^(?:-v|-V|-h|--version|--help)$/

/** To the installers the word behind is a value. */
const VALUED = /^--(?:omit|include|loglevel|depth|audit-level|reporter|network-timeout)$/

const MAX_MANIFEST = 1 << 20

/** Whether the workspace's manifest has a script of this name. */
const hasScript = (name: string, { budget, workspace }: Paths): boolean => {
  const path = join(workspace, "package.json")
  try {
    budget.spend()
    if (statSync(path).size > MAX_MANIFEST) return false
    const { scripts } = JSON.parse(readFileSync(path, "utf8")) as { readonly scripts?: unknown }
    return typeof scripts === "object" && scripts !== null && Object.hasOwn(scripts, name)
  } catch {
    return false
  }
}

/** `yarn run vite` starts a program of the packages where there is no such script. */
const isProgram = (name: string, { budget, workspace }: Paths): boolean => {
  budget.spend()
  const there = (path: string) => statSync(join(workspace, path), { throwIfNoEntry: false }) !== undefined
  return there(`node_modules/.bin/${name}`) || there(".pnp.cjs") || there(".pnp.js")
}

const scripted = (level: Level, args: ReadonlyArray<string>, paths: Paths): boolean => {
  const [first = "", second] = args
  if (level.own === undefined) return true
  if (first !== "run") return true
  return second === undefined || second.startsWith("-") || hasScript(second, paths) || !isProgram(second, paths)
}

/** The words that name its command. */
const commandOf = ({ deep }: Level, [first = "", second = ""]: ReadonlyArray<string>): string =>
  deep?.has(first) === true && !second.startsWith("-") ? `${first} ${second}` : first

export interface Levelled {
  /** Why its first words are never granted; undefined: they may be. */
  readonly exactOnly?: string
  readonly prefix: ReadonlyArray<string>
}

const whyExactly = (name: string, level: Level, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const [first, ...rest] = args
  if (first === undefined || args.every((word) => ABOUT.test(word))) return undefined
  if (first.startsWith("-")) return `${name} has options before its command`
  const { follows, installs, looks, more = {}, own } = level
  const command = commandOf(level, args)
  const does = `${name} ${command} does more than look`
  if (
    installs?.has(first) === true &&
    rest.some((word, at) => !word.startsWith("-") && !VALUED.test(rest[at - 1] ?? ""))
  )
    return `${name} ${first} runs what the package brings along`
  const known = looks.has(command) || follows?.has(command) === true || follows?.has(first) === true
  if (!known) return own?.has(first) === false && hasScript(first, paths) ? undefined : does
  if (!scripted(level, args, paths)) return `${name} ${command} is no script of the manifest`
  const further = Object.hasOwn(more, first) ? more[first] : more["*"]
  return further !== undefined && rest.some((word) => further.test(word)) ? does : undefined
}

/** What a grant may hold of a command of such a program; undefined: it is none. */
export const levelOf = (name: string, args: ReadonlyArray<string>, paths: Paths): Levelled | undefined => {
  const level = rowOf(name)
  if (level === undefined) return undefined
  const [first = "", second = ""] = args
  const exactOnly = whyExactly(name, level, args, paths)
  const deep = level.deep?.has(first) === true
  const named = first !== "" && !first.startsWith("-") && !(deep && (second === "" || second.startsWith("-")))
  const prefix = named ? (deep ? [first, second] : [first]) : []
  return { prefix, ...(exactOnly === undefined ? {} : { exactOnly }) }
}
