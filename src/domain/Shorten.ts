/** A long text made short: head and tail stay, the middle is counted. Pure; the same text gives the same again. */
import type { HistoryItem } from "./Session.ts"

export interface Shortened {
  readonly text: string
  readonly cut: boolean
}

/** At most about `limit` UTF-16 units, never half a surrogate pair. `why`: behind the count, for who reads it. */
export const shorten = (text: string, limit: number, why = ""): Shortened => {
  if (text.length <= limit) return { text, cut: false }
  const half = Math.floor(limit / 2)
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "")
  const tail = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "")
  const left = text.length - head.length - tail.length
  return { text: `${head}\n[... ${left} characters left out${why} ...]\n${tail}`, cut: true }
}

const WHY = " to save room; call the tool again to see them"
/** Nobody has read these; little longer than the other one, so that what has this mark is not shortened for it. */
const UNREAD = " since not all results fit; call again for the part you need"

/**
 * The item with at most about so many characters in each of its results; the same object where none is longer.
 * `unread`: the model has not seen them yet, and is told so.
 */
export const shortResults = (item: HistoryItem, chars: number, unread = false): HistoryItem => {
  if (item.kind !== "answer") return item
  // What was shortened before has its mark on top.
  const long = (text: string) => text.length > chars + WHY.length + 64
  if (!item.calls.some(({ result }) => result !== undefined && long(result.result))) return item
  const calls = item.calls.map((call) =>
    call.result === undefined || !long(call.result.result)
      ? call
      : { ...call, result: { ...call.result, result: shorten(call.result.result, chars, unread ? UNREAD : WHY).text } }
  )
  return { ...item, calls }
}
