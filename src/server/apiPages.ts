/**
 * Lists of sessions, page by page (issue 3). Owns: the cursor, and how much of the index one request looks at.
 * Invariants: a page goes on where the one before ended, whatever was added meanwhile; a session that was there from the
 * first page to the last is on one of them, also where it moved to the front meanwhile: what moved comes (perhaps again)
 * behind the others; nobody reads more than `LOOKED_AT` rows for one page, so that a page that searches may be short, or
 * empty, and still have a next one.
 */
import { Effect } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import type { OwnedIndex, SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { refuse } from "./apiProblem.ts"

export const PAGE = 100
const LOOKED_AT = 5000
const AT_ONCE = 500
/** How often what moved is gone through: a list that never rests has an end all the same. */
const PASSES = 4

type Place = Pick<SessionMeta, "updated_at" | "session_id">

interface Cursor {
  /** Where a page ended: what follows is older, or as old with a smaller id (the index's own order). Absent: the front. */
  readonly after?: Place
  /** The front when this pass began; what is in front of it by the end moved meanwhile, and is the next pass. */
  readonly front: Place
  /** The front of the pass before: this one ends there. */
  readonly until?: Place
  readonly pass: number
}

const isInFront = (one: Place, other: Place): boolean =>
  one.updated_at === other.updated_at ? one.session_id > other.session_id : one.updated_at > other.updated_at

const packed = (place: Place | undefined) => (place === undefined ? null : [place.updated_at, place.session_id])

const cursorOf = ({ after, front, until, pass }: Cursor): string =>
  Buffer.from(JSON.stringify([packed(after), packed(front), packed(until), pass])).toString("base64url")

const unpacked = (value: unknown): Place | undefined => {
  const [updated_at, id] = Array.isArray(value) ? (value as ReadonlyArray<unknown>) : []
  return typeof updated_at === "string" && typeof id === "string"
    ? { updated_at, session_id: id as SessionId }
    : undefined
}

const readCursor = (text: string): Cursor | undefined => {
  try {
    const [first, second, third, pass] = JSON.parse(Buffer.from(text, "base64url").toString()) as readonly unknown[]
    const [after, front, until] = [first, second, third].map(unpacked)
    if (front === undefined || typeof pass !== "number") return undefined
    return { front, pass, ...(after === undefined ? {} : { after }), ...(until === undefined ? {} : { until }) }
  } catch {
    return undefined
  }
}

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
  /** Absent: with those that were put aside and without. */
  readonly archived?: boolean
  /** Which of these fit; absent: all. */
  readonly fits?: (metas: ReadonlyArray<SessionMeta>) => Effect.Effect<ReadonlyArray<SessionMeta>, StoreError>
}

type Where = Pick<PageQuery, "archived"> & { readonly limit: number }

const whereOf = ({ archived }: PageQuery, limit: number): Where => ({
  limit,
  ...(archived === undefined ? {} : { archived })
})

/** What one page has, how far it looked, and whether there may be more of this pass. */
const lookThrough = Effect.fnUntraced(function* (index: OwnedIndex, query: PageQuery, from: Partial<Cursor>) {
  const { limit = PAGE, fits = Effect.succeed } = query
  const atOnce = query.fits === undefined ? limit + 1 : AT_ONCE
  const found: Array<SessionMeta> = []
  let { after, front } = from
  let more = true
  for (let looked = 0; more && found.length <= limit && looked < LOOKED_AT; looked += atOnce) {
    const listed = yield* index.list({ ...whereOf(query, atOnce), ...(after === undefined ? {} : { after }) })
    const { until } = from
    const metas = until === undefined ? listed : listed.filter((meta) => isInFront(meta, until))
    found.push(...(yield* fits(metas)))
    front ??= metas[0]
    after = metas.at(-1) ?? after
    more = metas.length === atOnce
  }
  const page = found.slice(0, limit)
  return { page, front, last: found.length > limit ? page.at(-1) : more ? after : undefined }
})

export const sessionPage = Effect.fnUntraced(function* (index: OwnedIndex, query: PageQuery) {
  const { cursor } = query
  const from = cursor === undefined ? { pass: 1 } : readCursor(cursor)
  if (from === undefined) return yield* refuse("bad_message", "This cursor is not one of this list.")
  const { front, last, page } = yield* lookThrough(index, query, from)
  const goesOn = (next: Cursor) => ({ metas: page, next: { next_cursor: cursorOf(next) } })
  if (front === undefined) return { metas: page, next: {} }
  if (last !== undefined) return goesOn({ ...from, front, after: last })
  const [newest] = from.pass < PASSES ? yield* index.list(whereOf(query, 1)) : []
  if (newest === undefined || !isInFront(newest, front)) return { metas: page, next: {} }
  return goesOn({ front: newest, until: front, pass: from.pass + 1 })
})
