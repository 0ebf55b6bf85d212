/**
 * What a shell script reads in and runs (SECURITY P12). Owns: the commands that stand in its text, with the directories in
 * which they may run, and the names of what it sources. Does not own: other languages (commandSources), digests
 * (commandContent). Invariant: a sourced name that is not literal makes the script unclear, unless it is the script's own
 * directory and a literal name in it.
 */
import { resolve } from "node:path"
import { type Command, forEachChild, parse, type SyntaxNode } from "unbash"
import { redirectTexts } from "./commandFed.ts"
import { readsUnnamed } from "./commandNamed.ts"
import { takesPatterns } from "./commandPackageScripts.ts"
import type { Around } from "./commandSources.ts"
import { isInterpreter, plainName, SHELLS } from "./commandTables.ts"
import { literalWord, shellWords, type ShellWord } from "./commandWords.ts"
import { unwrap } from "./commandWrappers.ts"

export interface ShellPulled {
  /** Absolute: what it sources. */
  readonly sourced: ReadonlyArray<string>
  readonly commands: ReadonlyArray<{
    /** Literal ones, the program first. */
    readonly words: ReadonlyArray<string>
    /** Its here-documents and here-strings. */
    readonly texts: ReadonlyArray<string>
  }>
  /** Where they may run. */
  readonly roots: ReadonlyArray<string>
  readonly unclear: boolean
}

const MAX_LEVELS = 400
const POSITIONAL = /^"?\$\{?[@*1-9]\}?"?$/
const MAX_ROOTS = 16
const MAX_COMMANDS = 10_000

/** The directory that the script lies in, as scripts spell it. */
const OWN_DIRECTORY =
  /^"?(?:\$\(\s*dirname(?: --)? "?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?|\{BASH_SOURCE\[0\]:-\$0\})"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\})"?(?=\/|"?$)/

const behindOwn = (text: string, directory: string): string | undefined => {
  const match = OWN_DIRECTORY.exec(text)
  if (match === null) return undefined
  const rest = text.slice(match[0].length).replace(/"/g, "")
  return /^(?:\/[\w.@+/-]*)?$/.test(rest) ? `${directory}${rest}` : undefined
}

interface Found {
  /** What comes with a here-document. */
  readonly given: WeakMap<ReadonlyArray<ShellWord>, ReadonlyArray<string>>
  /** Functions that run the words that they are given. */
  readonly runners: Set<string>
  changes: boolean
  readonly commands: Array<ReadonlyArray<ShellWord>>
  readonly moves: Array<ShellWord | undefined>
}

const INTERPRETERS: ReadonlySet<string> = new Set(["python", "perl", "ruby", "node", "deno", "php", "lua", "tsx"])

const runsFile = (name: string): boolean => SHELLS.has(plainName(name)) || INTERPRETERS.has(plainName(name))

/** What they hold decides which program a name means, or what it reads first. */
const CHANGES =
  /^(?:PATH|BASH_ENV|ENV|CDPATH|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PYTHONUSERBASE|PERL5DB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|NODE_PATH|PERL5LIB|PERL5OPT|RUBYLIB|RUBYOPT|LUA_PATH|LD_PRELOAD|LD_LIBRARY_PATH)$/

/** Their values may name what is loaded before anything else. */
const LOADS = /^(?:NODE_OPTIONS|BUN_OPTIONS|DENO_OPTIONS)$/
const LOADING =
  /(?:^|[\s"'])(?:-r|--(?:require|import|loader|experimental-loader|env-file|conditions|test-reporter)|-C)/
const GIVES = new Set(["env", "cross-env", "cross-env-shell", "export", "declare", "typeset", "dotenv"])

/** Whether what this sets decides what runs. */
const sets = (name: string, value: string): boolean =>
  CHANGES.test(name) || (LOADS.test(name) && (LOADING.test(value) || /[$`]/.test(value)))

/** `cross-env NODE_OPTIONS=…`, `env PYTHONPATH=…` */
const givesOn = (words: ReadonlyArray<ShellWord>): boolean =>
  GIVES.has(words[0]?.value ?? "") &&
  words.some(({ value }) => {
    const at = value.indexOf("=")
    return at > 0 && sets(value.slice(0, at), value.slice(at + 1))
  })

/** Names behind `<`, for programs that run what they read. */
const inputs = ({ name, redirects }: Command): ReadonlyArray<ShellWord> =>
  runsFile(name?.value.split("/").at(-1) ?? "") || isInterpreter(name?.value ?? "")
    ? redirects.flatMap((one) =>
        one.type === "Redirect" && one.operator === "<" && one.target !== undefined ? shellWords(one.target, "~") : []
      )
    : []

const wordsOf = (node: Command, directory: string): ReadonlyArray<ShellWord> => {
  const all = [...(node.name === undefined ? [] : [node.name]), ...node.args.filter((arg) => arg.type === "Word")]
  return all.flatMap((word) => {
    const own = behindOwn(word.text, directory)
    return own === undefined ? shellWords(word, "~") : [literalWord(own)]
  })
}

/** The command, and what it starts as far as that can be read. */
const take = (words: ReadonlyArray<ShellWord>, directory: string, found: Found, level: number): void => {
  if (level > MAX_LEVELS || found.commands.length > MAX_COMMANDS) throw new Error("too much")
  found.commands.push(words)
  const name = words[0]!.value.split("/").at(-1) ?? ""
  if (found.runners.has(name) && isLiteral(words[1])) take(words.slice(1), directory, found, level + 1)
  const started = unwrap(name, [name], words)
  for (const inner of started?.commands ?? []) take(inner, directory, found, level + 1)
  for (const { value, why } of started?.scripts ?? [])
    if (why.length === 0) collect(parse(value), directory, found, level + 1)
}

const collect = (node: SyntaxNode, directory: string, found: Found, level: number): void => {
  if (level > MAX_LEVELS) throw new Error("too deep")
  if (node.type === "Script" && (node.errors?.length ?? 0) > 0) throw new Error("not understood")
  if (node.type === "Command") {
    const words = [...wordsOf(node, directory), ...inputs(node)]
    const texts = redirectTexts(node.redirects)
    if (texts.length > 0) found.given.set(words, texts)
    // Shells other than bash know aliases in scripts, too.
    for (const part of node.name?.value === "alias" ? node.args : [])
      if (part.type === "Assignment" && part.value.type === "Word")
        collect(parse(part.value.value), directory, found, level + 1)
    const assigned = [...node.prefix, ...node.args].some(
      (part) =>
        part.type === "Assignment" && sets(part.name, part.value.type === "Word" ? part.value.value : "--require")
    )
    if (assigned || givesOn(words)) found.changes = true
    const [first, second] = words
    if (first?.value === "cd" || first?.value === "pushd") found.moves.push(second)
    else if (words.length > 0) take(words, directory, found, level)
  }
  forEachChild(node, (child) => collect(child, directory, found, level + 1))
}

/** They only show or look at the words that they are given. */
const SAYS: ReadonlySet<string> = new Set(["echo", "printf", "test", "[", "local", "shift", "return", "exit"])

/** `run() { "$@"; }` */
const runnersIn = (node: SyntaxNode, level = 0): ReadonlyArray<string> => {
  if (level > MAX_LEVELS) return []
  const inner: Array<string> = []
  forEachChild(node, (child) => void inner.push(...runnersIn(child, level + 1)))
  return node.type === "Function" && startsPositional(node.body, level) ? [node.name.value, ...inner] : inner
}

const startsPositional = (node: SyntaxNode, level: number): boolean => {
  if (level > MAX_LEVELS) return true
  const words = node.type === "Command" && !SAYS.has(node.name?.value ?? "") ? [node.name, ...node.args] : []
  let found = words.some((word) => word !== undefined && POSITIONAL.test(word.text))
  forEachChild(node, (child) => void (found ||= startsPositional(child, level + 1)))
  return found
}

const isLiteral = (word: ShellWord | undefined): boolean => word !== undefined && word.why.length === 0 && !word.glob

/** `run-s lint:*`: a pattern of names of scripts, unless files are called so. */
const isNamed = (word: ShellWord, program: ShellWord | undefined): boolean =>
  isLiteral(word) || (word.why.length === 0 && takesPatterns(program?.value ?? ""))

/** Every directory in which a command of the script may run; undefined: nobody can say. */
const rootsOf = (moves: ReadonlyArray<ShellWord | undefined>, around: Around): ReadonlyArray<string> | undefined => {
  const roots = new Set(around.roots)
  for (const move of moves) {
    if (move === undefined || !isLiteral(move)) return undefined
    const before = Array.from(roots)
    for (const root of before) {
      roots.add(resolve(root, move.value))
      if (roots.size > MAX_ROOTS) return undefined
    }
  }
  return [...roots]
}

/** Whether it is sourced or run from a file that no literal word names. */
const isUnclear = ([program, ...args]: ReadonlyArray<ShellWord>, moved: boolean, given: boolean): boolean => {
  // What `$@` and `$1` are stands in the call itself.
  if (!isLiteral(program)) return !POSITIONAL.test(program?.value ?? "")
  const name = program?.value.split("/").at(-1) ?? ""
  const first = args.find((word) => !word.value.startsWith("-") || word.why.length > 0)
  if (name === "." || name === "source") return !isLiteral(first) || (moved && first?.value.startsWith("/") !== true)
  if (name === "run-parts" || args.some((word) => word.value === "{}" && runsFile(name))) return true
  if (name === "eval") return !args.every(isLiteral)
  if (!runsFile(name)) return false
  if (first === undefined)
    return (
      !given &&
      readsUnnamed(
        name,
        args.map(({ value }) => value)
      )
    )
  return !isLiteral(first) && !POSITIONAL.test(first.value)
}

const NOTHING: ShellPulled = { sourced: [], commands: [], roots: [], unclear: true }

export const shellPulled = (text: string, around: Around): ShellPulled => {
  const found: Found = { commands: [], moves: [], given: new WeakMap(), runners: new Set(), changes: false }
  try {
    const script = parse(text)
    for (const name of runnersIn(script)) found.runners.add(name)
    collect(script, around.directory, found, 0)
  } catch {
    return NOTHING
  }
  const roots = rootsOf(found.moves, around)
  const here = roots ?? around.roots
  const sources = found.commands.filter(([first]) => first?.value === "." || first?.value === "source")
  return {
    sourced: sources.flatMap(([, name]) => (name === undefined ? [] : here.map((root) => resolve(root, name.value)))),
    commands: found.commands.map((words) => ({
      words: words.filter((word) => isNamed(word, words[0])).map(({ value }) => value),
      texts: found.given.get(words) ?? []
    })),
    roots: here,
    unclear:
      found.changes || found.commands.some((words) => isUnclear(words, roots === undefined, found.given.has(words)))
  }
}
