/**
 * What is kept of a conversation that became too long, with goal, rules, decisions, open items and files apart (LESSONS
 * 14). Pure. Owns: the shape, its text, reading it back, reading what a model wrote. Does not own: who writes it.
 * Invariants: the text of a summary reads back as itself; what a person set as a rule outlives every later summary, as
 * far as there is room; no text is longer than its room.
 */
import { shorten } from "../domain/Shorten.ts"

export interface Summary {
  readonly goal: string
  readonly rules: ReadonlyArray<string>
  readonly decisions: ReadonlyArray<string>
  readonly open_items: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

export const none: Summary = { goal: "", rules: [], decisions: [], open_items: [], files: [], notes: [] }

const LISTS = ["rules", "decisions", "open_items", "files", "notes"] as const
type List = (typeof LISTS)[number]

const TITLES: Readonly<Record<"goal" | List, string>> = {
  goal: "Goal",
  rules: "Rules",
  decisions: "Decisions",
  open_items: "Open items",
  files: "Files",
  notes: "Notes"
}

const line = (text: string): string => text.toWellFormed().replace(/\s+/g, " ").trim()

export const isEmpty = (summary: Summary): boolean =>
  summary.goal === "" && LISTS.every((name) => summary[name].length === 0)

export const render = (summary: Summary): string => {
  const section = (name: "goal" | List, lines: ReadonlyArray<string>) =>
    lines.length === 0 ? [] : [`## ${TITLES[name]}\n${lines.join("\n")}`]
  return [
    ...section("goal", summary.goal === "" ? [] : [summary.goal]),
    ...LISTS.flatMap((name) =>
      section(
        name,
        summary[name].map((item) => `- ${item}`)
      )
    )
  ].join("\n\n")
}

/** What a title, however written, names. */
const named = (title: string): "goal" | List | undefined => {
  const word = title
    .toLowerCase()
    .replace(/[^a-z\u4e00-\u9fff]+/g, "_")
    .replace(/^_|_$/g, "")
  if (/^(?:goal|goals|aim|目标)$/.test(word)) return "goal"
  if (/^(?:rules?|constraints?|规则|约束)$/.test(word)) return "rules"
  if (/^(?:decisions?|决定|决策)$/.test(word)) return "decisions"
  if (/^(?:open(?:_items?)?|todo|to_do|next_steps?|remaining|待办|未完成)$/.test(word)) return "open_items"
  if (/^(?:files?|file_state|changed_files|文件)$/.test(word)) return "files"
  return /^(?:notes?|progress|summary|context|facts|备注|进展|摘要)$/.test(word) ? "notes" : undefined
}

/** A value of whatever shape as lines. */
const lines = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string")
    return value.split("\n").map((text) => line(text.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "")))
  if (Array.isArray(value)) return value.flatMap((one) => (typeof one === "string" ? [line(one)] : lines(one)))
  if (value === null || value === undefined || typeof value === "boolean") return []
  if (typeof value === "number" || typeof value === "bigint") return [String(value)]
  if (typeof value !== "object") return []
  return [
    Object.entries(value)
      .map(([key, inner]) => `${key}: ${lines(inner).join("; ")}`)
      .join(", ")
  ]
}

const filled = (found: ReadonlyMap<"goal" | List, ReadonlyArray<string>>): Summary => {
  const of = (name: List) => Array.from(new Set((found.get(name) ?? []).filter((text) => text !== "")))
  return {
    goal: (found.get("goal") ?? []).filter((text) => text !== "").join(" "),
    rules: of("rules"),
    decisions: of("decisions"),
    open_items: of("open_items"),
    files: of("files"),
    notes: of("notes")
  }
}

const fromJson = (text: string): Summary | undefined => {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")]
  if (start === -1 || end <= start) return undefined
  try {
    const value = JSON.parse(text.slice(start, end + 1)) as Readonly<Record<string, unknown>>
    const found = new Map<"goal" | List, ReadonlyArray<string>>()
    for (const [key, inner] of Object.entries(value)) {
      const name = named(key)
      if (name !== undefined) found.set(name, [...(found.get(name) ?? []), ...lines(inner)])
    }
    return filled(found)
  } catch {
    return undefined
  }
}

/** No title is longer: what a model wrote is looked at in a time that grows with its length alone. */
const LONGEST_TITLE = 60
const TITLE = /^(?:#{1,6}\s*|\*\*)([^*#:：]{1,40}?)(?:\*\*)?\s*[:：]?(?:\*\*)?$/

const titleIn = (raw: string): string | undefined => {
  const text = raw.trim()
  return text.length > LONGEST_TITLE ? undefined : TITLE.exec(text)?.[1]
}

const fromHeadings = (text: string): Summary => {
  const found = new Map<"goal" | List, Array<string>>()
  let current: Array<string> | undefined
  for (const raw of text.split("\n")) {
    const title = titleIn(raw)
    if (title === undefined) current?.push(...lines(raw))
    else {
      const name = named(title)
      current = name === undefined ? undefined : (found.get(name) ?? [])
      if (name !== undefined && current !== undefined) found.set(name, current)
    }
  }
  return filled(found)
}

const THOUGHT = /<(\/?)think(?:ing)?>/g

/** Without what stands between a mark of thinking and the next end of one. */
const withoutThoughts = (text: string): string => {
  const kept: Array<string> = []
  let [from, open] = [0, undefined as number | undefined]
  for (const { 0: mark, 1: closes, index } of text.matchAll(THOUGHT)) {
    if (closes === "") open ??= index
    else if (open !== undefined) {
      kept.push(text.slice(from, open))
      ;[from, open] = [index + mark.length, undefined]
    }
  }
  return kept.join("") + text.slice(from)
}

/** What a model, or `render`, wrote; `undefined` where nothing of it can be told apart. */
export const parse = (text: string): Summary | undefined => {
  const said = withoutThoughts(text)
  const json = fromJson(said)
  if (json !== undefined && !isEmpty(json)) return json
  const headings = fromHeadings(said)
  return isEmpty(headings) ? undefined : headings
}

const union = (...lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  Array.from(new Set(lists.flat()))

/** The name that a line about a file begins with. */
const fileOf = (text: string): string => /^[^\s(:,]+/.exec(text)?.[0] ?? text

/** What holds after `next` was written about what came behind `before`; `facts`: what is known without any model. */
export const merge = (before: Summary, next: Summary, facts: Pick<Summary, "files">): Summary => {
  const files = new Map([...before.files, ...facts.files, ...next.files].map((text) => [fileOf(text), text]))
  return {
    goal: next.goal === "" ? before.goal : next.goal,
    rules: union(before.rules, next.rules),
    decisions: union(before.decisions, next.decisions),
    open_items: next.open_items.length > 0 ? next.open_items : before.open_items,
    files: Array.from(files.values()),
    notes: next.notes.length > 0 ? next.notes : before.notes
  }
}

/** Shares of the room. */
const SHARES: Readonly<Record<"goal" | List, number>> = {
  goal: 0.15,
  rules: 0.25,
  decisions: 0.15,
  open_items: 0.2,
  files: 0.1,
  notes: 0.15
}

/** The newest that fit, in their order; the older a rule, the longer it stays. */
const within = (items: ReadonlyArray<string>, chars: number, oldest: boolean): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let left = chars
  for (const item of oldest ? items : items.toReversed()) {
    const text = shorten(item, Math.max(80, Math.floor(chars / 3)), "").text.replaceAll("\n", " ")
    left -= text.length + 3
    if (left < 0) break
    kept.push(text)
  }
  return oldest ? kept : kept.toReversed()
}

/** The summary in so many characters; what one part leaves free is not given to another. */
export const bounded = (summary: Summary, chars: number): Summary => {
  const room = (name: "goal" | List) => Math.floor(chars * SHARES[name])
  return {
    goal: shorten(summary.goal, room("goal")).text.replaceAll("\n", " "),
    rules: within(summary.rules, room("rules"), true),
    decisions: within(summary.decisions, room("decisions"), false),
    open_items: within(summary.open_items, room("open_items"), true),
    files: within(summary.files, room("files"), false),
    notes: within(summary.notes, room("notes"), false)
  }
}
