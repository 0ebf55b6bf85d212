/**
 * Lists of sessions, page by page (issue 3). Owns: the cursor, and how much of the index one request looks at.
 * Invariants: a page goes on where the one before ended, whatever was added meanwhile; nobody reads more than
 * `LOOKED_AT` rows for one, so a page that searches may be short, or empty, and still have a next one.
 */
import { Effect } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import type { OwnedIndex, SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { refuse } from "./apiProblem.ts"

export const PAGE = 100
const LOOKED_AT = 5000
const AT_ONCE = 500

type Place = Pick<SessionMeta, "updated_at" | "session_id">

const cursorOf = ({ updated_at, session_id }: Place): string =>
  Buffer.from(JSON.stringify([updated_at, session_id])).toString("base64url")

/** Where a page ended: what follows is older, or as old with a smaller id (the index's own order). */
const placeOf = (cursor: string): Place | undefined => {
  try {
    const [updated_at, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as readonly unknown[]
    if (typeof updated_at !== "string" || typeof id !== "string") return undefined
    return { updated_at, session_id: id as SessionId }
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

export const sessionPage = Effect.fnUntraced(function* (index: OwnedIndex, query: PageQuery) {
  const { limit = PAGE, cursor, archived, fits = Effect.succeed } = query
  let after = cursor === undefined ? undefined : placeOf(cursor)
  if (cursor !== undefined && after === undefined) {
    return yield* refuse("bad_message", "This cursor is not one of this list.")
  }
  const atOnce = query.fits === undefined ? limit + 1 : AT_ONCE
  const found: Array<SessionMeta> = []
  let more = true
  for (let looked = 0; more && found.length <= limit && looked < LOOKED_AT; looked += atOnce) {
    const where = { limit: atOnce, ...(archived === undefined ? {} : { archived }) }
    const metas = yield* index.list({ ...where, ...(after === undefined ? {} : { after }) })
    found.push(...(yield* fits(metas)))
    after = metas.at(-1) ?? after
    more = metas.length === atOnce
  }
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : more ? after : undefined
  return { metas: page, next: last === undefined ? {} : { next_cursor: cursorOf(last) } }
})
