/**
 * The question before something dangerous runs, as lines. Owns: what is shown and in which order; reads no key.
 * Invariants: controls and invisible characters are visible; long lines are wrapped and never cut, so no operator hides
 * behind an edge; of a command nothing but empty lines is ever folded; where lines of anything else are hidden their
 * number stands between the head and the tail, which are always shown (LESSONS 29, R162).
 */
import type { ApprovalRequest, Risk } from "../domain/Approval.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"
import { matcherText, partLines, voidedLines, whyLines } from "./ExplanationView.ts"
import { reasonWords } from "./reasonWords.ts"
import { reveal, revealLine } from "./Sanitise.ts"
import { bold, cyan, dim, green, type Look, red, styled, yellow } from "./Style.ts"
import { texts } from "./texts.ts"
import { fold, wrap } from "./Width.ts"

export interface ApprovalOptions {
  readonly columns: number
  readonly color: boolean
  readonly locale: Locale
  /** All lines, however many. */
  readonly expanded: boolean
  /** Why it asks, part by part; absent: as `expanded`. */
  readonly explained?: boolean
  /** Which call of an answer with several it is. */
  readonly place?: Place
  /** Of the screen: a longer question says its risk and reason again beside its keys. */
  readonly rows?: number
  /** Milliseconds since the epoch; for whether it has expired. */
  readonly now?: number
}

export interface Place {
  readonly at: number
  readonly of: number
  /** Whose answer it is; absent: the task's own. */
  readonly subagent?: string
}

/**
 * The calls of the newest answer, in its order: they are asked about one by one, and run together. A subagent's answer is
 * its own, under the call that began it.
 */
export type Calls = ReadonlyMap<string, { readonly turn: string; readonly ids: ReadonlyArray<string> }>

export const noCalls: Calls = new Map()

export const withCall = (calls: Calls, event: SessionEvent): Calls => {
  if (event.type !== "tool_call") return calls
  const [whose, turn] = [event.parent_call_id ?? "", `${event.task_id} ${event.turn}`]
  const known = calls.get(whose)
  const ids = known?.turn === turn ? known.ids.concat(event.call_id) : [event.call_id]
  return new Map(calls).set(whose, { turn, ids })
}

/** What was cut off is asked about by itself: the others of its answer are over. */
export const placeOf = (calls: Calls, { call_id, kind, subagent }: ApprovalRequest): { readonly place?: Place } => {
  const ids = Array.from(calls.values()).find((one) => one.ids.includes(call_id))?.ids ?? []
  if (kind === "recovery" || ids.length < 2) return {}
  const whose = subagent === undefined ? {} : { subagent }
  return { place: { at: ids.indexOf(call_id) + 1, of: ids.length, ...whose } }
}

interface Shown {
  readonly text: string
  readonly looks: ReadonlyArray<Look>
}

// More lines than this are folded to a head and a tail.
const MOST = 40
const HEAD = 24
const TAIL = 12
const INDENT = 2

const show = (text: string, looks: ReadonlyArray<Look> = []): ReadonlyArray<Shown> =>
  text.split("\n").map((line) => ({ text: line, looks }))

const diffLook = (line: string): ReadonlyArray<Look> => {
  if (line.startsWith("+++") || line.startsWith("---")) return ["bold"]
  if (line.startsWith("+")) return ["green"]
  if (line.startsWith("-")) return ["red"]
  return line.startsWith("@@") ? ["cyan"] : []
}

const MARGIN = "│ "
const ASIDE_CHARS = 160

/** The arguments by name; undefined: they are no object. */
const fieldsOf = (content: string): ReadonlyArray<readonly [string, unknown]> | undefined => {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
  } catch {
    return undefined
  }
}

/** What a model says beside a command: one shortened line each, for it is no part of what runs. */
const aside = (content: string): ReadonlyArray<string> =>
  (fieldsOf(content) ?? [])
    .filter(([key]) => key !== "command")
    .map(([key, one]) => `${key}: ${typeof one === "string" ? one : JSON.stringify(one)}`)
    .map((line) => revealLine(line.length <= ASIDE_CHARS ? line : `${line.slice(0, ASIDE_CHARS).toWellFormed()}…`))

/** Revealed. Arguments by name; text that is no object as it is. Line breaks inside a string are real lines below its key. */
const pretty = (content: string): string => {
  const fields = fieldsOf(content)
  if (fields === undefined) return reveal(content)
  return fields
    .map(([key, one]) => {
      if (typeof one !== "string") return `${revealLine(key)}: ${reveal(JSON.stringify(one, undefined, 2))}`
      // A margin, so that no text can pass for the question's own lines.
      const below = () =>
        reveal(one)
          .split("\n")
          .map((line) => `${MARGIN}${line}`)
      return one.includes("\n") ? [`${revealLine(key)}:`, ...below()].join("\n") : `${revealLine(key)}: ${reveal(one)}`
    })
    .join("\n")
}

/** What will run. */
const subject = (request: ApprovalRequest): ReadonlyArray<Shown> => {
  const { preview } = request
  if (preview === undefined) return show(pretty(request.content))
  if (preview.kind === "text") return show(reveal(preview.text))
  if (preview.kind === "diff") {
    const lines = reveal(preview.diff).replace(/\n$/, "").split("\n")
    return [...show(revealLine(preview.path), ["bold"]), ...lines.map((text) => ({ text, looks: diffLook(text) }))]
  }
  const others = aside(request.content).flatMap((line) => show(line, ["dim"]))
  const command = [...others, ...show(reveal(preview.command), ["bold"])]
  if (preview.parts.length < 2) return command
  return [...command, ...preview.parts.flatMap((part, i) => show(`${i + 1}. ${revealLine(part)}`, ["dim"]))]
}

// This many empty lines in a row are folded.
const EMPTY = 3

/** Runs of empty lines as their number: they push what follows off the screen, and hold nothing. */
const withoutPadding = (lines: ReadonlyArray<string>, { columns, color, locale }: ApprovalOptions) => {
  const kept: Array<string> = []
  let run: Array<string> = []
  const settle = () => {
    const number = () => wrap(texts[locale].empty(run.length), columns).map((line) => dim(line, color))
    kept.push(...(run.length < EMPTY ? run : number()))
    run = []
  }
  for (const line of lines) {
    if (line.trim() === "") {
      run.push(line)
      continue
    }
    settle()
    kept.push(line)
  }
  settle()
  return kept
}

const subjectLines = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  const { columns, color, locale, expanded } = options
  const lines = subject(request).flatMap(({ text, looks }) =>
    fold(text, Math.max(1, columns - INDENT)).map((line) => `${" ".repeat(INDENT)}${styled(line, looks, color)}`)
  )
  if (expanded) return lines
  if (request.preview?.kind === "command") return withoutPadding(lines, options)
  if (lines.length <= MOST) return lines
  const hidden = wrap(texts[locale].hidden(lines.length - HEAD - TAIL), columns).map((line) => yellow(line, color))
  return [...lines.slice(0, HEAD), ...hidden, ...lines.slice(-TAIL)]
}

/** What will run as plain text of any width: what a person reads, for `claw policy`. */
export const subjectText = (request: ApprovalRequest, locale: Locale = "en"): string => {
  const options = { columns: Number.MAX_SAFE_INTEGER, color: false, locale, expanded: false }
  const lines = subject(request).map(({ text }) => text)
  return (request.preview?.kind === "command" ? withoutPadding(lines, options) : lines).join("\n")
}

const riskLook: Readonly<Record<Risk, (text: string, color: boolean) => string>> = {
  safe: green,
  mutating: yellow,
  dangerous: red
}

const expiryLine = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  if (request.expires_at === undefined) return []
  const { color, locale, now = Date.now() } = options
  const at = Date.parse(request.expires_at)
  const time = new Date(at).toLocaleTimeString(locale === "en" ? "en-GB" : locale)
  const text = texts[locale]
  // The clock's time: a line that was printed once would count down to nothing.
  const sentence = at > now ? text.expires(time) : text.expired(time)
  return wrap(sentence, options.columns).map((line) => dim(line, color))
}

const grantLines = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  if (request.kind === "recovery" || request.grant_options.length === 0) return []
  const { columns, color, locale } = options
  const rows = request.grant_options.flatMap((option, i) =>
    fold(`${i + 1}. ${matcherText(option.matcher, locale)}`, Math.max(1, columns - INDENT), true).map(
      (line) => `  ${line}`
    )
  )
  return [...wrap(texts[locale].sessionGrants, columns).map((line) => dim(line, color)), ...rows]
}

/** Which keys answer. */
export const keysLine = ({ kind, grant_options }: ApprovalRequest, locale: Locale): string => {
  const { keys, keysNoSession, recoveryKeys } = texts[locale]
  if (kind === "recovery") return recoveryKeys
  return grant_options.length === 0 ? keysNoSession : keys
}

/** What `e` shows besides all lines: each command, what covers it, what made it ask. */
export const explainedLines = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  const { explanation } = request
  if (explanation === undefined) return []
  const { columns, color, locale } = options
  const parts = partLines(explanation, { columns: Math.max(1, columns - INDENT), color, locale, nearest: true })
  const why = whyLines(explanation, options).map((line) => dim(line, color))
  return [...why, ...parts.map((line) => `${" ".repeat(INDENT)}${line}`), ""]
}

const reasonLine = ({ reason }: ApprovalRequest, locale: Locale): string =>
  reveal(reasonWords(reason, locale)).replaceAll("\n", " ")

// A reason is a sentence; what is longer stands above in full.
const REASON_LINES = 3

/** Risk, reason and keys: what stays on the screen of a question that is longer than it. */
export const answerLines = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  const { columns, color, locale } = options
  const reason = request.reason === "" ? "" : `: ${reasonLine(request, locale)}`
  const said = wrap(`${texts[locale].risk[request.risk]}${reason}`, columns)
  const short = said.length <= REASON_LINES ? said : [...said.slice(0, REASON_LINES - 1), "…"]
  return [...short.map((line) => riskLook[request.risk](line, color)), ...wrappedKeys(request, options)]
}

/** The question's lines, without their breaks. */
export const approvalLines = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  const lines = [...aboveKeys(request, options), ...wrappedKeys(request, options)]
  return options.rows === undefined || lines.length <= options.rows
    ? lines
    : [...aboveKeys(request, options), ...answerLines(request, options)]
}

const wrappedKeys = (request: ApprovalRequest, { color, columns, locale }: ApprovalOptions) =>
  wrap(keysLine(request, locale), columns).map((line) => cyan(line, color))

const placeText = ({ at, of, subagent }: Place, locale: Locale): string =>
  texts[locale].place(at, of, subagent === undefined ? undefined : revealLine(subagent))

/** Everything but the keys. */
export const aboveKeys = (request: ApprovalRequest, options: ApprovalOptions): ReadonlyArray<string> => {
  const { columns, color, locale } = options
  const text = texts[locale]
  const recovery = request.kind === "recovery"
  const asking = request.subagent === undefined ? "" : ` (${text.subagent(revealLine(request.subagent))})`
  const title = wrap(`${recovery ? text.recovery : text.approval}: ${revealLine(request.tool_name)}${asking}`, columns)
  const risk = wrap(text.risk[request.risk], columns).map((line) => riskLook[request.risk](line, color))
  const place = options.place === undefined ? [] : wrap(placeText(options.place, options.locale), columns)
  const voided = request.explanation === undefined ? [] : voidedLines(request.explanation, locale)
  const reason = wrap(reasonLine(request, options.locale), columns)
  return [
    ...title.map((line) => bold(line, color)),
    ...place.map((line) => dim(line, color)),
    ...risk,
    ...(request.reason === "" ? [] : reason),
    ...voided.flatMap((one) => wrap(one, columns)),
    "",
    ...subjectLines(request, options),
    "",
    ...((options.explained ?? options.expanded) ? explainedLines(request, options) : []),
    ...grantLines(request, options),
    ...expiryLine(request, options)
  ]
}
