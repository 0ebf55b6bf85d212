/**
 * What was spent, as a table for people. Pure. Owns: its rows, columns and words. Invariants: what costs an unknown
 * amount says so and never 0; a sum of which only a part has a known price says that it is at least so much.
 */
import { plus, type Spent, nothing, type SpentModel } from "../store/Spent.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"
import { width } from "./Width.ts"

export const GROUPS = ["day", "model", "session"] as const
export type Group = (typeof GROUPS)[number]

export interface Row {
  readonly name: string
  readonly usage: Spent
  /** Some of it has no known price. */
  readonly partly: boolean
}

export interface UsageReport {
  readonly day: ReadonlyArray<Row>
  readonly model: ReadonlyArray<Row>
  readonly session: ReadonlyArray<Row>
  readonly total: Row
}

const isUsed = ({ input_tokens, output_tokens }: Spent): boolean => input_tokens + output_tokens > 0

const isUnpriced = ({ usage }: { readonly usage: Spent }): boolean => usage.cost_usd === null && isUsed(usage)

const summed = (name: string, parts: ReadonlyArray<SpentModel>): Row => ({
  name,
  usage: parts.reduce((sum, part) => plus(sum, part.usage), nothing),
  partly: parts.some(isUnpriced)
})

const grouped = (models: ReadonlyArray<SpentModel>, by: "day" | "model"): ReadonlyArray<Row> =>
  Array.from(
    Map.groupBy(models, (one) => one[by]),
    ([name, parts]) => summed(name, parts)
  )

const tokensOf = ({ usage }: { readonly usage: Spent }): number => usage.input_tokens + usage.output_tokens

const unpriced = (rows: ReadonlyArray<{ readonly usage: Spent }>): number =>
  rows.filter(isUnpriced).reduce((sum, one) => sum + tokensOf(one), 0)

/**
 * Sums forget that a part had no price once another part had one; the sessions of it still say so. In which day's or
 * model's sum it stands nobody wrote down, so each that may hold it is at least what is known.
 */
const withHidden = (row: Row, hidden: boolean): Row =>
  hidden && row.usage.cost_usd !== null ? { ...row, partly: true } : row

/** Rows in the order in which they are shown: days newest first, the others by what they used. */
export const reportOf = (
  models: ReadonlyArray<SpentModel>,
  sessions: ReadonlyArray<{ readonly name: string; readonly usage: Spent }>
): UsageReport => {
  const hidden = unpriced(sessions) > unpriced(models)
  const marked = (rows: ReadonlyArray<Row>) => rows.map((row) => withHidden(row, hidden))
  const most = <A extends { readonly usage: Spent }>(rows: ReadonlyArray<A>) =>
    rows.filter(({ usage }) => isUsed(usage)).toSorted((a, b) => tokensOf(b) - tokensOf(a))
  return {
    day: marked(grouped(models, "day")).toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    model: most(marked(grouped(models, "model"))),
    session: most(sessions).map((one) => ({ ...one, partly: isUnpriced(one) })),
    total: withHidden(summed("", models), hidden)
  }
}

const words = {
  en: {
    day: "day (UTC)",
    model: "model",
    session: "session",
    total: "total",
    input: "input",
    cached: "cached",
    output: "output",
    cost: "cost",
    unknown: "unknown",
    unnamed: "(not recorded)",
    nothing: "nothing was spent yet.",
    more: (count: number) => `… and ${count} more; --json has all`
  },
  "zh-CN": {
    day: "日期（UTC）",
    model: "模型",
    session: "会话",
    total: "合计",
    input: "输入",
    cached: "缓存",
    output: "输出",
    cost: "费用",
    unknown: "未知",
    unnamed: "（未记录）",
    nothing: "还没有用量。",
    more: (count: number) => `… 还有 ${count} 项；--json 可列出全部`
  }
} satisfies Record<Locale, object>

const costText = ({ usage, partly }: Row, unknown: string): string => {
  if (usage.cost_usd === null) return unknown
  return `${partly ? "≥ " : ""}$${usage.cost_usd.toFixed(4)}`
}

const grouping = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")

type Cells = readonly [string, string, string, string, string]

const table = (rows: ReadonlyArray<Cells>): ReadonlyArray<string> => {
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...rows.map((row) => width(row[at] ?? ""))))
  const padded = (text: string, at: number) => " ".repeat((widths[at] ?? 0) - width(text))
  return rows.map((row) =>
    row.map((text, at) => (at === 0 ? text + padded(text, at) : padded(text, at) + text)).join("  ")
  )
}

const MOST_ROWS = 30

const section = (group: Group, rows: ReadonlyArray<Row>, total: Row, locale: Locale): ReadonlyArray<string> => {
  const text = words[locale]
  const cells = (row: Row, name: string): Cells => {
    const { input_tokens, cached_tokens, output_tokens } = row.usage
    return [name, grouping(input_tokens), grouping(cached_tokens), grouping(output_tokens), costText(row, text.unknown)]
  }
  const named = ({ name }: Row) => (name === "" ? text.unnamed : sanitise(name).replaceAll("\n", " ").slice(0, 48))
  const shown = rows.slice(0, MOST_ROWS)
  const head: Cells = [text[group], text.input, text.cached, text.output, text.cost]
  const more = rows.length > shown.length ? [text.more(rows.length - shown.length)] : []
  return [...table([head, ...shown.map((row) => cells(row, named(row))), cells(total, text.total)]), ...more]
}

export const usageLines = (report: UsageReport, groups: ReadonlyArray<Group>, locale: Locale): ReadonlyArray<string> =>
  isUsed(report.total.usage)
    ? groups.flatMap((group, i) => [...(i === 0 ? [] : [""]), ...section(group, report[group], report.total, locale)])
    : [words[locale].nothing]
