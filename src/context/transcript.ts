/**
 * A piece of conversation as one text for whoever summarises it, and what can be told of it without a model. Pure.
 * Invariant: the text is no longer than its room, whatever results and prompts hold.
 */
import type { AnswerItem, CallState, HistoryItem } from "../domain/Session.ts"
import { shorten } from "../domain/Shorten.ts"
import * as Summary from "./Summary.ts"

interface Bounds {
  readonly text: number
  readonly args: number
  readonly result: number
}

/** From the most that is told of each thing to the least. */
const BOUNDS: ReadonlyArray<Bounds> = [
  { text: 4_000, args: 800, result: 1_200 },
  { text: 1_200, args: 240, result: 240 },
  { text: 400, args: 120, result: 0 }
]

const short = (text: string, chars: number): string => shorten(text, chars).text

const callLines = ({ tool_name, arguments: args, result }: CallState, bounds: Bounds): ReadonlyArray<string> => [
  `CALL ${tool_name} ${short(args, bounds.args)}`,
  ...(result === undefined || bounds.result === 0
    ? [`RESULT ${result?.status ?? "unknown"}`]
    : [`RESULT ${result.status}: ${short(result.result, bounds.result)}`])
]

const itemLines = (item: HistoryItem, bounds: Bounds): ReadonlyArray<string> => {
  switch (item.kind) {
    case "prompt":
      return [`PERSON: ${short(item.content, bounds.text)}`]
    case "answer":
      return [
        ...(item.content === "" ? [] : [`AGENT: ${short(item.content, bounds.text)}`]),
        ...item.calls.flatMap((call) => callLines(call, bounds))
      ]
    case "note":
      return [`NOTE: ${short(item.content, bounds.text)}`]
    case "summary":
      return []
  }
}

/** In at most `chars` characters. */
export const transcript = (items: ReadonlyArray<HistoryItem>, chars: number): string => {
  let text = ""
  for (const bounds of BOUNDS) {
    text = items.flatMap((item) => itemLines(item, bounds)).join("\n")
    if (text.length <= chars) return text
  }
  return short(text, chars)
}

/** The newest summary among items. */
export const summaryIn = (items: ReadonlyArray<HistoryItem>): Summary.Summary => {
  const found = items.findLast((item) => item.kind === "summary")
  if (found?.kind !== "summary") return Summary.none
  return Summary.parse(found.content) ?? { ...Summary.none, notes: [found.content] }
}

const answersOf = (items: ReadonlyArray<HistoryItem>) =>
  items.filter((item): item is AnswerItem => item.kind === "answer")

const fieldsOf = (args: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(args)
    return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** Files that calls changed, by their own arguments. */
export const filesIn = (items: ReadonlyArray<HistoryItem>): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  for (const { tool_name, risk, arguments: args, result } of answersOf(items).flatMap(({ calls }) => calls)) {
    const { path } = fieldsOf(args)
    if (risk === "safe" || typeof path !== "string" || result?.status !== "ok") continue
    found.delete(path)
    found.set(path, `${path} (${tool_name})`)
  }
  return Array.from(found.values())
}

/** Sentences in which people say how something is to be done. */
const RULE =
  /\b(?:always|never|must|do not|don't|only use|make sure|prefer|avoid|keep in mind|rule)\b|必须|不要|不得|禁止|始终|务必|总是|规则/i

/** Sentences that say what was settled; of the agent only what it says of all of them. */
const DECIDED =
  /\b(?:decid(?:e|ed)|decisions?|agreed|chose|chosen|going with|instead of|(?:we|i)(?:'ll| will) use)\b|决定|采用|改用|选定/i
const SETTLED = /\b(?:let's|let us|use|go with|choose|pick|switch to)\b|请用|使用/i

/** A dot within a name ends no sentence. */
const sentencesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n+|(?<=[.!?])(?<!\b(?:e\.g|i\.e|vs|cf)\.)\s+|(?<=[。！？])/i)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence.length > 3 && sentence.length <= 300)

const isRule = (sentence: string): boolean => RULE.test(sentence)

const DECISIONS = 12

const decisionsIn = (items: ReadonlyArray<HistoryItem>): ReadonlyArray<string> =>
  items
    .flatMap((item) => {
      if (item.kind === "prompt")
        return sentencesIn(item.content).filter((one) => !isRule(one) && (DECIDED.test(one) || SETTLED.test(one)))
      return item.kind === "answer" ? sentencesIn(item.content).filter((one) => DECIDED.test(one)) : []
    })
    .slice(-DECISIONS)

/** What the newest list of steps leaves to do. */
const openIn = (items: ReadonlyArray<HistoryItem>): ReadonlyArray<string> => {
  const list = answersOf(items)
    .flatMap(({ calls }) => calls)
    .findLast(({ tool_name, result }) => tool_name === "todo" && result?.status === "ok")
  const { items: steps } = fieldsOf(list?.arguments ?? "")
  if (!Array.isArray(steps)) return []
  return (steps as ReadonlyArray<{ readonly content?: unknown; readonly status?: unknown }>).flatMap(
    ({ content, status }) =>
      typeof content === "string" && (status === "pending" || status === "in_progress") ? [content] : []
  )
}

const ASKED = 12
const CALLS = 8
const MADE = "Calls made, the newest last:"

/** So that no digest is empty, and nobody begins at the beginning. */
const callsIn = (items: ReadonlyArray<HistoryItem>): ReadonlyArray<string> => {
  const calls = answersOf(items).flatMap((answer) => answer.calls)
  if (calls.length === 0) return []
  const newest = calls
    .slice(-CALLS)
    .map(({ tool_name, arguments: args }) => `${tool_name} ${args.slice(0, 80).toWellFormed()}`)
  const more = calls.length > CALLS ? `${calls.length - CALLS} others; ` : ""
  return [`${MADE} ${more}${newest.join("; ")}`]
}

/** What is replaced by its newer form each time. */
const isOld = (note: string): boolean =>
  note === OWN || [LAST, MADE, WROTE].some((beginning) => note.startsWith(beginning))

const LAST = "The agent said last"
const FOCUS = "The person asked to keep above all:"
const WROTE = "A model summed it up as:"
const OWN = "No model wrote this: claw put it together. Look again where something is missing."

/** What the person began with. */
export const goalOf = (items: ReadonlyArray<HistoryItem>): string => {
  const first = items.find((item) => item.kind === "prompt")
  return first?.kind === "prompt" ? short(first.content, 600).replace(/\s+/g, " ").trim() : ""
}

export interface Besides {
  /** What the person wants to be kept above all. */
  readonly focus: string
  /** What a model wrote that is no summary. */
  readonly said: string
}

/** Shorter than this, it says nothing. */
const WORDS = 20

/**
 * What is known without a model: what the person asked and ruled, what was settled and is left to do, what was changed
 * and said last.
 */
export const digest = (items: ReadonlyArray<HistoryItem>, { focus, said: wrote }: Besides): Summary.Summary => {
  const before = summaryIn(items)
  const prompts = items.flatMap((item) => (item.kind === "prompt" ? [item.content] : []))
  const asked = (before.goal === "" ? prompts.slice(1) : prompts)
    .slice(-ASKED)
    .map((text) => `The person asked: ${short(text, 200)}`)
  const last = answersOf(items).findLast(({ content }) => content !== "")
  const said = last === undefined ? [] : [`${LAST}: ${short(last.content, 600)}`]
  const besides = [
    ...(wrote.trim().length < WORDS ? [] : [`${WROTE} ${short(wrote, 600)}`]),
    ...(focus === "" ? [] : [`${FOCUS} ${short(focus, 300)}`]),
    OWN
  ]
  const flat = (texts: ReadonlyArray<string>) => texts.map((text) => text.replace(/\s+/g, " ").trim())
  const distinct = (texts: ReadonlyArray<string>) => Array.from(new Set(flat(texts)))
  const next = {
    ...Summary.none,
    goal: before.goal === "" ? goalOf(items) : before.goal,
    rules: prompts.flatMap(sentencesIn).filter(isRule),
    decisions: decisionsIn(items),
    open_items: flat(openIn(items)),
    notes: distinct([...before.notes.filter((note) => !isOld(note)), ...asked, ...callsIn(items), ...said, ...besides])
  }
  return Summary.merge(before, next, { files: filesIn(items) })
}
