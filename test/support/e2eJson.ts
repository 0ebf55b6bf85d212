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

const TERMINAL = ["task_completed", "task_canceled", "task_failed"]

/** Each stream's deltas, joined. */
const streamed = (lines: ReadonlyArray<Line>) => {
  const found = new Map<string, string>()
  for (const { type, stream_id = "", content = "" } of lines) {
    if (type === "text_delta") found.set(stream_id, (found.get(stream_id) ?? "") + content)
  }
  return found
}

/** Every line parses, facts are numbered without a gap, one terminal event stands last, texts are what was streamed. */
export const judged = (stdout: string, first = 1): ReadonlyArray<Line> => {
  assert.isTrue(stdout.endsWith("\n"), "the last line is whole")
  const lines = stdout.slice(0, -1).split("\n").map(parse)
  const numbers = lines.flatMap(({ seq }) => seq ?? [])
  assert.deepStrictEqual(
    numbers,
    numbers.map((_, i) => first + i)
  )
  assert.deepStrictEqual(
    lines.flatMap(({ type }, i) => (TERMINAL.includes(type) ? [i] : [])),
    [lines.length - 1]
  )
  const deltas = streamed(lines)
  for (const { type, stream_id = "", content = "" } of lines) {
    if (type !== "text_completed") continue
    const shown = deltas.get(stream_id) ?? ""
    // A difference of megabytes is better told by its size.
    if (content.length > 100_000) assert.strictEqual(shown.length, content.length)
    assert.isTrue(shown === content, `streamed ${shown.slice(0, 200)} but completed ${content.slice(0, 200)}`)
  }
  return lines
}

export const typesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.filter(({ seq }) => seq !== undefined).map(({ type }) => type)
