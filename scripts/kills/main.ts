/**
 * `npm run kills`: the kill table, green or not. Owns: the command line and what is printed.
 */
import { styleText } from "node:util"
import { openModel } from "./model.ts"
import { build, discard, openPool } from "./pool.ts"
import type { Place } from "./run.ts"
import { scenes } from "./scenes.ts"
import { each, killAt, record, type Row } from "./table.ts"

const AT_ONCE = 3

const cut = (text: string, width: number): string =>
  (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width)

const line = ({ cases, complaints, effects, pair, reached, resumed, scene, state }: Row): string => {
  const mark =
    complaints.length > 0
      ? styleText("red", "FAIL")
      : reached
        ? styleText("green", "ok  ")
        : styleText("yellow", "miss")
  const point = `${pair.name} ${pair.nth}`
  const columns = [cut(scene, 9), cut(point, 58), cut(cases.join(" "), 8), cut(state, 28), cut(resumed, 60), effects]
  return [`${mark} ${columns.join("  ")}`, ...complaints.map((complaint) => `     ${complaint}`)].join("\n")
}

const table = async (place: Place): Promise<boolean> => {
  const began = performance.now()
  const rows: Array<Row> = []
  const only = process.argv[2] === undefined ? undefined : new RegExp(process.argv[2])
  for (const scene of scenes) {
    if (only !== undefined && !only.test(scene.name)) continue
    const pairs = (await record(place, scene)).filter(
      ({ name, nth }) => only?.test(`${scene.name} ${name} ${nth}`) !== false
    )
    await each(
      pairs,
      AT_ONCE,
      (pair) => killAt(place, scene, pair),
      (row) => {
        rows.push(row)
        console.log(line(row))
      }
    )
  }
  const failed = rows.filter(({ complaints }) => complaints.length > 0)
  const cases = new Set(rows.flatMap((row) => row.cases))
  const missing = Array.from({ length: 23 }, (_, i) => `C${i + 1}`).filter((each) => !cases.has(each))
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${rows.length} kills, ${failed.length} failed, ${rows.filter(({ reached }) => !reached).length} not reached, ` +
      `${missing.length === 0 ? "C1–C23 all met" : `not met: ${missing.join(" ")}`}, ${seconds} s`
  )
  return failed.length === 0 && missing.length === 0
}

const main = async (): Promise<number> => {
  const { program, directory } = await build()
  const pool = await openPool(program, `${directory}/cache`, AT_ONCE)
  const model = await openModel()
  try {
    return (await table({ pool, model })) ? 0 : 1
  } finally {
    await pool.close()
    model.close()
    discard(directory)
  }
}

process.exitCode = await main()
