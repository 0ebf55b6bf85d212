/** A text in pieces that fit a message. Invariant: put together they are the text, and none ends inside a surrogate pair. */

/**
 * Characters of a delta at most: what a reader missed of a stream goes out in pieces, each made into text only when the
 * reader has room for it.
 */
export const PIECE = 65_536

interface Piece {
  /** Where in the text. */
  readonly at: number
  readonly text: string
}

export const pieces = (content: string): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  for (let at = 0; at < content.length;) {
    const last = content.charCodeAt(at + PIECE - 1)
    const to = last >= 0xd800 && last <= 0xdbff ? at + PIECE - 1 : at + PIECE
    found.push({ at, text: content.slice(at, to) })
    at = to
  }
  return found
}
