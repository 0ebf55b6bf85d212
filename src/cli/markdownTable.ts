/**
 * A Markdown table on a terminal: aligned by display columns where it fits, a list of its rows where it does not.
 * Invariant: every cell's text is shown.
 */
import type { Tokens } from "marked"
import { inlineRuns, plain, type StyledRun } from "./markdownInline.ts"
import { width, wrapRuns } from "./Width.ts"

type Cell = ReadonlyArray<StyledRun>
const GAP = "   "

const widthOf = (cell: Cell): number => cell.reduce((sum, run) => sum + width(run.text), 0)

const spaces = (count: number): Cell => (count > 0 ? [{ text: " ".repeat(count), style: plain }] : [])

const placed = (cell: Cell, columns: number, align: "center" | "left" | "right" | null): Cell => {
  const free = columns - widthOf(cell)
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0
  return [...spaces(before), ...cell, ...spaces(free - before)]
}

const rowList = (heads: ReadonlyArray<Cell>, rows: ReadonlyArray<ReadonlyArray<Cell>>, columns: number) =>
  rows.flatMap((row, i) => {
    const lines = row.flatMap((cell, at) => {
      const head = heads[at] ?? []
      const colon = widthOf(head) === 0 ? [] : [{ text: ": ", style: plain }]
      return wrapRuns([...head, ...colon, ...cell], columns)
    })
    return i > 0 ? [[], ...lines] : lines
  })

/** Lines of a table. */
export const tableLines = (table: Tokens.Table, columns: number, color: boolean): ReadonlyArray<Cell> => {
  const oneLine = (cell: Cell): Cell => cell.map((run) => ({ ...run, text: run.text.replaceAll(/[\n\t]/g, " ") }))
  const heads = table.header.map((cell) => oneLine(inlineRuns(cell.tokens, ["bold"], color)))
  const rows = table.rows.map((row) => row.map((cell) => oneLine(inlineRuns(cell.tokens, plain, color))))
  const widths = heads.map((head, at) => Math.max(widthOf(head), ...rows.map((row) => widthOf(row[at] ?? []))))
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1)
  if (total > columns) return rowList(heads, rows, columns)
  const line = (cells: ReadonlyArray<Cell>): Cell =>
    cells.flatMap((cell, at) => [
      ...(at > 0 ? [{ text: GAP, style: plain }] : []),
      ...placed(cell, widths[at] ?? 0, table.align[at] ?? null)
    ])
  const rule: Cell = [{ text: widths.map((one) => "─".repeat(one)).join("─".repeat(GAP.length)), style: ["dim"] }]
  return [line(heads), rule, ...rows.map(line)]
}
