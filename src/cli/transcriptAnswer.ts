/**
 * The answer that is being written: what of it is settled and what may still change. Pure.
 * Invariant: settled pieces in their order, with the last one, show the whole answer once.
 */
import { openFence, stablePrefix } from "./Markdown.ts"

export interface Piece {
  readonly text: string
  /** It goes on a code block that the piece before began: no gap between them. */
  readonly continues: boolean
}

export interface Answer {
  readonly stream_id: string
  /** What of the source is settled. */
  readonly settled: string
  /** What may still change: all that came after. */
  readonly rest: string
  /** The line that reopens the code block in which the settled part ends, or nothing. */
  readonly opening: string
  /** The length of `rest` that was last found to hold nothing settled. */
  readonly tried: number
  readonly atLineStart: boolean
}

export const begin = (stream_id: string): Answer => ({
  stream_id,
  settled: "",
  rest: "",
  opening: "",
  tried: 0,
  atLineStart: true
})

// Lines of an unfinished code block that are worth settling.
const MANY = 8
// A longer unfinished block is looked at again only when it has grown by a quarter: a list of thousands stays linear.
const LONG = 2_000
const GROWN = 1.25

export const tailOf = (answer: Answer): Piece => ({
  text: answer.opening + answer.rest,
  continues: answer.opening !== ""
})

/** The first `length` characters of the tail are settled, as `text`. */
const settle = (answer: Answer, length: number, text: string, opening: string): readonly [Piece, Answer] => {
  const cut = length - answer.opening.length
  const settled = answer.settled + answer.rest.slice(0, cut)
  const piece = { text, continues: answer.opening !== "" }
  return [piece, { ...answer, settled, rest: answer.rest.slice(cut), opening, tried: 0 }]
}

/** One more settled piece, where there is one. */
const step = (answer: Answer): readonly [Piece, Answer] | undefined => {
  const { text } = tailOf(answer)
  const stable = stablePrefix(text)
  if (stable > answer.opening.length) return settle(answer, stable, text.slice(0, stable), "")
  if (text.split("\n", MANY + 1).length <= MANY) return undefined
  const opening = openFence(text)
  const end = text.lastIndexOf("\n") + 1
  if (opening === undefined || !text.startsWith(opening) || end <= opening.length) return undefined
  const fence = /^[`~]+/.exec(opening)?.[0] ?? ""
  return settle(answer, end, `${text.slice(0, end)}${fence}\n`, opening)
}

/** The answer with a delta in its place; what overlaps with what is there is taken once. */
export const extend = (
  answer: Answer,
  offset: number,
  content: string
): { readonly answer: Answer; readonly pieces: ReadonlyArray<Piece> } => {
  const fresh = content.slice(Math.max(0, answer.settled.length + answer.rest.length - offset))
  if (fresh === "") return { answer, pieces: [] }
  let grown: Answer = { ...answer, rest: answer.rest + fresh, atLineStart: fresh.endsWith("\n") }
  const pieces: Array<Piece> = []
  // Only a line's end or its beginning can decide about a block.
  const decides = fresh.includes("\n") || answer.atLineStart
  if (!decides || (grown.rest.length > LONG && grown.rest.length < answer.tried * GROWN))
    return { answer: grown, pieces }
  for (let next = step(grown); next !== undefined; next = step(grown)) {
    pieces.push(next[0])
    grown = next[1]
  }
  return { answer: { ...grown, tried: grown.rest.length }, pieces }
}

const closesOnly = (tail: string, opening: string): boolean =>
  opening !== "" && /^[`~\s]*$/.test(tail.slice(opening.length))

/** What is left to show when the whole is known; `replaces`: what was settled is not the beginning of it. */
export const complete = (
  answer: Answer | undefined,
  content: string
): { readonly pieces: ReadonlyArray<Piece>; readonly replaces: boolean } => {
  if (answer === undefined || !content.startsWith(answer.settled)) {
    const pieces = content.trim() === "" ? [] : [{ text: content, continues: false }]
    return { pieces, replaces: answer !== undefined && answer.settled !== "" }
  }
  const last = tailOf({ ...answer, rest: content.slice(answer.settled.length) })
  const nothing = last.text.trim() === "" || closesOnly(last.text, answer.opening)
  return { pieces: nothing ? [] : [last], replaces: false }
}
