/**
 * The rows of a conversation: an item is one, a long answer several, so that only the part of it that is seen is in the
 * page. Invariants: the parts joined are the answer; what did not change since the last time is the same object.
 */
import type { AnswerItem, Item } from "../state/items.ts"
import { type Blocks, type Chunk, chunks, definitions, split } from "../text/blocks.ts"

/** What a row shows of an answer. */
export interface Part {
  /** None: the answer has no text yet. */
  readonly chunk: Chunk | undefined
  /** Definitions of links that stand anywhere in the answer. */
  readonly links: string
  readonly first: boolean
  readonly last: boolean
}

export interface RowItem {
  readonly key: string
  readonly item: Item
  /** It goes on with the row before it. */
  readonly joined: boolean
  readonly part?: Part
}

interface Known {
  readonly answer: AnswerItem
  readonly found: Blocks
  readonly made: ReadonlyArray<Chunk>
  readonly links: string
  readonly rows: ReadonlyArray<RowItem>
}

const goesOn = (chunk: Chunk | undefined, before: Chunk | undefined): boolean =>
  chunk?.blocks[0]?.plain === true && before?.blocks.at(-1)?.plain === true

const know = (answer: AnswerItem, was: Known | undefined): Known => {
  if (was?.answer === answer) return was
  const found = split(answer.text, was?.found)
  const made = chunks(found, was?.made)
  const settled = !answer.open && was !== undefined && !was.answer.open && found === was.found
  const links = settled ? was.links : answer.open ? "" : definitions(answer.text)
  const rows = (made.length === 0 ? [undefined] : made).map((chunk, i): RowItem => {
    const first = i === 0
    return {
      key: first ? answer.key : `${answer.key}/${chunk?.at}`,
      item: answer,
      joined: goesOn(chunk, made[i - 1]),
      part: { chunk, links, first, last: i >= made.length - 1 }
    }
  })
  return { answer, found, made, links, rows }
}

export class Rows {
  private known = new Map<string, Known>()

  of(items: ReadonlyArray<Item>): ReadonlyArray<RowItem> {
    const known = new Map<string, Known>()
    const rows: Array<RowItem> = []
    for (const [i, item] of items.entries()) {
      if (item.kind === "answer") {
        const now = know(item, this.known.get(item.key))
        known.set(item.key, now)
        rows.push(...now.rows)
      } else rows.push({ key: item.key, item, joined: item.kind === "call" && items[i - 1]?.kind === "call" })
    }
    this.known = known
    return rows
  }
}
