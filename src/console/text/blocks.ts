/**
 * A Markdown text as blocks that stand for themselves, so that of a growing text only the last one is drawn again. Pure.
 * Invariants: the blocks joined are the text; none is longer than its bound: what is longer comes in plain pieces, which
 * nobody parses; while a text grows, a block with two others behind it never changes again and is not looked at again.
 */
export interface Block {
  readonly text: string
  /** Where it begins in the text: its name for as long as the text only grows. */
  readonly at: number
  /** It is a piece of something longer than may be parsed: shown as it is. */
  readonly plain: boolean
}

interface Bound {
  readonly chars: number
  readonly lines: number
}

/** Time to parse grows faster than the text does. */
const TEXT: Bound = { chars: 8_000, lines: 200 }
export const CODE: Bound = { chars: 20_000, lines: 500 }
/** Of a line so much is looked at in one step; a longer one comes in several. */
const STEP = 4_000
const MOST_DEFINED = 8_000
/** Each is looked for in all that stand before it: a text that is made of them takes seconds, and means nothing. */
const MARKS = /[*_[\]<~]/g
const MOST_MARKS = 1_500

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const INDENTED = /^(?: {2,}|\t)/
const BLANK = /^\s*$/
/** An item at the left edge: a list may be cut in front of it. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/
/** Quotes in quotes, lists in lists: each level is a level of the page, and nobody means so many. */
const DEEP = /^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+){50}/

const isDense = (text: string): boolean => text.length > MOST_MARKS && (text.match(MARKS)?.length ?? 0) > MOST_MARKS

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

/** How long the step is that begins at a place: a line, or so much of a longer one; undefined: it may still grow. */
const stepAt = (text: string, at: number): number | undefined => {
  const part = text.slice(at, at + STEP)
  const end = part.indexOf("\n")
  if (end !== -1) return end + 1
  if (part.length < STEP) return undefined
  // A character of two units stays whole.
  return (part.charCodeAt(STEP - 1) & 0xfc00) === 0xd800 ? STEP - 1 : STEP
}

/** Reads a text line by line. What has come out of it stays. */
class Splitter {
  out: Array<Block> = []
  /** How far it has read. */
  at = 0
  /** Where the block begins that is read now, or the piece of it. */
  private head = 0
  private lines = 0
  private plain = false
  private code = false
  private fence: Fence | undefined
  /** The last line was blank, or there was none. */
  private parted = true
  private begun = false
  private inList = false
  /** The block before ended by itself: a fence that was closed. */
  private ended = false
  /** What comes next goes on with a line that is longer than a step. */
  private within = false

  /** One that goes on from here and leaves this one as it is. */
  fork(): Splitter {
    return Object.assign(new Splitter(), this, { out: [] })
  }

  /** The whole steps of a text from where it stands. */
  read(text: string): this {
    for (let length = stepAt(text, this.at); length !== undefined; length = stepAt(text, this.at))
      this.step(text, length)
    return this
  }

  /** What is left, as if nothing came any more. */
  finish(text: string): ReadonlyArray<Block> {
    if (this.at < text.length) this.step(text, text.length - this.at)
    this.flush(text, text.length)
    return this.out
  }

  private step(text: string, length: number): void {
    const [from, to] = [this.at, this.at + length]
    const ends = text.charAt(to - 1) === "\n"
    if (!this.within) this.line(text, text.slice(from, ends ? to - 1 : to))
    this.within = !ends
    this.at = to
    this.grow(text, from, to)
  }

  private flush(text: string, to: number): void {
    const block = text.slice(this.head, to)
    if (block !== "") this.out.push({ at: this.head, text: block, plain: this.plain || (!this.code && isDense(block)) })
    this.head = to
    this.lines = 0
  }

  /** The block has one step more; a block beyond its bound becomes plain, and a piece beyond it comes out. */
  private grow(text: string, from: number, to: number): void {
    this.lines++
    const bound = this.code && !this.plain ? CODE : TEXT
    if (to - this.head <= bound.chars && this.lines <= bound.lines) return
    if (this.plain || from === this.head) {
      this.flush(text, from)
      this.lines = 1
      return
    }
    this.plain = true
    this.lines = 0
    for (let at = this.head; at < to;) {
      const next = Math.min(to, at + (stepAt(text, at) ?? to - at))
      this.grow(text, at, next)
      at = next
    }
  }

  private begins(line: string, at: number, fence: Fence | undefined): boolean {
    if (!this.begun) return false
    const item = this.inList && LIST.test(line)
    const long = at - this.head > TEXT.chars / 2 || this.lines > TEXT.lines / 2
    if (item && long && ITEM.test(line)) return true
    const belongs = item || (this.inList && INDENTED.test(line))
    return this.ended || (this.parted && !belongs) || (fence !== undefined && !this.inList)
  }

  private line(text: string, line: string): void {
    const at = this.at
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
    const fence = opens(line)
    const begins = this.begins(line, at, fence)
    if (begins) {
      this.flush(text, at)
      this.plain = false
    }
    if (begins || !this.begun) {
      this.inList = LIST.test(line)
      this.code = fence !== undefined
    }
    this.begun = true
    if (DEEP.test(line)) this.plain = true
    this.parted = false
    this.ended = false
    this.fence = fence
  }
}

export interface Blocks {
  readonly source: string
  readonly blocks: ReadonlyArray<Block>
  /** Those that will not change, and the splitter that made them. */
  readonly settled: ReadonlyArray<Block>
  readonly splitter: Splitter
}

/** The blocks of a text; where it goes on from `before`, only what has come since is looked at. */
export const split = (text: string, before?: Blocks): Blocks => {
  if (before?.source === text) return before
  const goesOn = before !== undefined && text.startsWith(before.source)
  const splitter = (goesOn ? before.splitter.fork() : new Splitter()).read(text)
  const settled = goesOn ? [...before.settled, ...splitter.out] : splitter.out
  return { source: text, blocks: [...settled, ...splitter.fork().finish(text)], settled, splitter }
}

/** Blocks that are drawn together, or not at all. */
export interface Chunk {
  readonly at: number
  readonly blocks: ReadonlyArray<Block>
}

const MOST_BLOCKS = 40

const same = (a: ReadonlyArray<Block>, b: ReadonlyArray<Block> | undefined): boolean =>
  b !== undefined && a.length === b.length && a.every((block, i) => block === b[i])

/** The blocks in chunks of a bounded size; those of `before` that did not change are the same objects. */
export const chunks = ({ blocks }: Blocks, before: ReadonlyArray<Chunk> = []): ReadonlyArray<Chunk> => {
  const groups: Array<Array<Block>> = []
  let size = 0
  for (const block of blocks) {
    const last = groups.at(-1)
    size += block.text.length
    if (last !== undefined && last.length < MOST_BLOCKS && size <= TEXT.chars) last.push(block)
    else {
      groups.push([block])
      size = block.text.length
    }
  }
  return groups.map((group, i) => {
    const was = before[i]
    return was !== undefined && same(group, was.blocks) ? was : { at: group[0]?.at ?? 0, blocks: group }
  })
}

/** Definitions that links of any block may refer to: `[name]: https://…`. Each block has them parsed with it: not too many. */
export const definitions = (text: string): string => {
  const found = text.includes("]:") ? (text.match(/^ {0,3}\[[^\]\n]+\]:[ \t]+\S.*$/gm) ?? []) : []
  let size = 0
  return found.filter((one) => (size += one.length) <= MOST_DEFINED).join("\n")
}
