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

const rulesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n+|(?<=[.!?。！？])\s*/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 3 && sentence.length <= 300 && RULE.test(sentence))

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
const isOld = (note: string): boolean => note.startsWith("The agent said last") || note.startsWith(MADE)

/** What is known without a model: what the person asked and ruled, what is left to do, what was changed and said last. */
export const digest = (items: ReadonlyArray<HistoryItem>): Summary.Summary => {
  const before = summaryIn(items)
  const prompts = items.flatMap((item) => (item.kind === "prompt" ? [item.content] : []))
  const [first = "", ...more] = prompts
  const asked = (before.goal === "" ? more : prompts)
    .slice(-ASKED)
    .map((text) => `The person asked: ${short(text, 200)}`)
  const last = answersOf(items).findLast(({ content }) => content !== "")
  const said = last === undefined ? [] : [`The agent said last: ${short(last.content, 600)}`]
  const flat = (texts: ReadonlyArray<string>) => texts.map((text) => text.replace(/\s+/g, " ").trim())
  const next = {
    ...Summary.none,
    goal: before.goal === "" ? short(first, 600).replace(/\s+/g, " ").trim() : before.goal,
    rules: flat(prompts.flatMap(rulesIn)),
    open_items: flat(openIn(items)),
    notes: flat([...before.notes.filter((note) => !isOld(note)), ...asked, ...callsIn(items), ...said])
  }
  return Summary.merge(before, next, { files: filesIn(items) })
}
