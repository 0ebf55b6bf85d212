/**
 * Which item of an answer an event is about. Owns: what items are known by, and the rules that tell them apart. Does not
 * own: the list of them (items.ts), what is in an event (answer.ts), or in an item (contents.ts).
 * Invariants: an id or a call's id decides where there is one, then the index, then the order; two ids of calls that
 * differ are two calls, whatever else they share; an item that has ended is not opened again by what only resembles it.
 */
import { isObjectText } from "../objectScan.ts"

export type Kind = "message" | "reasoning" | "function_call"

/** What an event says of whose it is. Servers leave any of it out. */
export interface Names {
  readonly id?: string | undefined
  readonly call_id?: string | undefined
  readonly index?: number | undefined
}

export interface Item {
  readonly kind: Kind
  /** Its place among those of its kind. */
  readonly place: number
  id: string | undefined
  call_id: string | undefined
  index: number | undefined
  /** Of a call: the tool. */
  tool: string | undefined
  /** What came of it so far: text, or arguments. */
  content: string
  /** The part of it that no `….done` has confirmed. */
  open: string
  /** How often pieces came under its own id. */
  uses: number
  /** Pieces came that may be another's. */
  loose: boolean
  /** Several were open, and nothing told which of them a piece belongs to. */
  doubtful: boolean
  /** Its content came with its beginning, and may come again. */
  provisional: boolean
  /** An event had the item itself, and not only pieces of it. */
  described: boolean
  /** Its end came. */
  closed: boolean
  /** What its content rests on: pieces, their end, the whole item. */
  rank: 0 | 1 | 2
}

/** A whole item, as far as it takes part in telling items apart. */
export interface Whole extends Names {
  readonly tool: string | undefined
  readonly content: string
}

const clash = (a: string | number | undefined, b: string | number | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b

/** The same JSON, however it is spaced. */
const plain = (content: string): string => {
  try {
    return JSON.stringify(JSON.parse(content))
  } catch {
    return content
  }
}

export const isSameContent = (a: string, b: string): boolean => a === b || plain(a) === plain(b)

const isSame = (item: Item, whole: Whole): boolean =>
  !clash(item.tool, whole.tool) && isSameContent(item.content, whole.content)

const isBegun = (item: Item, whole: Whole): boolean =>
  item.content !== "" &&
  !clash(item.tool, whole.tool) &&
  (isSame(item, whole) || whole.content.startsWith(item.content))

/** How surely the names are the item's; 0: not. */
const nearness = (item: Item, names: Names): number => {
  if (clash(item.call_id, names.call_id)) return 0
  const byId = names.id !== undefined && (names.id === item.id || names.id === item.call_id)
  const byCall = names.call_id !== undefined && (names.call_id === item.call_id || names.call_id === item.id)
  const elsewhere = clash(item.index, names.index)
  if (!byId && !byCall) return 0
  if (elsewhere && (byId ? !byCall && item.closed : clash(item.id, names.id))) return 0
  return (byId ? 8 : 0) + (byCall ? 4 : 0) + (elsewhere ? 0 : 2) + (item.closed ? 0 : 1)
}

export const nearest = (items: ReadonlyArray<Item>, names: Names): Item | undefined => {
  let found: Item | undefined
  let best = 0
  for (const item of items) {
    const near = nearness(item, names)
    if (near > 0 && near >= best) [found, best] = [item, near]
  }
  return found
}

const fits = (item: Item, names: Names): boolean =>
  !clash(item.call_id, names.call_id) && !clash(item.index, names.index)

const isWhole = ({ content }: Item): boolean => isObjectText(content)

/** Where more than one of these calls still waits for its arguments, none of them is sure to have its own. */
const doubt = (chosen: Item, among: ReadonlyArray<Item>): void => {
  const waiting = among.filter((item) => item.kind === "function_call" && item !== chosen && !isWhole(item))
  if (waiting.length > 0) for (const item of [chosen, ...waiting]) item.doubtful = true
}

/** Whose piece it is: the last one that is open and does not clash. */
export const ofPiece = (items: ReadonlyArray<Item>, names: Names): Item | undefined => {
  const known = nearest(items, names)
  if (known !== undefined) return known
  const open = items.filter(({ closed }) => !closed)
  // Under the same index, whatever the id: some servers make a new id for every event.
  const at = open.filter(({ id, index, uses }) => index === (names.index ?? -1) && (uses < 2 || !clash(id, names.id)))
  const here = at.at(-1)
  if (here !== undefined) {
    here.loose ||= at.length > 1 || clash(here.id, names.id)
    doubt(here, at)
    return here
  }
  // An id that nobody knows is another item's, unless this one's was never used and there is no index.
  const free = open.filter(
    (item) => fits(item, names) && !(clash(item.id, names.id) && (names.index !== undefined || item.uses > 0))
  )
  const last = free.at(-1)
  if (last !== undefined && (free.length > 1 || clash(last.id, names.id))) last.loose = true
  if (last !== undefined) doubt(last, free)
  return last
}

/** Whose end it is, where no name tells: of the open ones that which it continues, else the first that may be it. */
const ofEnd = (open: ReadonlyArray<Item>, whole: Whole): Item | undefined =>
  open.find((item) => isSame(item, whole) && item.content !== "") ??
  open.find((item) => isBegun(item, whole)) ??
  open.find((item) => (item.content === "" || item.loose || item.kind !== "function_call") && !clash(item.id, whole.id))

/** One id on two calls that ended with other arguments: they are two, unless all that names them is one. */
const isAnother = (known: Item, whole: Whole): boolean =>
  known.kind === "function_call" &&
  known.closed &&
  !(
    known.id !== undefined &&
    known.id === whole.id &&
    known.call_id !== undefined &&
    known.call_id === whole.call_id
  ) &&
  known.content !== "" &&
  whole.content !== "" &&
  !isSame(known, whole)

export const ofWhole = (items: ReadonlyArray<Item>, whole: Whole): Item | undefined => {
  const known = nearest(items, whole)
  if (known !== undefined) return isAnother(known, whole) ? undefined : known
  const open = items.filter((item) => !item.closed && fits(item, whole) && !clash(item.tool, whole.tool))
  const at = whole.index === undefined ? [] : open.filter(({ index }) => index === whole.index)
  const found =
    at.length > 0
      ? (ofEnd(at, whole) ?? at.find(({ content, id }) => content === "" || !clash(id, whole.id)))
      : ofEnd(open, whole)
  // Ids may be new for every event; what no call's id sets apart, is not run twice.
  const bare = (item: Item) =>
    item.kind === "function_call" && item.call_id === undefined && whole.call_id === undefined
  const same = (item: Item) =>
    (whole.index !== undefined && item.index === whole.index) || !clash(item.id, whole.id) || bare(item)
  return found ?? items.find((item) => item.closed && fits(item, whole) && same(item) && isSame(item, whole))
}

/** Whose pieces are all there now. */
export const ofParts = (items: ReadonlyArray<Item>, names: Names, content: string): Item | undefined => {
  const whole = { ...names, tool: undefined, content }
  const known = nearest(items, names)
  if (known !== undefined) {
    known.doubtful = false
    return known
  }
  const open = items.filter((item) => !item.closed && item.rank === 0)
  const continues = (item: Item) => !clash(item.id, names.id) || item.content === "" || isBegun(item, whole)
  const at = open.filter((item) => item.index === (names.index ?? -1) && continues(item))
  const fitting = open.filter((item) => fits(item, names))
  const said = (item: Item) =>
    fits(item, names) &&
    !clash(item.id, names.id) &&
    (isSame(item, whole) || (item.kind !== "function_call" && item.content.includes(content)))
  const found = ofEnd(at, whole) ?? at.at(-1) ?? ofEnd(fitting, whole)
  if (found !== undefined) doubt(found, at.length > 0 ? at : fitting)
  return found ?? items.find(said)
}

/** Whose beginning it is: one that is known, or one whose pieces came before it. */
export const ofBeginning = (items: ReadonlyArray<Item>, names: Names): Item | undefined => {
  const open = items.filter(({ closed }) => !closed)
  const early = (item: Item) => !item.described && fits(item, names) && !clash(item.id, names.id)
  return nearest(open, names) ?? open.find(early)
}

/**
 * Which of the items that came each of these is, where a server repeats all of them at its end. `known`: it is there, and
 * another of these stands for it already.
 */
export const repeated = (
  items: ReadonlyArray<Item>,
  given: ReadonlyArray<Whole>
): ReadonlyArray<Item | "known" | undefined> => {
  // Where an item stands in the whole need not be what it was numbered by.
  const wholes = given.map((whole): Whole => ({ ...whole, index: undefined }))
  const left = new Set(items)
  const found = new Map<Whole, Item | "known">()
  const pass = (pick: (left: ReadonlyArray<Item>, whole: Whole) => Item | undefined) => {
    for (const whole of wholes) {
      const item = found.has(whole) ? undefined : pick([...left], whole)
      if (item === undefined) continue
      found.set(whole, item)
      left.delete(item)
    }
  }
  pass(nearest)
  for (const whole of wholes) if (!found.has(whole) && nearest(items, whole) !== undefined) found.set(whole, "known")
  pass((open, whole) => open.find((item) => isSame(item, whole)))
  pass((open, whole) => open.find((item) => isBegun(item, whole) && !clash(item.call_id, whole.call_id)))
  pass((open, whole) => open.find((item) => !clash(item.call_id, whole.call_id) && !clash(item.tool, whole.tool)))
  return wholes.map((whole) => found.get(whole))
}
