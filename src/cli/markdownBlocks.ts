/**
 * Markdown blocks as terminal lines. Owns: the look of headings, lists, quotes, code, rules. Tables are markdownTable's.
 * Invariant: no line is wider than the columns, however deep it is nested.
 */
import type { Token, Tokens } from "marked"
import { inlineRuns, type Looks, plain, type StyledRun } from "./markdownInline.ts"
import { tableLines } from "./markdownTable.ts"
import { styled } from "./Style.ts"
import { cut, fold, width, wrapRuns } from "./Width.ts"

export type StyledLine = ReadonlyArray<StyledRun>
type Lines = ReadonlyArray<StyledLine>

// Nesting ends where less than this would be left for text.
const NARROW = 6
const RULE = 40

/** Wraps runs, at hard breaks too. */
export const paragraphLines = (runs: ReadonlyArray<StyledRun>, columns: number): Lines => {
  const paragraphs: Array<Array<StyledRun>> = [[]]
  for (const run of runs) {
    if (run.text === "\n") paragraphs.push([])
    else paragraphs.at(-1)?.push({ ...run, text: run.text.replaceAll("\t", " ") })
  }
  return paragraphs.flatMap((paragraph) => wrapRuns(paragraph, columns))
}

/** Lines of something nested behind a prefix: `first` before its first line, `next` before the others. */
const behind = (
  first: string,
  next: string,
  style: Looks,
  columns: number,
  inner: (columns: number) => Lines
): Lines => {
  const left = columns - width(first)
  if (left < NARROW) return inner(columns)
  return inner(left).map((line, i) => [{ text: i === 0 ? first : next, style }, ...line])
}

const listLines = (list: Tokens.List, columns: number, color: boolean): Lines => {
  const start = typeof list.start === "number" ? list.start : 1
  const digits = String(start + list.items.length - 1).length
  return list.items.flatMap((item, i): Lines => {
    const marker = list.ordered ? `${String(start + i).padStart(digits)}. ` : "• "
    const inner = (left: number) => blockLines(item.tokens, left, color, list.loose)
    const lines = behind(marker, " ".repeat(width(marker)), plain, columns, inner)
    const own = lines.length === 0 ? [[{ text: cut(marker.trimEnd(), columns), style: plain }]] : lines
    return list.loose && i > 0 ? [[], ...own] : own
  })
}

const codeLines = (text: string, columns: number, looks: Looks): Lines =>
  behind("  ", "  ", plain, columns, (left) => fold(text, left).map((line) => [{ text: line, style: looks }]))

const linesOf = (token: Token, columns: number, color: boolean): Lines => {
  switch (token.type) {
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading
      const looks: Looks = depth === 1 ? ["bold", "underline"] : ["bold"]
      const hashes = color ? [] : [{ text: `${"#".repeat(depth)} `, style: looks }]
      return paragraphLines([...hashes, ...inlineRuns(tokens, looks, color)], columns)
    }
    case "code":
      return codeLines((token as Tokens.Code).text, columns, plain)
    case "list":
      return listLines(token as Tokens.List, columns, color)
    case "blockquote":
      return behind("│ ", "│ ", ["dim"], columns, (left) => blockLines(token.tokens ?? [], left, color))
    case "table":
      return tableLines(token as Tokens.Table, columns, color)
    case "hr":
      return [[{ text: "─".repeat(Math.min(columns, RULE)), style: ["dim"] }]]
    case "html":
      return fold(token.raw.trimEnd(), columns).map((line) => [{ text: line, style: ["dim"] as Looks }])
    case "def":
      return []
    default:
      return paragraphLines(inlineRuns([token], plain, color), columns)
  }
}

/** A block's own text and what stands on the same line before it (a task's box) are one paragraph. */
const joined = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const box = tokens[0]
  const text = tokens[1]
  if (box?.type !== "checkbox" || text === undefined) return tokens
  const inner = "tokens" in text && text.tokens !== undefined ? text.tokens : [text]
  return [{ type: "paragraph", raw: text.raw, tokens: [box, ...inner] }, ...tokens.slice(2)]
}

const blockLines = (tokens: ReadonlyArray<Token>, columns: number, color: boolean, apart = true): Lines => {
  const out: Array<StyledLine> = []
  for (const token of joined(tokens)) {
    const lines = token.type === "space" ? [] : linesOf(token, columns, color)
    if (lines.length === 0) continue
    if (apart && out.length > 0) out.push([])
    out.push(...lines)
  }
  return out
}

/** Blocks as finished lines. */
export const renderBlocks = (
  tokens: ReadonlyArray<Token>,
  options: { readonly columns: number; readonly color: boolean }
): ReadonlyArray<string> =>
  blockLines(tokens, Math.max(1, options.columns), options.color).map((line) =>
    line
      .map((run) => styled(run.text, run.style, options.color))
      .join("")
      .trimEnd()
  )
