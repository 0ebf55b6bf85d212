/**
 * The whole tree of a shell line: pipes, lists, substitutions, redirects, heredocs, wrappers, nested scripts. Owns: the
 * walk and its collection. Does not own: what a command's words mean (commandProgram).
 * Invariant: every node is visited; a construct without a rule of its own makes the line ask.
 */
import { type Command, type For, forEachChild, parse, type Pipeline, type Redirection, type SyntaxNode } from "unbash"
import type { SimpleCommand } from "../domain/Approval.ts"
import { Exhausted } from "./commandBudget.ts"
import { codeOf, codeWords } from "./commandCode.ts"
import type { Fed } from "./commandRuns.ts"
import { callsItself, DOUBTS } from "./commandDoubts.ts"
import { handOn } from "./commandFound.ts"
import {
  asGiven,
  asRun,
  fedBy,
  feedFrom,
  handedIn,
  isFed,
  isGivenCode,
  isPrinted,
  ownTexts,
  printedTexts,
  readsScript,
  startFiles
} from "./commandFed.ts"
import { evaluatedIn, type Held, holdFrom, withHeld } from "./commandHeld.ts"
import { type Facts, judgeProgram, type Surroundings } from "./commandProgram.ts"
import { bare, judgeRedirect } from "./commandRedirects.ts"
import { commandSpans, hasResidue, type Span } from "./commandResidue.ts"
import { makeSeen, type Seen } from "./commandSeen.ts"
import { isGivenNames, makeUnknown, noteAssigned, noteRedirect, noteWords, type Unknown } from "./commandUnknown.ts"
import { commandIn, runsValue } from "./commandVariables.ts"
import { SHELLS } from "./commandTables.ts"
import { literalWord, shellWords, type ShellWord } from "./commandWords.ts"
import { unwrap, type Wrapper } from "./commandWrappers.ts"

/** Nested scripts and wrappers; deeper ones are refused, since a deny rule could hide below. */
const MAX_DEPTH = 16
/** Levels of the syntax tree: the parser's own guard does not count what is parsed on demand. */
const MAX_LEVELS = 400

export interface Collected {
  readonly commands: Array<SimpleCommand>
  readonly writes: Set<string>
  readonly overwrites: Set<string>
  readonly reads: Set<string>
  readonly doubts: Set<string>
  /** What a rule on paths cannot know. */
  readonly unknown: Unknown
  readonly held: Held
  refused: string | undefined
}

const ELSEWHERE: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl", "kubectl", "oc"])
const NOT_LITERAL = "runs a script that is not literal"
const TOO_DEEP = "is nested too deeply to be judged"

interface Walk extends Collected {
  readonly around: Surroundings
  readonly facts: Map<string, Facts>
  readonly seen: Seen
  readonly produced: Map<string, ReadonlyArray<SimpleCommand>>
  /** Of the command that is walked: what came of it before, and does again. */
  again: Array<SimpleCommand>
  level: number
  /** The script being walked, and what of it is accounted for. */
  source: string
  spans: Array<Span>
}

export const collect = (source: string, around: Surroundings): Collected => {
  const walk: Walk = {
    around,
    facts: new Map(),
    seen: makeSeen(),
    produced: new Map(),
    again: [],
    held: new Map([["PWD", [around.paths.workspace]]]),
    unknown: makeUnknown(),
    level: 0,
    source,
    spans: [],
    commands: [],
    writes: new Set(),
    overwrites: new Set(),
    reads: new Set(),
    doubts: new Set(),
    refused: undefined
  }
  try {
    script(walk, source, [], 0)
  } catch (error) {
    // The parser gave up on text that was made to break it: what it did not reach may be anything.
    refuse(walk, error instanceof Exhausted ? error.message : "cannot be taken apart")
  }
  return walk
}

const refuse = (walk: Walk, why: string) => {
  walk.refused ??= why
}

const script = (walk: Walk, source: string, started: ReadonlyArray<string>, depth: number): void => {
  if (depth > MAX_DEPTH) return refuse(walk, TOO_DEEP)
  const outer = { source: walk.source, spans: walk.spans }
  Object.assign(walk, { source, spans: [] })
  visit(walk, parse(source), source, started, depth)
  if (walk.doubts.size === 0 && hasResidue(source, walk.spans)) walk.doubts.add("has something that is not understood")
  Object.assign(walk, outer)
}

const visit = (walk: Walk, node: SyntaxNode, source: string, started: ReadonlyArray<string>, depth: number): void => {
  if (walk.level > MAX_LEVELS) return refuse(walk, TOO_DEEP)
  const text = node.type === "Script" ? (node.source ?? source) : source
  if (node.type === "Script" && (node.errors?.length ?? 0) > 0)
    walk.doubts.add(`cannot be read: ${node.errors![0]!.message}`)
  const doubt = Object.hasOwn(DOUBTS, node.type) ? DOUBTS[node.type] : undefined
  if (doubt !== undefined) walk.doubts.add(doubt)
  if (node.type === "Function" && callsItself(node)) refuse(walk, "starts itself without end")
  if (node.type === "For") hold(walk, node)
  for (const one of evaluatedIn(node, text)) script(walk, one, ["is evaluated once more"], depth + 1)
  if (node.type === "Pipeline" && node.commands.length === 0) walk.doubts.add("negates nothing")
  const from = walk.commands.length
  if (node.type === "Command") simple(walk, node, text, started, depth)
  if (node.type === "Redirected")
    for (const one of node.redirects) for (const why of redirect(walk, one, text)) walk.doubts.add(why)
  walk.level += 1
  if (node.type === "Pipeline") pipeline(walk, node, text, started, depth)
  else forEachChild(node, (child) => visit(walk, child, text, started, depth))
  walk.level -= 1
  if (node.type === "Command" || node.type === "Redirected") feed(walk, from, () => ownTexts(node), depth)
}

const hold = ({ around, held, unknown }: Walk, node: Command | For): void => {
  holdFrom(node, held, around.paths.home)
  noteAssigned(unknown, node, around.paths.home)
}

/** Why its command is not plain; the rest goes to the line. */
const redirect = (walk: Walk, node: Redirection, source: string): ReadonlyArray<string> => {
  const found = judgeRedirect(node, source, walk.around.paths)
  noteRedirect(walk.unknown, node, walk.around.paths.home)
  if (found.refused !== undefined) refuse(walk, found.refused)
  if (found.doubt !== undefined) walk.doubts.add(found.doubt)
  if (found.reads !== undefined) walk.reads.add(found.reads)
  if (found.writes !== undefined) walk.writes.add(found.writes)
  if (found.overwrites !== undefined) walk.overwrites.add(found.overwrites)
  return found.why
}

const simple = (walk: Walk, node: Command, source: string, started: ReadonlyArray<string>, depth: number): void => {
  const { budget, home } = walk.around.paths
  if (depth === 0) {
    walk.seen.next(walk.facts.size)
    walk.again = []
  }
  const several = (found: ReadonlyArray<ShellWord>) => {
    if (found.length > 1) budget.spend(found.length)
    return found
  }
  const suffix = node.args.flatMap((arg) =>
    arg.type === "Word"
      ? several(shellWords(arg, home))
      : [{ value: arg.text, why: ["assigns a variable"], glob: false, splits: false }]
  )
  const words = [...(node.name === undefined ? [] : shellWords(node.name, home)), ...suffix]
  const assigns = node.prefix.flatMap((part) => (part.type === "Assignment" ? [`sets ${part.name}`] : []))
  const redirects = node.redirects.flatMap((one) => redirect(walk, one, source))
  const text = source.slice(node.pos, node.end)
  if (source === walk.source) walk.spans.push(...commandSpans(node))
  command(walk, words, text, [...started, ...assigns, ...redirects], depth, fedBy(node.redirects, home))
  for (const more of handedIn(words, node.redirects))
    command(walk, more, text, ["takes words from its input"], depth + 1)
  for (const filled of withHeld(words, walk.held)) command(walk, filled, text, ["has what a variable holds"], depth + 1)
  hold(walk, node)
  assigned(walk, node, depth + 1)
}

/** `PAGER='rm x' git log`, `alias r='rm x'`: what the value runs. */
const assigned = (walk: Walk, node: Command, depth: number): void => {
  for (const part of [...node.prefix, ...node.args]) {
    if (part.type !== "Assignment" || part.value.type !== "Word") continue
    if (!runsValue(part.name) && node.name?.value !== "alias") continue
    const [word] = shellWords(part.value, walk.around.paths.home)
    if (word !== undefined) script(walk, commandIn(part.name, word.value), [`is what ${part.name} runs`], depth)
  }
}

/** A shell that was found since `from` runs these texts, another interpreter evaluates them. */
const feed = (walk: Walk, from: number, texts: () => ReadonlyArray<string>, depth: number): void => {
  if (walk.refused !== undefined) return
  const found = [...walk.commands.slice(from), ...walk.again]
  // Of what was there before the text goes to what starts it now.
  const given = found.findIndex(isGivenCode)
  const at = from + given < walk.commands.length ? given : 0
  const code =
    given < 0 || found.length === walk.again.length
      ? undefined
      : codeOf([...(found[at]!.code?.texts ?? []), ...texts()], walk.around.paths)
  if (code !== undefined) walk.commands[from + at] = { ...found[at]!, code }
  if (!found.some(isFed)) return
  for (const text of asRun(texts())) {
    once(walk, `fed ${text}`, () => script(walk, text, ["is fed to a shell"], depth + 1))
  }
}

const pipeline = (walk: Walk, node: Pipeline, source: string, started: ReadonlyArray<string>, depth: number): void => {
  for (const prefix of node.prefixes) visit(walk, prefix, source, started, depth)
  const starts: Array<number> = []
  for (const [at, stage] of node.commands.entries()) {
    const from = walk.commands.length
    starts.push(from)
    visit(walk, stage, source, started, depth)
    if (at > 0) feedFrom(walk.commands, from)
    if (at > 0) handOn(walk.commands, [starts[at - 1]!, from], [node, at], walk.around.paths)
    if (at > 0 && walk.commands.slice(from).some(isGivenNames)) walk.unknown.word ??= "xargs"
    if (at > 0 && !isPrinted(node.commands[at - 1]!)) unread(walk, from)
    if (at > 0) feed(walk, from, () => node.commands.slice(0, at).flatMap(printedTexts), depth)
  }
}

/** `curl h | sh`: what such a shell runs stands nowhere. */
const unread = ({ commands, doubts }: Walk, from: number): void => {
  const shell = commands.slice(from).find(readsScript)
  if (shell !== undefined) doubts.add(`${shell.names[0]} ${NOT_LITERAL}`)
}

/** The same words have the same facts: a long line of like parts is looked up once. */
const factsOf = (walk: Walk, words: ReadonlyArray<ShellWord>, fed: Fed | undefined): Facts => {
  const key = JSON.stringify([words, fed])
  const known = walk.facts.get(key)
  if (known !== undefined) return known
  walk.around.paths.budget.spend(1 + (words.length >> 8))
  const facts = judgeProgram(words, walk.around, fed)
  walk.facts.set(key, facts)
  return facts
}

const command = (
  walk: Walk,
  words: ReadonlyArray<ShellWord>,
  text: string,
  why: ReadonlyArray<string>,
  depth: number,
  fed?: Fed
): void => {
  if (words.length === 0) {
    if (why.length > 0) walk.commands.push(bare(text, why))
    return
  }
  const { name, refused, ...facts } = factsOf(walk, words, fed)
  noteWords(walk.unknown, name, words.slice(1), walk.held, walk.around.paths)
  if (refused !== undefined) refuse(walk, refused)
  const wrapper = unwrap(name, facts.names, words)
  const shown = words[0]!.why.length > 0 ? name : (words[0]!.value.split("/").at(-1) ?? name)
  const starts = wrapper === undefined || !isStarting(wrapper) ? [] : [`${shown} starts another program`]
  const notPlain = [...new Set([...why, ...facts.notPlain, ...starts])]
  const code = codeOf(codeWords(facts.names, words), walk.around.paths)
  const argv = words.map((word) => word.value)
  // What a shell there would read lies in a container or on another machine.
  const elsewhere =
    why.some((one) => one.startsWith("is started by")) && walk.commands.some((one) => ELSEWHERE.has(one.argv[0] ?? ""))
  const unsettled = elsewhere ? facts.unsettled.filter((one) => !one.startsWith("nobody can tell")) : facts.unsettled
  const given = { ...asGiven(words, fed), ...(code === undefined ? {} : { code }) }
  walk.commands.push({ ...facts, unsettled, notPlain, argv, text, ...given })
  if (wrapper !== undefined) open(walk, wrapper, name, depth + 1)
  for (const file of SHELLS.has(name) ? startFiles(argv) : [])
    command(walk, [literalWord("."), literalWord(file)], text, [`is started by ${name}`], depth + 1)
}

const isStarting = (wrapper: Wrapper): boolean =>
  wrapper.always || wrapper.commands.length > 0 || wrapper.scripts.length > 0

const open = (walk: Walk, wrapper: Wrapper, name: string, depth: number): void => {
  // What is refused needs no further reading, and nested launchers have very many.
  if (walk.refused !== undefined) return
  if (depth > MAX_DEPTH) return refuse(walk, TOO_DEEP)
  const why = [`is started by ${name}`]
  const { budget } = walk.around.paths
  for (const words of wrapper.commands) {
    if (walk.refused !== undefined) return
    budget.spend(1 + (words.length >> 8))
    // Launchers within launchers have many readings, and most of them are the same words again.
    const text = words.map((word) => word.value).join(" ")
    once(walk, JSON.stringify(words), () => command(walk, words, text, why, depth))
  }
  for (const text of wrapper.scripts) {
    if (text.why.length > 0) walk.doubts.add(`${name} ${NOT_LITERAL}`)
    once(walk, `${name} ${text.value}`, () => script(walk, text.value, why, depth))
  }
}

/** What stands there already is not taken apart again; what came of it then comes of it now. */
const once = (walk: Walk, key: string, take: () => void): void => {
  if (walk.seen.has(key)) return void walk.again.push(...(walk.produced.get(key) ?? []))
  const from = walk.commands.length
  take()
  walk.produced.set(key, walk.commands.slice(from))
}
