/**
 * Brace expansion, which is static text: `{curl,-v}` is two words before anything runs (SECURITY corpus, denyrule).
 * Owns: lists, nesting, sequences. Invariant: more than `MAX_BRACE_WORDS` words is no answer, never a part of one.
 */
export const MAX_BRACE_WORDS = 1_000

/** Index behind the brace that closes the one at `start`, or -1. */
const closing = (text: string, start: number): number => {
  let depth = 0
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === "{") depth += 1
    else if (text[i] === "}" && (depth -= 1) === 0) return i
  }
  return -1
}

/** The comma-separated parts of the text between two braces; one part: it is no list. */
const alternatives = (inner: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  let depth = 0
  let from = 0
  for (let i = 0; i < inner.length; i += 1) {
    if (inner[i] === "{") depth += 1
    else if (inner[i] === "}") depth -= 1
    else if (inner[i] === "," && depth === 0) {
      out.push(inner.slice(from, i))
      from = i + 1
    }
  }
  return [...out, inner.slice(from)]
}

const NUMBERS = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/
const LETTERS = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d+))?$/

const steps = (from: number, to: number, by: string | undefined, show: (n: number) => string) => {
  const step = Math.max(1, Math.abs(Number(by ?? 1)))
  const count = Math.floor(Math.abs(to - from) / step) + 1
  if (!(count <= MAX_BRACE_WORDS)) return undefined
  return Array.from({ length: count }, (_, i) => show(from + (to < from ? -i : i) * step))
}

const sequence = (inner: string): ReadonlyArray<string> | undefined | "none" => {
  const numbers = NUMBERS.exec(inner)
  if (numbers !== null) {
    const [, a = "", b = "", by] = numbers
    const width = /^-?0\d/.test(a) || /^-?0\d/.test(b) ? Math.max(a.length, b.length) : 0
    const pad = (n: number) => (n < 0 ? `-${String(-n).padStart(width - 1, "0")}` : String(n).padStart(width, "0"))
    return steps(Number(a), Number(b), by, pad)
  }
  const letters = LETTERS.exec(inner)
  if (letters === null) return "none"
  const [, a = "", b = "", by] = letters
  return steps(a.charCodeAt(0), b.charCodeAt(0), by, (n) => String.fromCharCode(n))
}

/** What stands between two braces, or `"none"` where they are ordinary characters. */
const group = (inner: string): ReadonlyArray<string> | undefined | "none" => {
  const parts = alternatives(inner)
  return parts.length > 1 ? parts : sequence(inner)
}

/** The words that unquoted text becomes; undefined: too many. */
export const expandBraces = (text: string, depth = 0): ReadonlyArray<string> | undefined => {
  if (depth > 64) return undefined
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", start + 1)) {
    const end = closing(text, start)
    if (end < 0) continue
    const found = group(text.slice(start + 1, end))
    if (found === "none") continue
    if (found === undefined) return undefined
    const tails = expandBraces(text.slice(end + 1), depth + 1)
    const heads = found.map((part) => expandBraces(part, depth + 1))
    if (tails === undefined || heads.some((head) => head === undefined)) return undefined
    const middle = heads.flatMap((head) => head ?? [])
    if (middle.length * tails.length > MAX_BRACE_WORDS) return undefined
    return middle.flatMap((head) => tails.map((tail) => text.slice(0, start) + head + tail))
  }
  return [text]
}
