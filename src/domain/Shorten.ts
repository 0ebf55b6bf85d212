/** A long text made short: head and tail stay, the middle is counted. Pure; the same text gives the same again. */
import type { HistoryItem } from "./Session.ts"

export interface Shortened {
  readonly text: string
  readonly cut: boolean
}

/** What an earlier cut left in its place: one of these, or of a program's output that was too long to be held. */
const MARK = /\n\[(?:\.\.\. (\d{1,12}) characters left out[^\n]{0,200} \.\.\.|… (\d{1,12}) characters omitted …)\]\n/g

interface Gap {
  readonly from: number
  readonly to: number
  /** Characters that are gone between them. */
  readonly left: number
}

/** A cut takes in each earlier one that it meets, whole: what is counted is what is gone of the text as it once was. */
const withMarks = (text: string, gap: Gap): Gap => {
  let { from, to, left } = gap
  for (const { 0: mark, 1: cut, 2: omitted, index } of text.matchAll(MARK)) {
    const end = index + mark.length
    if (end <= from || index >= to) continue
    left += Math.max(0, from - index) + Math.max(0, end - to) + Number(cut ?? omitted) - mark.length
    from = Math.min(from, index)
    to = Math.max(to, end)
  }
  return { from, to, left }
}

/** At most about `limit` UTF-16 units, never half a surrogate pair. `why`: behind the count, for who reads it. */
export const shorten = (text: string, limit: number, why = ""): Shortened => {
  if (text.length <= limit) return { text, cut: false }
  const half = Math.floor(limit / 2)
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "")
  const tail = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "")
  const [from, to] = [head.length, text.length - tail.length]
  const gap = withMarks(text, { from, to, left: to - from })
  const mark = `\n[... ${gap.left} characters left out${why} ...]\n`
  return { text: text.slice(0, gap.from) + mark + text.slice(gap.to), cut: true }
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
