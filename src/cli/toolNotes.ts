/**
 * One line about a tool call, and one about its end. Owns: what of the arguments and of the result is worth a line.
 * Invariant: a line is one line, safe for the terminal, and short.
 */
import type { Durable } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"
import { texts } from "./texts.ts"
import { cut } from "./Width.ts"

const SUMMARY = 100
// What says most about a call, in this order.
const telling = ["command", "pattern", "query", "path", "file_path", "url", "title", "prompt", "name"]

const oneLine = (text: string, columns: number): string =>
  cut(
    sanitise(text.slice(0, columns * 8))
      .trim()
      .replaceAll(/\s*\n\s*/g, " ⏎ ")
      .replaceAll(/\s+/g, " "),
    columns
  )

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

const plain = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** The arguments on one line: the telling one alone, with a pattern's place beside it, or all of them. */
export const argumentSummary = (argumentsJson: string, columns = SUMMARY): string => {
  const value = parsed(argumentsJson)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return oneLine(plain(value), columns)
  const args = value as Readonly<Record<string, unknown>>
  const key = telling.find((name) => typeof args[name] === "string" && args[name] !== "")
  if (key !== undefined) {
    const place = key !== "path" && key !== "command" && typeof args["path"] === "string" ? ` ${args["path"]}` : ""
    return oneLine(plain(args[key]) + place, columns)
  }
  return oneLine(
    Object.entries(args)
      .map(([name, one]) => `${name}=${plain(one)}`)
      .join(" "),
    columns
  )
}

/** `● bash  node --test` */
export const toolStarted = (tool_name: string, argumentsJson: string, columns = SUMMARY): string => {
  const name = oneLine(tool_name, 40)
  const summary = argumentSummary(argumentsJson, columns)
  return summary === "" ? `● ${name}` : `● ${name}  ${summary}`
}

export const duration = (ms: number): string =>
  ms < 1_000
    ? `${ms} ms`
    : ms < 60_000
      ? `${(ms / 1_000).toFixed(1)} s`
      : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`

const firstLines = (text: string, columns: number): string => {
  const lines = text
    .slice(0, 2_000)
    .split("\n")
    .filter((line) => line.trim() !== "")
  return oneLine(lines.slice(0, 2).join("\n"), columns)
}

/** What was stopped from outside has no duration of its own. */
const timeless: ReadonlySet<string> = new Set(["cancelled", "uncertain", "denied"])

/** `  ✗ bash  error · exit 1 · 2.1 s · cut short: AssertionError …`; `which`: what tells it apart from other calls. */
export const toolEnded = (event: Durable<"tool_result">, locale: Locale, columns = SUMMARY, which?: string): string => {
  const text = texts[locale]
  const facts = [
    text.toolStatus[event.status],
    ...(event.exit_code === undefined || (event.exit_code === 0 && event.status === "ok")
      ? []
      : [text.exit(event.exit_code)]),
    ...(event.signal === undefined ? [] : [text.signal(oneLine(event.signal, 20))]),
    ...(event.truncated === true ? [text.truncated] : []),
    ...(timeless.has(event.status) ? [] : [duration(event.duration_ms)])
  ]
  const mark = event.status === "ok" && !event.is_error ? "✓" : "✗"
  const why = event.is_error ? firstLines(event.result, columns) : ""
  const name = oneLine(event.tool_name, 40)
  return `  ${mark} ${which === undefined ? name : `${name}  ${which}`}  ${facts.join(" · ")}${why === "" ? "" : `: ${why}`}`
}
