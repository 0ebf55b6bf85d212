/**
 * The lines of a transcript. Owns: how items look, what of running things is shown, the status line.
 * Invariants: every line is safe and no wider than the terminal; what is live stays a few lines (R094, R106).
 */
import type { Locale } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { renderMarkdown } from "./Markdown.ts"
import { restoredLines, skippedLine } from "./restoreCommands.ts"
import { sanitise } from "./Sanitise.ts"
import { bold, cyan, dim, green, red, yellow } from "./Style.ts"
import { texts } from "./texts.ts"
import { argumentSummary, duration, toolEnded, toolStarted } from "./toolNotes.ts"
import type { Item, RunningTool, View } from "./Transcript.ts"
import type { Inner } from "./transcriptBelow.ts"
import { tailOf } from "./transcriptAnswer.ts"
import { cut, expandTabs, wrap } from "./Width.ts"
import type { Usage } from "../domain/Usage.ts"

export interface TranscriptOptions {
  readonly columns: number
  readonly color: boolean
  readonly locale: Locale
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Items printed by earlier calls; their lines are left out. */
  readonly from?: number
  /** Lines that the live part may take; more of an unfinished block is folded. */
  readonly rows?: number
}

export interface Rendered {
  /** Lines to print once. */
  readonly settled: ReadonlyArray<string>
  /** Lines to draw anew each time. */
  readonly live: ReadonlyArray<string>
  /** The next call's `from`. */
  readonly next: number
}

type Lines = ReadonlyArray<string>
type Options = TranscriptOptions

const OUTPUT_LINES = 4
const THINKING_LINES = 2
const ROWS = 24
const DRAWN = 6_000

export const count = (tokens: number): string => {
  if (tokens < 1_000) return String(tokens)
  if (tokens < 999_500) return `${(tokens / 1_000).toFixed(tokens < 9_950 ? 1 : 0)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}

const spent = (usage: Usage, locale: Locale): string => {
  const text = texts[locale]
  const cached = usage.cached_tokens === undefined || usage.cached_tokens === 0 ? undefined : count(usage.cached_tokens)
  const tokens = text.tokens(count(usage.input_tokens), count(usage.output_tokens), cached)
  const parts = [tokens, ...(usage.estimated === true ? [text.estimated] : [])]
  const { cost_usd: cost } = usage
  if (cost === undefined) return parts.join(" · ")
  const money = `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`
  return [...parts, usage.cost_partial === true ? `≥ ${money}` : money].join(" · ")
}

/** A line that wrote over itself, as progress does, is what it wrote last. */
const overwritten = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
    .join("\n")

const lastLines = (
  text: string,
  lines: number,
  columns: number
): { readonly shown: Lines; readonly hidden: number } => {
  const all = expandTabs(sanitise(overwritten(text)))
    .trimEnd()
    .split("\n")
  const shown = all[0] === "" && all.length === 1 ? [] : all.slice(-lines)
  return { shown: shown.map((line) => cut(line, columns)), hidden: Math.max(0, all.length - lines) }
}

/** A call that ended is one line with its outcome, so that what was denied does not look done. */
const innerLine = ({ call_id, content, result, tool_name }: Inner, columns: number, locale: Locale): string => {
  if (call_id === undefined) return sanitise(content).trim().split("\n", 1)[0] ?? ""
  if (result === undefined) return toolStarted(tool_name, content, columns)
  return toolEnded(result, locale, columns, argumentSummary(content, columns >> 1) || undefined).trim()
}

/** What goes on now, however deep. */
const deepest = (one: Inner): Inner => {
  const below = one.result === undefined ? one.inner?.at(-1) : undefined
  return below === undefined ? one : deepest(below)
}

/** The last ones, at most so many lines; below one that still runs, what the subagent that it began does. */
const innerLines = (inner: ReadonlyArray<Inner>, lines: number, columns: number, locale: Locale): Lines => {
  const [last, before] = [inner.at(-1), inner.slice(0, -1)]
  if (last === undefined || lines <= 0) return []
  const own = cut(expandTabs(innerLine(lines === 1 ? deepest(last) : last, columns, locale)), columns)
  const room = last.result === undefined ? Math.min(lines - 1, Math.ceil(lines / 2)) : 0
  const below = innerLines(last.inner ?? [], room, columns - 2, locale).map((line) => `│ ${line}`)
  return [...innerLines(before, lines - 1 - below.length, columns, locale), own, ...below]
}

const outputLines = (tool: RunningTool, lines: number, { columns, color, locale }: Options): Lines => {
  const inner = innerLines(tool.inner, lines, columns - 4, locale)
  const shown = tool.inner.length > 0 ? inner : lastLines(tool.output, lines, columns - 4).shown
  return shown.map((line) => dim(`  │ ${line}`, color))
}

/** Whoever works in the background, and what it does now. */
const backgroundLines = ({ background }: View, { columns, color, locale, now }: Options): Lines =>
  background.map(({ inner, since, title }) => {
    const does = innerLines(inner, 1, columns, locale)
    const running = duration(Math.max(0, Math.floor((now - since) / 1_000) * 1_000))
    const head = `◌ ${sanitise(title).replaceAll("\n", " ")} · ${texts[locale].background} · ${running}`
    return dim(cut(expandTabs([head, ...does].join(" · ")), columns), color)
  })

const endLines = (item: Extract<Item, { kind: "end" }>, { columns, color, locale }: Options): Lines => {
  const { event, ms } = item
  const summary = [spent(event.usage, locale), ...(ms === undefined ? [] : [duration(ms)])].join(" · ")
  const figures = (mark: string) => wrap(`${mark}${summary}`, columns).map((line) => dim(line, color))
  if (event.type === "task_completed") return figures("✓ ")
  if (event.type === "task_canceled") {
    const why = event.reason === undefined ? "" : ` ${sanitise(event.reason)}`
    return [...wrap(texts[locale].canceled + why, columns).map((line) => yellow(line, color)), ...figures("")]
  }
  const sentence = wrap(`✗ ${sanitise(describe.error(event.error, locale))}`, columns)
  return [...sentence.map((line) => red(line, color)), ...figures("")]
}

const promptLines = (text: string, queued: boolean, { columns, color, locale }: Options): Lines => {
  const lines = wrap(sanitise(text).trimEnd(), columns - 2)
  const shown = lines.map((line, i) => (i === 0 ? cyan("› ", color) : "  ") + bold(line, color))
  return queued ? [...shown, dim(`  (${texts[locale].queued})`, color)] : shown
}

const itemLines = (item: Item, options: Options): Lines => {
  const { columns, color, locale } = options
  const text = texts[locale]
  switch (item.kind) {
    case "prompt":
      return promptLines(item.text, item.queued, options)
    case "text":
      return renderMarkdown(item.text, options)
    case "thought": {
      const first = sanitise(item.text).trim().split("\n", 1)[0] ?? ""
      const line = `✻ ${text.thought(item.ms === undefined ? undefined : duration(item.ms))}: ${first}`
      return [dim(cut(expandTabs(line), columns), color)]
    }
    case "tool": {
      const ok = item.result.status === "ok" && !item.result.is_error
      const started = cut(toolStarted(item.call.tool_name, item.call.content, columns), columns)
      const ended = cut(toolEnded(item.result, locale, columns), columns)
      const output = outputLines(item.call, OUTPUT_LINES, options)
      return [cyan(started, color), ...output, ok ? green(ended, color) : red(ended, color)]
    }
    case "note":
      return wrap(text[item.note], columns).map((line) => yellow(line, color))
    case "standsIn":
      return wrap(sanitise(describe.standsIn(item.model, item.code, locale)), columns).map((line) =>
        yellow(line, color)
      )
    case "restored": {
      const [first = "", ...more] = restoredLines(item.event, locale)
      return [yellow(cut(first, columns), color), ...more.map((line) => dim(cut(line, columns), color))]
    }
    case "hookFailed":
      return wrap(sanitise(describe.hookFailed(item.hook, item.reason, locale)), columns).map((line) =>
        yellow(line, color)
      )
    case "unrecorded":
      return wrap(skippedLine(item.reason, locale), columns).map((line) => yellow(line, color))
    case "compacted":
      return [
        text.compacted(count(item.before), count(item.after), item.summarised),
        ...(item.digest === undefined ? [] : [text.digested(sanitise(item.digest))])
      ].flatMap((told) => wrap(told, columns).map((line) => dim(line, color)))
    case "end":
      return endLines(item, options)
  }
}

/** Whether an item stands apart from the one before it. */
const apart = (before: Item | undefined, item: Item): boolean => {
  if (before === undefined || item.kind === "note") return false
  if (item.kind === "text" && item.continues) return false
  return !(before.kind === "tool" && item.kind === "tool")
}

const toolLines = (tool: RunningTool, lines: number, options: Options): Lines => {
  const { columns, color, locale, now } = options
  const text = texts[locale]
  const running = duration(Math.max(0, Math.floor((now - tool.startedAt) / 1_000) * 1_000))
  const phase = { waiting: text.starting, approval: text.waitsForApproval, running }[tool.phase]
  const started = cut(toolStarted(tool.tool_name, tool.content, columns), Math.max(8, columns - phase.length * 2 - 3))
  return [cyan(started, color) + dim(` · ${phase}`, color), ...outputLines(tool, lines, options)]
}

const statusLine = (view: View, { columns, color, locale, now }: Options): Lines => {
  if (view.task === undefined) return []
  const text = texts[locale]
  const { usage, since } = view.task
  const wait = view.retry === undefined ? 0 : Math.ceil((view.retry.until - now) / 1_000)
  const waits = view.background.length > 0 && view.answer === undefined && view.tools.length === 0
  const doing = view.waits === undefined ? text.state[view.state] : text.waits[view.waits]
  const ending = view.answered ? text.finishing : doing
  const calm = view.state === "cancelling" ? text.state.cancelling : waits ? text.waitsForBackground : ending
  const state = view.retry === undefined || wait <= 0 ? calm : text.retrying(wait, view.retry.attempt + 1)
  const seconds = `${Math.max(0, Math.floor((now - since) / 1_000))} s`
  const tokens = usage.input_tokens + usage.output_tokens === 0 ? [] : [spent(usage, locale)]
  const { retry } = view
  const why = retry === undefined || wait <= 0 ? [] : [sanitise(describe.why(retry.code, retry.message, locale))]
  return [dim(cut(expandTabs([state, seconds, ...tokens, ...why].join(" · ").replaceAll("\n", " ")), columns), color)]
}

const answerLines = (view: View, rows: number, options: Options): Lines => {
  if (view.answer === undefined) return []
  const { text, continues } = tailOf(view.answer)
  if (text.trim() === "" || (continues && text === view.answer.opening)) return []
  // Of a very long block only the end is drawn: from a line's beginning, where there is one.
  const start = text.length <= DRAWN ? 0 : text.indexOf("\n", text.length - DRAWN) + 1 || text.length - DRAWN
  const lines = renderMarkdown(text.slice(start), options)
  if (lines.length <= rows) return lines
  const hidden = lines.length - rows + 1
  const above = texts[options.locale].above(start === 0 ? hidden : undefined)
  return [dim(cut(above, options.columns), options.color), ...lines.slice(hidden)]
}

const liveLines = (view: View, options: Options): Lines => {
  const { columns, color } = options
  const rows = options.rows ?? ROWS
  const perTool = view.tools.length > 3 ? 1 : OUTPUT_LINES
  const tools = view.tools.flatMap((tool) => toolLines(tool, perTool, options))
  const thinking = view.thinking === undefined ? "" : sanitise(view.thinking.text.slice(-columns * 8)).trim()
  const thoughts = thinking === "" ? [] : wrap(thinking, columns).slice(-THINKING_LINES)
  const status = statusLine(view, options)
  const background = backgroundLines(view, options)
  const left = Math.max(3, rows - background.length - tools.length - thoughts.length - status.length - 1)
  const answer = answerLines(view, left, options)
  const body = [...thoughts.map((line) => dim(line, color)), ...answer, ...tools, ...background]
  const joins = view.answer?.opening !== "" && view.answer !== undefined && answer.length > 0
  const gap = view.items.length > 0 && body.length + status.length > 0 && !joins ? [""] : []
  return [...gap, ...body, ...status]
}

/** What to print once and what to draw now. */
export const render = (view: View, options: TranscriptOptions): Rendered => {
  const from = options.from ?? 0
  const settled = view.items.slice(from).flatMap((item, i) => {
    const lines = itemLines(item, options)
    return apart(view.items[from + i - 1], item) && lines.length > 0 ? ["", ...lines] : lines
  })
  return { settled, live: liveLines(view, options), next: view.items.length }
}
