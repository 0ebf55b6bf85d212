/** The table on the screen. Owns: layout and how numbers are written. */
import type { ContenderName } from "./contenders/contender.ts"
import type { Plan } from "./plan.ts"
import type { Line } from "./summary.ts"

export const number = (value: number): string => {
  if (Number.isNaN(value)) return "–"
  const size = Math.abs(value)
  if (size >= 10_000) return `${Math.round(value / 1000)}k`
  if (size >= 100 || Number.isInteger(value)) return String(Math.round(value))
  return value.toPrecision(size >= 10 ? 3 : 2)
}

const cell = (line: Line | undefined): string => {
  if (line === undefined) return ""
  return line.ratio === undefined ? number(line.median) : `${number(line.median)} (×${number(line.ratio)})`
}

const limitsOf = (line: Line | undefined): string => {
  if (line?.limit === undefined) return ""
  const { must, goal, of } = line.limit
  const sign = of === "ratio" ? "×" : ""
  return must === goal ? `${sign}${number(must)}` : `${sign}${number(must)} / ${sign}${number(goal)}`
}

const WORDS = { goal: "goal", must: "must", missed: "MISSED" } as const

const verdictOf = (...lines: ReadonlyArray<Line | undefined>): string => {
  const words = lines.map((line) => (line?.verdict === undefined ? "" : WORDS[line.verdict]))
  return words.filter((word) => word !== "").join(" · ")
}

const columns: ReadonlyArray<ContenderName> = ["raw", "sdk", "claw", "claw-sqlite"]

const rowsOf = (plan: Plan, lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<string>> =>
  plan.metrics.flatMap((metric, index) => {
    const found = (contender: ContenderName) =>
      lines.find((line) => line.job === plan.job && line.metric === metric.key && line.contender === contender)
    if (columns.every((name) => found(name) === undefined)) return []
    const [claw, sqlite] = [found("claw"), found("claw-sqlite")]
    const limits = [limitsOf(claw), metric.sqlite === undefined ? "" : limitsOf(sqlite)].filter((part) => part !== "")
    return [
      [
        index === 0 ? plan.job : "",
        metric.label,
        ...columns.map((name) => cell(found(name))),
        limits.join(" · "),
        verdictOf(claw, sqlite)
      ]
    ]
  })

/** Rows under each other; the columns from `first` to `last` hold numbers and end flush. */
export const columned = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  [first, last]: readonly [number, number]
): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((text, column) =>
        column < first || column > last ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
      )
      .join("  ")
      .trimEnd()
  return rows.map(line).join("\n")
}

export const table = (plans: ReadonlyArray<Plan>, lines: ReadonlyArray<Line>): string => {
  const head = ["job", "measure", "raw", "sdk", "claw", "claw+sqlite", "must / goal", "reached"]
  return columned([head, ...plans.flatMap((plan) => rowsOf(plan, lines))], [2, 5])
}
