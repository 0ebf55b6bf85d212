/**
 * Words that `npm test -- …` and its kin hand to a script of the manifest (SECURITY P8). Owns: which words those are, which
 * program gets them, and which of them ask. Does not own: what is known of that program (commandOptions, commandAllowed).
 * Reads the manifest. Invariant: of a program that is not known, only words without a dash and a few that mean the same to
 * all pass; one that would run such a word itself is handed none.
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Allowed, allowedFor, refusedBy } from "./commandAllowed.ts"
import { isKnown } from "./commandKnown.ts"
import { isLevelled } from "./commandLevels.ts"
import { riskyWords } from "./commandOptions.ts"
import type { Paths } from "./commandPaths.ts"
import { exactOnly, OPTIONS } from "./commandTables.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const RUNNERS = set("npm pnpm yarn")
const RUNS = set("run run-script rum urn")
/** Scripts that have a command of their own. */
const NAMED: Readonly<Record<string, string>> = {
  test: "test",
  t: "test",
  tst: "test",
  start: "start",
  stop: "stop",
  restart: "restart"
}

const MAX_MANIFEST = 1 << 20

/** A script of the workspace's manifest; undefined: there is none, or it cannot be read. */
const scriptOf = (name: string, { budget, workspace }: Paths): string | undefined => {
  const path = join(workspace, "package.json")
  try {
    budget.spend()
    if (statSync(path).size > MAX_MANIFEST) return undefined
    const { scripts } = JSON.parse(readFileSync(path, "utf8")) as {
      readonly scripts?: Readonly<Record<string, unknown>>
    }
    const text = Object.hasOwn(scripts ?? {}, name) ? scripts![name] : undefined
    return typeof text === "string" ? text : undefined
  } catch {
    return undefined
  }
}

/** The last command of a script, which gets the words; undefined: it is more than words. */
const lastOf = (script: string): ReadonlyArray<string> | undefined => {
  const last = script.split(/&&|\|\||[;|]/).at(-1)!
  if (/["'`$\\()<>{}\n#&*?[\]]/.test(last)) return undefined
  const words = last.trim().split(/\s+/)
  const from = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word) && word !== "cross-env")
  return from < 0 ? undefined : words.slice(from)
}

const ANY: Allowed = {
  short: "",
  long: set("grep testNamePattern test-name-pattern bail verbose quiet silent help version run ci coverage"),
  also: /^-[tgkvqh]$/,
  plain: [],
  asks: []
}
const NODE: Allowed = {
  ...ANY,
  long: set("test-name-pattern test-only test-concurrency test-timeout"),
  also: /^--test$/
}

/** They run the files that they are given, whatever those are; others only choose among their tests by them. */
const RUNS_NAMES = set(
  "mocha ts-mocha ava tap tape jasmine uvu lab borp bats pytest py.test nose2 unittest rspec minitest"
)
/** Where and how tests are called. */
const TESTS = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|[/._-])(?:tests?|spec|e2e)(?:[._-][\w.-]{0,255})?$/i
/** The word behind is no file. */
const TEXT =
  /^(?:-[gtk]|--(?:grep|fgrep|testNamePattern|test-name-pattern|test-skip-pattern|test-concurrency|test-timeout|timeout))$/

/** Names that a runner of tests would run though no test is called so. */
export const noTests = (words: ReadonlyArray<string>, handed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const runs = words.some((word) => word === "--test" || RUNS_NAMES.has(word.split("/").at(-1)!))
  if (!runs) return []
  return handed.filter(
    (word, at) =>
      !word.startsWith("-") &&
      !TEXT.test(handed[at - 1] ?? "") &&
      (word.split(/[/{},]/).includes("..") || !TESTS.test(word.replace(/:.*$/s, "")))
  )
}

/** Those that ask, by the program that gets them. */
const byProgram = (words: ReadonlyArray<string> | undefined, handed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [path = "", ...own] = words ?? []
  const program = path.split("/").at(-1)!
  if (words === undefined || program === "") return refusedBy(ANY, handed)
  const allowed = isLevelled(program) ? undefined : allowedFor(program)
  if (allowed !== undefined) return refusedBy(allowed, handed)
  if (program === "node" && own.includes("--test")) return refusedBy(NODE, handed)
  // A script that is named already gets the rest; without one the next word would be it.
  if (exactOnly(program) !== undefined)
    return own.some((word) => /^[\w./-]+\.\w+$/.test(word) && !word.startsWith("-")) ? refusedBy(ANY, handed) : handed
  const known = isKnown(program) && !isLevelled(program) && program !== "git"
  return known || Object.hasOwn(OPTIONS, program)
    ? riskyWords(program, handed).concat(program === "git" ? handed : [])
    : refusedBy(ANY, handed)
}

/** The script's name and the words behind it that it gets. */
const handedTo = (
  name: string,
  args: ReadonlyArray<string>
): readonly [script: string, words: ReadonlyArray<string>] | undefined => {
  const [first = "", ...rest] = args
  const isRun = RUNS.has(first)
  const at = isRun ? rest.findIndex((word) => !word.startsWith("-")) : -1
  const script = isRun ? rest[at] : Object.hasOwn(NAMED, first) ? NAMED[first] : name === "npm" ? undefined : first
  if (script === undefined || script === "" || script.startsWith("-")) return undefined
  const behind = isRun ? rest.slice(at + 1) : rest
  if (name !== "npm") return [script, behind.filter((word, index) => word !== "--" || index > 0)]
  const end = behind.indexOf("--")
  const before = (end < 0 ? behind : behind.slice(0, end)).filter((word) => !word.startsWith("-"))
  return [script, [...before, ...(end < 0 ? [] : behind.slice(end + 1))]]
}

const isScript = (name: string, first: string, text: string | undefined): boolean =>
  RUNS.has(first) || Object.hasOwn(NAMED, first) || (name !== "npm" && text !== undefined)

/** Behind a script's name too, these may be the runner's own. */
const ANYWHERE: Readonly<Record<string, RegExp>> = {
  pnpm: /^(?:-[CFrwg]|--(?:recursive|filter|dir|prefix|workspace-root|script-shell|shell-|registry|config|global|node-options))/,
  yarn: /^--(?:cwd|script-shell|use-yarnrc|prefix|node-options|registry)/
}

/** Words for a script of the manifest that ask. */
export const handedWords = (name: string, args: ReadonlyArray<string>, paths: Paths): ReadonlyArray<string> => {
  const found = RUNNERS.has(name) ? handedTo(name, args) : undefined
  if (found === undefined || found[1].length === 0) return []
  const text = scriptOf(found[0], paths)
  if (!isScript(name, args[0] ?? "", text)) return []
  const runners = Object.hasOwn(ANYWHERE, name) ? found[1].filter((word) => ANYWHERE[name]!.test(word)) : []
  const words = text === undefined ? undefined : lastOf(text)
  return [...new Set([...runners, ...byProgram(words, found[1]), ...noTests(words ?? [], found[1])])]
}

/** What the runner itself is given: a script's own words are the script's. */
export const ownWords = (name: string, args: ReadonlyArray<string>, paths: Paths): ReadonlyArray<string> => {
  if (name !== "pnpm" && name !== "yarn") return args
  const found = handedTo(name, args)
  if (found === undefined || !isScript(name, args[0] ?? "", scriptOf(found[0], paths))) return args
  const at = args.indexOf(RUNS.has(args[0] ?? "") ? found[0] : args[0]!)
  return args.slice(0, at + 1)
}
