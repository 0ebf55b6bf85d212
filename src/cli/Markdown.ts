/**
 * Markdown for a terminal, also while it is still being written. Owns: which blocks there are and when one is finished.
 * The looks of blocks are markdownBlocks' and of text markdownInline's. Invariants: lines are safe for the terminal and
 * no wider than asked; what stands before `stablePrefix` is never drawn differently because of what follows
 * (except where a link's address is defined later by name).
 * The grammar is `marked`'s; it is loaded when first wanted, until then text is shown as it is.
 */
import type { Token } from "marked"
import { renderBlocks } from "./markdownBlocks.ts"
import { sanitise } from "./Sanitise.ts"
import { wrap } from "./Width.ts"

export interface MarkdownOptions {
  readonly columns: number
  readonly color: boolean
}

let lexer: ((text: string) => ReadonlyArray<Token>) | undefined

/** Loads the grammar. Rendering before that shows the source. */
export const loadMarkdown = async (): Promise<void> => {
  const marked = await import("marked")
  lexer = (text) => marked.lexer(text)
}

/** Nothing where the grammar is not there, or gives up on absurd nesting. */
const lex = (text: string): ReadonlyArray<Token> | undefined => {
  try {
    return lexer?.(text)
  } catch {
    return undefined
  }
}

/** The text as lines without their breaks. Blocks are a blank line apart. */
export const renderMarkdown = (text: string, options: MarkdownOptions): ReadonlyArray<string> => {
  const safe = sanitise(text)
  const blocks = lex(safe)
  return blocks === undefined ? wrap(safe.trimEnd(), options.columns) : renderBlocks(blocks, options)
}

// A block that begins so at the left edge is a paragraph, whatever follows.
const paragraphStart = /^(?:\*\*|`)?\p{L}/u
// A block that begins so ends the one before it without a blank line.
const interrupting = /^(?:`{3}|~{3}|#{1,6} )/

/** Whether nothing that follows can become a part of this block. */
const closed = (block: Token, blankAfter: boolean): boolean => {
  if (block.type === "heading" || block.type === "hr") return true
  if (block.type === "code" && /^ {0,3}(?:```|~~~)/.test(block.raw)) return true
  return blankAfter || /\n[ \t]*\n$/.test(block.raw)
}

/** One kind of line break; a lone return is drawn as an escape, so it is none. */
const unified = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll("\r", " ")

/** How much of the text is behind so many characters of its unified form. */
const rawLength = (text: string, unifiedLength: number): number => {
  if (!text.includes("\r")) return unifiedLength
  let raw = 0
  for (let i = 0; i < unifiedLength; i++) raw += text.startsWith("\r\n", raw) ? 2 : 1
  return raw
}

/**
 * The length of the beginning whose blocks are finished: everything before the last block, as soon as the first line
 * of that says what it is.
 */
export const stablePrefix = (text: string): number => {
  const blocks = lex(unified(text))
  const last = blocks?.findLastIndex((block) => block.type !== "space") ?? -1
  if (blocks === undefined || last < 1) return 0
  const finished = blocks.slice(0, last)
  const done = finished.map((block) => block.raw).join("")
  const end = rawLength(text, done.length)
  const rest = text.slice(end)
  const before = finished.findLast((block) => block.type !== "space")
  // What stands behind an empty item ("1. ") is called space too, without a blank line.
  const blankAfter = /\n[ \t]*\n$/.test(done)
  if (before === undefined || !(closed(before, blankAfter) || interrupting.test(rest))) return 0
  return rest.includes("\n") || (blankAfter && paragraphStart.test(rest)) ? end : 0
}

/** The line that opened the code block which the text ends in, where it does. */
export const openFence = (text: string): string | undefined => {
  const last = lex(unified(text))?.at(-1)
  if (last?.type !== "code") return undefined
  const opening = /^(`{3,}|~{3,})[^\n]*\n/.exec(last.raw)
  const fence = opening?.[1]
  if (opening === null || fence === undefined) return undefined
  const end = last.raw.trimEnd().split("\n").at(-1)?.trim() ?? ""
  const ended = last.raw.trimEnd().includes("\n") && end.startsWith(fence) && end.replaceAll(fence[0] ?? "", "") === ""
  return ended ? undefined : opening[0]
}
