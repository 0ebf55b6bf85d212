/**
 * A Markdown text as blocks that stand for themselves, so that of a growing text only the last one is drawn again. Pure.
 * Invariants: the blocks joined are the text; while a text grows, a block with two others behind it never changes again.
 */
export interface Block {
  readonly text: string
  /** Where it begins in the text: its name for as long as the text only grows. */
  readonly at: number
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const INDENTED = /^(?: {2,}|\t)/
const BLANK = /^\s*$/

interface Fence {
  readonly mark: string
  readonly length: number
}

const opens = (line: string): Fence | undefined => {
  const found = FENCE.exec(line)
  const mark = found?.[1]
  if (mark === undefined || (mark.startsWith("`") && (found?.[2] ?? "").includes("`"))) return undefined
  return { mark: mark.charAt(0), length: mark.length }
}

const closes = (line: string, fence: Fence): boolean => {
  const found = FENCE.exec(line)
  const mark = found?.[1] ?? ""
  return mark.startsWith(fence.mark) && mark.length >= fence.length && BLANK.test(found?.[2] ?? "")
}

/** Where the lines of a text begin that begin a block. */
class Splitter {
  readonly starts: Array<number> = []
  private fence: Fence | undefined
  /** The last line was blank, or there was none. */
  private parted = true
  private inList = false
  /** The block before ended by itself: a fence that was closed. */
  private ended = false

  line(line: string, at: number): void {
    if (this.fence !== undefined) {
      if (!closes(line, this.fence)) return
      this.fence = undefined
      this.ended = !this.inList
      return
    }
    if (BLANK.test(line)) {
      this.parted = true
      return
    }
    const belongs = this.inList && (INDENTED.test(line) || LIST.test(line))
    const fence = opens(line)
    const begins =
      this.starts.length === 0 || this.ended || (this.parted && !belongs) || (fence !== undefined && !this.inList)
    if (begins) {
      this.starts.push(at)
      this.inList = LIST.test(line)
    }
    this.parted = false
    this.ended = false
    this.fence = fence
  }
}

const cut = (text: string, from: number): ReadonlyArray<Block> => {
  const splitter = new Splitter()
  for (let at = from; at < text.length;) {
    const next = text.indexOf("\n", at)
    const end = next === -1 ? text.length : next + 1
    splitter.line(text.slice(at, next === -1 ? end : next), at)
    at = end
  }
  // Blank lines before the first block are its own.
  const starts = splitter.starts.length === 0 ? [from] : [from, ...splitter.starts.slice(1)]
  return starts.map((at, i) => ({ at, text: text.slice(at, starts[i + 1] ?? text.length) }))
}

export interface Blocks {
  readonly source: string
  readonly blocks: ReadonlyArray<Block>
}

/** The blocks of a text; where it goes on from `before`, only what may have changed is looked at again. */
export const split = (text: string, before?: Blocks): Blocks => {
  if (text === "") return { source: text, blocks: [] }
  if (before?.source === text) return before
  // What an unfinished line begins may turn out to belong to the block before it.
  const from = before?.blocks.at(-2)
  if (before === undefined || from === undefined || !text.startsWith(before.source))
    return { source: text, blocks: cut(text, 0) }
  return { source: text, blocks: [...before.blocks.slice(0, -2), ...cut(text, from.at)] }
}

/** Definitions that links of any block may refer to: `[name]: https://…`. */
export const definitions = (text: string): string =>
  text.includes("]:") ? (text.match(/^ {0,3}\[[^\]\n]+\]:[ \t]+\S.*$/gm) ?? []).join("\n") : ""
