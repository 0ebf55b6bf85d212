/**
 * Quoted texts of code, in whatever language (SECURITY P4, P12). Owns: where such a text begins and ends, in one pass: a text
 * full of openings that never close costs no more than any other. Pure. Invariant: a quote that is not closed quotes nothing.
 */
export interface Literal {
  readonly value: string
  /** Of the opening quote, and behind the closing one. */
  readonly from: number
  readonly to: number
}

const QUOTE = /["'`]/g

/** Where it closes, or -1 and how far was looked: from no quote of its kind before there would that be otherwise. */
const closing = (text: string, from: number, quote: string): readonly [at: number, seen: number] => {
  for (let at = from + 1; at < text.length; at += 1) {
    const one = text[at]
    if (one === quote) return [at, at]
    if (one === "\n" && quote !== "`") return [-1, at]
    if (one === "\\") at += 1
  }
  return [-1, text.length]
}

/** A line's end ends all but those of backticks, unless a backslash stands before it. */
export const literals = (text: string, most = Number.POSITIVE_INFINITY): ReadonlyArray<Literal> => {
  const open: Record<string, number> = { '"': -1, "'": -1, "`": -1 }
  const found: Array<Literal> = []
  QUOTE.lastIndex = 0
  for (let next = QUOTE.exec(text); next !== null && found.length < most; next = QUOTE.exec(text)) {
    const quote = next[0]
    if (next.index < open[quote]!) continue
    const [at, seen] = closing(text, next.index, quote)
    if (at < 0) open[quote] = seen
    else {
      found.push({ value: text.slice(next.index + 1, at), from: next.index, to: at + 1 })
      QUOTE.lastIndex = at + 1
    }
  }
  return found
}
