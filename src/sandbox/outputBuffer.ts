/**
 * What a process says, kept bounded while it streams: the first part, the last part, and a count of what was between
 * (LESSONS 18). Owns: bounds, decoding of one pipe, the live rate. Invariant: memory does not grow with the output,
 * and every text that leaves here is valid Unicode without NUL.
 */
export interface OutputLimits {
  /** UTF-16 units kept from the start and from the end. */
  readonly head_chars: number
  readonly tail_chars: number
  /** UTF-16 units shown live per 100 ms; the rest is counted, so that a flood cannot drown the watchers. */
  readonly live_chars: number
}

export interface Captured {
  readonly text: string
  readonly total_chars: number
  readonly truncated: boolean
}

const isHigh = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xd800
const isLow = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00

/** The longest start of at most `length` units that cuts no character in half. */
export const startOf = (text: string, length: number): string =>
  text.slice(0, length > 0 && length < text.length && isHigh(text, length - 1) ? length - 1 : length)

/** The longest end of at most `length` units that cuts no character in half. */
export const endOf = (text: string, length: number): string => {
  const from = Math.max(0, text.length - length)
  return text.slice(from > 0 && isLow(text, from) ? from + 1 : from)
}

export const makeCapture = (limits: OutputLimits) => {
  let head = ""
  let headFull = false
  let tail = ""
  let total = 0
  const push = (text: string): void => {
    total += text.length
    let rest = text
    if (!headFull) {
      const part = startOf(text, limits.head_chars - head.length)
      head += part
      rest = text.slice(part.length)
      headFull = rest !== ""
    }
    tail += rest
    if (tail.length > 2 * limits.tail_chars) tail = endOf(tail, limits.tail_chars)
  }
  const result = (): Captured => {
    const end = endOf(tail, limits.tail_chars)
    const omitted = total - head.length - end.length
    const text = omitted === 0 ? head + end : `${head}\n[… ${omitted} characters omitted …]\n${end}`
    return { text, total_chars: total, truncated: omitted > 0 }
  }
  return { push, result }
}

/** One decoder per pipe: a character cut between two reads is one character (LESSONS 18). */
export const makeDecoder = () => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const clean = (text: string) => (text.includes("\u0000") ? text.replaceAll("\u0000", "\ufffd") : text)
  return {
    decode: (bytes: Uint8Array): string => clean(decoder.decode(bytes, { stream: true })),
    end: (): string => clean(decoder.decode())
  }
}

const WINDOW_MS = 100

/** Hands text on at a bounded rate; what is left out is counted and said. */
export const makeLive = (emit: (text: string) => void, limits: OutputLimits, now: () => number) => {
  let windowEnds = 0
  let room = 0
  let skipped = 0
  const notice = (): string => {
    const text = `\n[… ${skipped} characters not shown live …]\n`
    skipped = 0
    return text
  }
  const push = (text: string): void => {
    if (text === "") return
    if (now() >= windowEnds) {
      windowEnds = now() + WINDOW_MS
      room = limits.live_chars
    }
    const part = startOf(text, room)
    if (part !== "") emit((skipped > 0 ? notice() : "") + part)
    room -= part.length
    skipped += text.length - part.length
  }
  return { push, end: () => void (skipped > 0 && emit(notice())) }
}
