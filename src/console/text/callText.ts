/** A tool call in one line and its arguments as people read them. Pure. Invariant: any arguments, also broken ones, give text with nothing hidden in it. */
import { reveal } from "./reveal.ts"

export interface CallText {
  /** What it is about: the command, the path, the pattern. */
  readonly subject: string
  /** Everything else that was given, spelt out. */
  readonly rest: ReadonlyArray<readonly [name: string, value: string]>
}

const SUBJECTS = ["command", "path", "file_path", "url", "query", "pattern", "title", "prompt", "name"]

/** Deeper ones are not indented: that would be longer than anybody reads, by the square of the depth. */
const DEEPEST = 24

const isDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1)))

const jsonOf = (value: unknown): string => (isDeep(value) ? JSON.stringify(value) : JSON.stringify(value, null, 2))

const textOf = (value: unknown): string => reveal(typeof value === "string" ? value : jsonOf(value))

const parsed = (content: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

export const callText = (content: string): CallText => {
  const fields = parsed(content)
  if (fields === undefined) return { subject: reveal(content), rest: [] }
  const name = SUBJECTS.find((one) => typeof fields[one] === "string")
  const rest = Object.entries(fields).filter(([key]) => key !== name)
  if (name === undefined)
    return {
      subject: rest.map(([, value]) => textOf(value)).join(" "),
      rest: rest.map(([key, value]) => [reveal(key), textOf(value)])
    }
  return { subject: textOf(fields[name]), rest: rest.map(([key, value]) => [reveal(key), textOf(value)]) }
}

/** How many lines a text has, and its first and last ones where it has too many. */
export const folded = (text: string, most: number): { readonly text: string; readonly hidden: number } => {
  const lines = text.split("\n")
  if (lines.length <= most + 1) return { text, hidden: 0 }
  const [head, tail] = [Math.ceil(most / 3), Math.floor((most * 2) / 3)]
  return { text: [...lines.slice(0, head), "⋯", ...lines.slice(-tail)].join("\n"), hidden: lines.length - head - tail }
}

/** The name of a file's language: its ending. */
export const endingOf = (path: string): string => /\.([A-Za-z0-9]+)$/.exec(path)?.[1] ?? ""
