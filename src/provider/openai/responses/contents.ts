/**
 * What is in the items of an answer. Owns: texts, arguments and sealed reasoning of each, and that nothing of them is
 * taken twice. Does not own: which item something belongs to (identity.ts), what an event means (answer.ts).
 * Invariants: pieces, their end, the whole item and the whole response say the same thing up to four times: what is said
 * again adds nothing, and what was left out before is added then; the most complete of them decides a call's arguments.
 */
import { fault } from "../../../domain/FaultTexts.ts"
import { type Fields, isFields } from "../answer.ts"
import type { Growing } from "../growing.ts"
import { isObjectText } from "../objectScan.ts"
import { argumentText, indexOf } from "../toolCalls.ts"
import { isSameContent, type Item, type Kind, type Names, repeated, type Whole } from "./identity.ts"
import { openItems } from "./items.ts"

export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const named = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Items of one answer, of each of which all that follows is looked for. */
const ITEMS_LIMIT = 1024

/** The texts of an item's parts, one behind the other. */
const partsText = (value: unknown): string =>
  list(value)
    .map((part) => (isFields(part) ? text(part.text) || text(part.refusal) : ""))
    .join("")

/** Paragraphs of a summary. */
const summaryText = (value: unknown): string =>
  list(value)
    .flatMap((part) => (isFields(part) && text(part.text) !== "" ? [text(part.text)] : []))
    .join("\n\n")

const kindOf = ({ type }: Fields): Kind | undefined =>
  type === "message" || type === "reasoning" || type === "function_call" ? type : undefined

const contentOf = (kind: Kind, item: Fields): string => {
  if (kind === "function_call") return argumentText(item.arguments)
  return kind === "message" ? partsText(item.content) : summaryText(item.summary) || partsText(item.content)
}

/** Of an event: whose piece it has. */
export const namesIn = (chunk: Fields): Names => ({
  id: named(chunk.item_id),
  call_id: named(chunk.call_id),
  index: indexOf(chunk.output_index)
})

const namesOf = (item: Fields, index: number | undefined): Names => ({
  id: named(item.id),
  call_id: named(item.call_id),
  index
})

const wholeOf = (kind: Kind, item: Fields, index: number | undefined): Whole => ({
  ...namesOf(item, index),
  tool: kind === "function_call" ? named(item.name) : undefined,
  content: contentOf(kind, item)
})

/** What goes back to the server of a reasoning item. */
const kept = ({ encrypted_content, id, summary }: Fields): ReadonlyArray<unknown> =>
  text(encrypted_content) === ""
    ? []
    : [{ type: "reasoning", ...(text(id) === "" ? {} : { id }), summary: list(summary), encrypted_content }]

const isFilled = (args: string): boolean => isObjectText(args) && !/^\s*\{\s*\}\s*$/.test(args)

/** Arguments of calls, each from the best that came of them. */
const openCalls = (growing: Growing) => {
  const all = (item: Item, content: string) => {
    item.content = content
    growing.revise(item.place, { whole: content })
  }
  return {
    /** What it is called, which may be told later. */
    is: (item: Item, fields: Fields) => {
      item.tool ??= named(fields.name)
      growing.revise(item.place, { id: item.call_id ?? item.id, name: named(fields.name) })
    },
    /** Arguments that an item begins with, for what they are worth: pieces that follow have them again. */
    begin: (item: Item, content: string) => {
      if (item.content !== "" || !isFilled(content)) return
      all(item, content)
      item.provisional = true
    },
    more: (item: Item, piece: string) => {
      if (item.rank > 0) return
      if (item.provisional) all(item, "")
      item.provisional = false
      item.content += piece
      growing.revise(item.place, { more: piece })
    },
    /** All of them, as far as what says so counts more than what said it before. */
    settle: (item: Item, content: string, rank: Item["rank"]) => {
      if (content.trim() === "" || (rank <= item.rank && rank > 0)) return
      const better = isFilled(content) || item.loose || item.provisional || !isObjectText(item.content)
      if (better && !isSameContent(content, item.content)) all(item, content)
      item.rank = rank
      if (rank > 0) item.doubtful = false
    }
  }
}

/** Texts of messages and reasoning. */
const openTexts = (growing: Growing) => {
  /** Pieces that came without a name may hold several items' texts. */
  const nameless: Record<Kind, string> = { message: "", reasoning: "", function_call: "" }
  const say = (item: Item, piece: string) => {
    item.content += piece
    item.open += piece
    if (item.kind === "message") growing.say(piece)
    else growing.think(piece)
  }
  return {
    more: (item: Item, piece: string, names: Names) => {
      if (names.id === undefined ? names.index === undefined : names.id !== item.id) nameless[item.kind] += piece
      say(item, piece)
    },
    /** The whole of one part of it. */
    part: (item: Item, content: string) => {
      const { open } = item
      if (!item.content.includes(content) && content.startsWith(open)) say(item, content.slice(open.length))
      item.open = ""
    },
    whole: (item: Item, content: string) => {
      const begun = item.content
      if (begun === "" && nameless[item.kind].includes(content)) return
      if (content.startsWith(begun)) say(item, content.slice(begun.length))
    },
    say
  }
}

/** Sealed reasoning, which counts as much as what is shown. */
const openSeals = (growing: Growing) => {
  const sealed = new Map<Item, { readonly items: ReadonlyArray<unknown>; readonly size: number }>()
  return {
    seal: (item: Item, fields: Fields) => {
      const found = kept(fields)
      if (found.length === 0) return
      const size = JSON.stringify(found).length
      growing.unseen(Math.max(0, size - (sealed.get(item)?.size ?? 0)))
      sealed.set(item, { items: found, size })
    },
    of: (item: Item) => sealed.get(item)?.items ?? []
  }
}

/** What came, item by item, and what of a whole item is news. */
const openStore = (growing: Growing) => {
  const items = openItems()
  const calls = openCalls(growing)
  const texts = openTexts(growing)
  const seals = openSeals(growing)
  const counted = () => {
    if (items.count() > ITEMS_LIMIT) growing.refuse(fault("too_many_items", { most: ITEMS_LIMIT }))
  }
  const take = (item: Item, fields: Fields, content: string, rank: Item["rank"]) => {
    if (item.kind === "reasoning") seals.seal(item, fields)
    if (item.kind !== "function_call") return texts.whole(item, content)
    calls.is(item, fields)
    calls.settle(item, content, rank)
  }
  const whole = (kind: Kind, fields: Fields, index: number | undefined) => {
    const given = wholeOf(kind, fields, index)
    const item = items.whole(kind, given)
    take(item, fields, given.content, 2)
    item.closed = true
    counted()
  }
  return { items, calls, texts, seals, counted, take, whole }
}

type Store = ReturnType<typeof openStore>

/** What of the whole response's texts is news. */
const repeatTexts = ({ items, texts }: Store, kind: Kind, wholes: ReadonlyArray<Whole>) => {
  const before = items.of(kind)
  const said = before.map(({ content }) => content).join("")
  const all = wholes.map(({ content }) => content).join("")
  const last = before.at(-1)
  if (last !== undefined && all.length > said.length && all.startsWith(said)) texts.say(last, all.slice(said.length))
}

/** Items of a kind some of which came before. */
const repeat = (store: Store, kind: Kind, fields: ReadonlyArray<Fields>) => {
  const { items, seals, take, whole } = store
  const wholes = fields.map((item) => wholeOf(kind, item, undefined))
  if (kind !== "function_call") repeatTexts(store, kind, wholes)
  if (kind === "message") return
  repeated(items.of(kind), wholes).forEach((item, at) => {
    const [one, given] = [fields[at], wholes[at]]
    if (item === "known" || one === undefined || given === undefined) return
    if (kind === "reasoning") {
      const own = item ?? items.whole(kind, given)
      if (seals.of(own).length === 0) seals.seal(own, one)
      return
    }
    if (item === undefined) return whole(kind, one, undefined)
    const sure = [item.id, item.call_id].some((id) => id !== undefined && (id === given.call_id || id === given.id))
    item.call_id ??= given.call_id
    take(item, one, given.content, sure ? 2 : 1)
  })
}

/** Nothing more comes: what is still in doubt stays so, and pieces of no call are none where there are whole ones. */
const settleDoubts = (made: ReadonlyArray<Item>, growing: Growing) => {
  const whole = made.some(({ rank }) => rank === 2)
  for (const { described, doubtful, place, rank, tool } of made) {
    if (whole && rank === 0 && !described && tool === undefined) growing.revise(place, { whole: "" })
    else if (doubtful) growing.revise(place, { doubtful })
  }
}

export const openContents = (growing: Growing) => {
  const store = openStore(growing)
  const { calls, counted, items, seals, texts } = store
  return {
    opened: (fields: unknown, index: number | undefined) => {
      const kind = isFields(fields) ? kindOf(fields) : undefined
      if (kind === undefined || !isFields(fields)) return
      const before = items.count()
      const item = items.opened(kind, namesOf(fields, index))
      if (kind === "function_call") {
        calls.is(item, fields)
        calls.begin(item, contentOf(kind, fields))
      } else growing.unseen(items.count() - before)
      counted()
    },
    piece: (kind: Kind, names: Names, delta: string) => {
      if (delta === "") return
      const item = items.piece(kind, names)
      if (kind === "function_call") calls.more(item, delta)
      else texts.more(item, delta, names)
      counted()
    },
    /** A new paragraph begins. */
    apart: (names: Names) => {
      const item = items.piece("reasoning", names)
      texts.more(item, "\n\n", names)
      item.open = ""
    },
    /** The end of a piece, with all that it had. */
    ended: (kind: Kind, names: Names, content: string, fields: Fields) => {
      if (content === "") return
      const item = items.ended(kind, names, content)
      if (kind !== "function_call") return texts.part(item, content)
      calls.is(item, fields)
      calls.settle(item, content, item.doubtful ? 0 : 1)
      counted()
    },
    whole: (fields: unknown, index: number | undefined) => {
      const kind = isFields(fields) ? kindOf(fields) : undefined
      if (kind !== undefined && isFields(fields)) store.whole(kind, fields, index)
    },
    /** All items, those again that came before. */
    output: (value: unknown) => {
      const given = list(value)
        .filter(isFields)
        .map((fields, index) => ({ fields, index, kind: kindOf(fields) }))
      const before = (["message", "reasoning", "function_call"] as const).filter((kind) => items.of(kind).length > 0)
      for (const kind of before) {
        const same = given.filter((one) => one.kind === kind).map(({ fields }) => fields)
        repeat(store, kind, same)
      }
      for (const { fields, index, kind } of given)
        if (kind !== undefined && !before.includes(kind)) store.whole(kind, fields, index)
    },
    conclude: () => settleDoubts(items.of("function_call"), growing),
    sealed: () => items.of("reasoning").flatMap(seals.of)
  }
}

export type Contents = ReturnType<typeof openContents>
