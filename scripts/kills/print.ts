/** Rows as lines for a terminal, and what they come to. */
import { styleText } from "node:util"
import type { Row } from "./table.ts"

const cut = (text: string, width: number): string =>
  (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width)

const mark = ({ complaints, reached }: Row): string => {
  if (complaints.length > 0) return styleText("red", "FAIL")
  return reached ? styleText("green", "ok  ") : styleText("yellow", "miss")
}

/** Scene, point, crash points, what stood on the disk, what came of it, effects at the kill and in the end. */
export const printed = (row: Row): string => {
  const { cases, complaints, effects, pair, resumed, scene, state } = row
  const point = `${pair.name} ${pair.nth}`
  const columns = [cut(scene, 9), cut(point, 58), cut(cases.join(" "), 8), cut(state, 28), cut(resumed, 60), effects]
  return [`${mark(row)} ${columns.join("  ")}`, ...complaints.map((complaint) => `     ${complaint}`)].join("\n")
}

const CASES = Array.from({ length: 23 }, (_, i) => `C${i + 1}`)

/** `all`: every crash point of RELIABILITY 3.3 has to be met. */
export const summary = (rows: ReadonlyArray<Row>, all: boolean): { readonly good: boolean; readonly text: string } => {
  const failed = rows.filter(({ complaints }) => complaints.length > 0).length
  const missed = rows.filter(({ reached }) => !reached).length
  const met = new Set(rows.filter(({ reached }) => reached).flatMap(({ cases }) => cases))
  const missing = CASES.filter((one) => !met.has(one))
  const cases = missing.length === 0 ? "C1–C23 all met" : `not met: ${missing.join(" ")}`
  return {
    good: failed === 0 && rows.length > missed && (!all || missing.length === 0),
    text: `${rows.length - missed} kills, ${failed} failed, ${missed} not reached, ${cases}`
  }
}
