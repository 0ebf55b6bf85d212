/**
 * The items of an answer, as they come. Owns: the list of them, and what is learnt of their names. Does not own: whose an
 * event is (identity.ts), what is in an item (contents.ts).
 * Invariant: an item never loses or changes a name that it has.
 */
import { type Item, type Kind, type Names, ofBeginning, ofParts, ofPiece, ofWhole, type Whole } from "./identity.ts"

export const openItems = () => {
  const all: Record<Kind, Array<Item>> = { message: [], reasoning: [], function_call: [] }
  const learn = (item: Item, { call_id, id, index }: Names): Item => {
    item.id ??= id
    item.call_id ??= call_id
    item.index ??= index
    return item
  }
  const add = (kind: Kind, names: Names): Item => {
    const item: Item = {
      kind,
      place: all[kind].length,
      id: undefined,
      call_id: undefined,
      index: undefined,
      tool: undefined,
      content: "",
      open: "",
      uses: 0,
      loose: false,
      doubtful: false,
      provisional: false,
      described: false,
      closed: false,
      rank: 0
    }
    all[kind].push(item)
    return learn(item, names)
  }
  const or = (kind: Kind, names: Names, found: Item | undefined): Item =>
    found === undefined ? add(kind, names) : learn(found, names)
  return {
    count: () => all.message.length + all.reasoning.length + all.function_call.length,
    of: (kind: Kind): ReadonlyArray<Item> => all[kind],
    /** The item that a piece belongs to. */
    piece: (kind: Kind, names: Names) => {
      const item = or(kind, names, ofPiece(all[kind], names))
      if (names.id !== undefined && item.id === names.id) item.uses++
      return item
    },
    /** The item whose pieces are all there now, `content`. */
    ended: (kind: Kind, names: Names, content: string) => {
      const item = or(kind, names, ofParts(all[kind], names, content))
      if (names.id !== undefined && item.id === names.id) item.uses++
      return item
    },
    /** An item that begins. */
    opened: (kind: Kind, names: Names) => {
      const item = or(kind, names, ofBeginning(all[kind], names))
      item.described = true
      return item
    },
    /** The item that came whole. */
    whole: (kind: Kind, whole: Whole) => or(kind, whole, ofWhole(all[kind], whole))
  }
}
