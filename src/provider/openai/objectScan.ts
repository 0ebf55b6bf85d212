/**
 * Where the first JSON object of a growing text closes. Owns: counting braces outside strings, each character once.
 * Does not own: validity (that is `isObjectText`, a real parse).
 * Invariant: advancing by pieces gives what advancing by their concatenation gives.
 */
export interface Scan {
  readonly length: number
  readonly depth: number
  readonly quoted: boolean
  readonly escaped: boolean
  /** Just behind the brace or bracket that closed the first value. */
  readonly end: number | undefined
}

export const startScan: Scan = { length: 0, depth: 0, quoted: false, escaped: false, end: undefined }

const BACKSLASH = 92
const QUOTE = 34
const isOpener = (c: number) => c === 123 || c === 91
const isCloser = (c: number) => c === 125 || c === 93

export const advance = (scan: Scan, piece: string): Scan => {
  let { depth, quoted, escaped, end } = scan
  if (end !== undefined) return { ...scan, length: scan.length + piece.length }
  for (let i = 0; i < piece.length; i++) {
    const c = piece.charCodeAt(i)
    if (escaped) escaped = false
    else if (quoted) {
      if (c === BACKSLASH) escaped = true
      else if (c === QUOTE) quoted = false
    } else if (c === QUOTE) quoted = true
    else if (isOpener(c)) depth++
    else if (isCloser(c) && --depth <= 0) {
      end = scan.length + i + 1
      break
    }
  }
  return { length: scan.length + piece.length, depth, quoted, escaped, end }
}

/** Whether the text is JSON and an object. */
export const isObjectText = (text: string): boolean => {
  const first = text.trimStart()[0]
  if (first !== "{") return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
