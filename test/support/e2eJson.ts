/** What `claw run --json` wrote, judged as a program that reads it would (PROTOCOL §2). */
import { assert } from "@effect/vitest"

export interface Line {
  readonly type: string
  readonly seq?: number
  readonly stream_id?: string
  readonly content?: string
  readonly [field: string]: unknown
}

const parse = (line: string): Line => {
  const value = JSON.parse(line) as Line
  assert.isString(value.type)
  return value
}

const TERMINAL: ReadonlySet<string> = new Set(["task_completed", "task_canceled", "task_failed"])

/** Deltas say what the finished text says at their place; together they are it, unless the reader was too slow. */
const sameText = (lines: ReadonlyArray<Line>, gaps: boolean) => {
  for (const { type, stream_id, content = "" } of lines) {
    if (type !== "text_completed") continue
    const deltas = lines.filter((line) => line.type === "text_delta" && line.stream_id === stream_id)
    let at = 0
    for (const { offset, content: piece = "" } of deltas) {
      assert.isTrue(gaps ? Number(offset) >= at : offset === at, `offset ${String(offset)} after ${at}`)
      at = Number(offset) + piece.length
      assert.isTrue(content.slice(Number(offset), at) === piece, `another text at ${String(offset)}`)
    }
    if (!gaps) assert.strictEqual(at, content.length)
  }
}

export interface Expected {
  /** The first number; default 1. */
  readonly first?: number
  /** The reader was slow: deltas may be missing, never wrong. */
  readonly gaps?: boolean
}

/** Every line parses, facts are numbered without a gap, one terminal event stands last, texts are what was streamed. */
export const judged = (stdout: string, { first = 1, gaps = false }: Expected = {}): ReadonlyArray<Line> => {
  assert.isTrue(stdout.endsWith("\n"), "the last line is whole")
  const lines = stdout.slice(0, -1).split("\n").map(parse)
  const numbers = lines.flatMap(({ seq }) => seq ?? [])
  assert.deepStrictEqual(
    numbers,
    numbers.map((_, i) => first + i)
  )
  assert.deepStrictEqual(
    lines.flatMap(({ type }, i) => (TERMINAL.has(type) ? [i] : [])),
    [lines.length - 1]
  )
  sameText(lines, gaps)
  return lines
}

export const typesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.filter(({ seq }) => seq !== undefined).map(({ type }) => type)
