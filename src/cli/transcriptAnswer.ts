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
  readonly text: string
  /** How much of `text` is settled. */
  readonly from: number
  /** The line that reopens the code block in which the settled part ends, or nothing. */
  readonly opening: string
}

export const begin = (stream_id: string): Answer => ({ stream_id, text: "", from: 0, opening: "" })

// Lines of an unfinished code block that are worth settling.
const MANY = 8

export const tailOf = (answer: Answer): Piece => ({
  text: answer.opening + answer.text.slice(answer.from),
  continues: answer.opening !== ""
})

/** One more settled piece, where there is one. */
const step = (answer: Answer): readonly [Piece, Answer] | undefined => {
  const { text, continues } = tailOf(answer)
  const opened = answer.opening.length
  const stable = stablePrefix(text)
  if (stable > opened) {
    const from = answer.from + stable - opened
    return [
      { text: text.slice(0, stable), continues },
      { ...answer, from, opening: "" }
    ]
  }
  if (text.split("\n", MANY + 1).length <= MANY) return undefined
  const opening = openFence(text)
  const end = text.lastIndexOf("\n") + 1
  if (opening === undefined || !text.startsWith(opening) || end <= opening.length) return undefined
  const fence = /^[`~]+/.exec(opening)?.[0] ?? ""
  const piece = { text: `${text.slice(0, end)}${fence}\n`, continues }
  return [piece, { ...answer, from: answer.from + end - opened, opening }]
}

/** The answer with a delta in its place; what overlaps with what is there is taken once. */
export const extend = (
  answer: Answer,
  offset: number,
  content: string
): { readonly answer: Answer; readonly pieces: ReadonlyArray<Piece> } => {
  const fresh = content.slice(Math.max(0, answer.text.length - offset))
  let grown: Answer = { ...answer, text: answer.text + fresh }
  const pieces: Array<Piece> = []
  // Only a line's end or its beginning can decide about a block.
  if (!fresh.includes("\n") && !answer.text.endsWith("\n")) return { answer: grown, pieces }
  for (let next = step(grown); next !== undefined; next = step(grown)) {
    pieces.push(next[0])
    grown = next[1]
  }
  return { answer: grown, pieces }
}

const closesOnly = (tail: string, opening: string): boolean =>
  opening !== "" && /^[`~\s]*$/.test(tail.slice(opening.length))

/** What is left to show when the whole is known; `replaces`: what was settled is not the beginning of it. */
export const complete = (
  answer: Answer | undefined,
  content: string
): { readonly pieces: ReadonlyArray<Piece>; readonly replaces: boolean } => {
  if (answer === undefined || !content.startsWith(answer.text.slice(0, answer.from))) {
    const pieces = content.trim() === "" ? [] : [{ text: content, continues: false }]
    return { pieces, replaces: (answer?.from ?? 0) > 0 }
  }
  const rest = tailOf({ ...answer, text: content })
  const nothing = rest.text.trim() === "" || closesOnly(rest.text, answer.opening)
  return { pieces: nothing ? [] : [rest], replaces: false }
}
