/** A last bound on what a tool's result may bring into the history: head and tail stay, the middle is counted. */
export interface Bounded {
  readonly text: string
  readonly cut: boolean
}

/** At most about `limit` UTF-16 units, never half a surrogate pair. */
export const cut = (text: string, limit: number): Bounded => {
  if (text.length <= limit) return { text, cut: false }
  const half = Math.floor(limit / 2)
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "")
  const tail = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "")
  const left = text.length - head.length - tail.length
  return { text: `${head}\n[... ${left} characters left out ...]\n${tail}`, cut: true }
}
