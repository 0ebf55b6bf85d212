/**
 * Pages of a journal out of SQLite. Owns: how much a page holds, and what a damaged row or database page costs.
 * Invariant: a record that cannot be read back is reported by its position and hides no other; a page that says `more`
 * has a record, and reports only damage before its last one, so that reading on behind it skips and repeats nothing.
 */
import { Array, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { SessionKey } from "../../domain/Principal.ts"
import { FIRST_PROMPT, type JournalRecord, type Page } from "../Journal.ts"
import type { Access } from "./access.ts"
import { type RecordRow, fromRow } from "./recordRow.ts"
import { isCorrupt } from "./sqliteError.ts"

/** A page ends with the record that reaches this many bytes: decoding them takes a few milliseconds. */
const PAGE_BYTES = 1_000_000
/** Reading and decoding one record costs about 10 µs. */
const RECORDS_AT_ONCE = 250

/** What to read by: every record by `pos`, or the public ones by `seq`. */
export type Order = "pos" | "seq"

interface Place {
  readonly session: number
  readonly pos: number
  readonly key: number
  readonly bytes: number
}

interface Request {
  readonly session: SessionKey
  readonly order: Order
  readonly after: number
  /** From here back, in place of `after`. */
  readonly before?: number
  readonly limit: number
}

/** Where the next records are and how large; one more than `limit`, to see whether there are more. */
const places = ({ sql }: Access, { session, order, after, before, limit }: Request, bytes: string) => {
  const key = sql(order)
  const which = before === undefined ? sql`${key} > ${after}` : sql`${key} < ${before}`
  return sql<Place>`
    SELECT session, pos, ${key} AS key, ${sql.literal(bytes)} AS bytes FROM journal_records
    WHERE session = (SELECT session FROM journal_heads WHERE session_id = ${session} AND owner <> '') AND ${which}
    ORDER BY ${key} ${sql.literal(before === undefined ? "ASC" : "DESC")} LIMIT ${limit + 1}`
}

/** Falls back to the index alone where a page of the table is damaged; sizes are unknown then. */
const plan = (access: Access, request: Request) =>
  places(access, request, "octet_length(payload)").pipe(Effect.catchIf(isCorrupt, () => places(access, request, "0")))

/** As many as fit a page, and at least one. */
const fitting = (found: ReadonlyArray<Place>, limit: number): ReadonlyArray<Place> => {
  let bytes = 0
  const full = found.findIndex((place) => (bytes += place.bytes) >= PAGE_BYTES)
  return found.slice(0, Math.min(limit, full === -1 ? found.length : full + 1))
}

type Read = JournalRecord | { readonly pos: number; readonly body?: never; readonly type?: string }

const read = (row: RecordRow): Read => fromRow(row) ?? { pos: row.pos, type: row.type }

const fetchOne = ({ sql }: Access, { session, pos }: Place): Effect.Effect<ReadonlyArray<Read>, SqlError.SqlError> =>
  sql<RecordRow>`SELECT * FROM journal_records WHERE session = ${session} AND pos = ${pos}`.pipe(
    Effect.map((rows) => rows.map(read)),
    Effect.catchIf(isCorrupt, () => Effect.succeed([{ pos }]))
  )

/** One statement for all of `some`; one by one where a page among them is damaged. */
const fetchSome = (access: Access, order: Order, some: Array.NonEmptyReadonlyArray<Place>) => {
  const { sql } = access
  const key = sql(order)
  const first = Array.headNonEmpty(some)
  return sql<RecordRow>`
    SELECT * FROM journal_records
    WHERE session = ${first.session} AND ${key} BETWEEN ${first.key} AND ${Array.lastNonEmpty(some).key}
    ORDER BY ${key}`.pipe(
    Effect.map((rows) => rows.map(read)),
    Effect.catchIf(isCorrupt, () =>
      Effect.map(
        Effect.forEach(some, (place) => fetchOne(access, place)),
        (all) => all.flat()
      )
    )
  )
}

/** A few at a time; the event loop has a turn in between. */
const fetchAll = Effect.fnUntraced(function* (access: Access, order: Order, taken: ReadonlyArray<Place>) {
  const reads: Read[] = []
  for (const some of Array.chunksOf(taken, RECORDS_AT_ONCE)) {
    if (reads.length > 0) yield* Effect.yieldNow
    reads.push(...(yield* fetchSome(access, order, some)))
  }
  return reads
})

/** Positions are contiguous: one that is missing between `after` and the last one found was there once. */
const missing = (taken: ReadonlyArray<Place>, after: number): ReadonlyArray<number> => {
  const gaps: Array<number> = []
  let expected = after + 1
  for (const { pos } of taken) {
    for (; expected < pos; expected++) gaps.push(expected)
    expected = pos + 1
  }
  return gaps
}

const assemble = (reads: ReadonlyArray<Read>, gaps: ReadonlyArray<number>, more: boolean): Page => {
  const records = reads.filter((found) => found.body !== undefined) as ReadonlyArray<JournalRecord>
  const lost = reads.filter((found) => found.body === undefined)
  const end = more ? (records.at(-1)?.pos ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
  const damaged = [...gaps, ...lost.map(({ pos }) => pos)].filter((pos) => pos < end).toSorted((a, b) => a - b)
  const kinds = lost.flatMap(({ pos, type }) => (type === undefined || pos >= end ? [] : [[pos, type] as const]))
  return { records, damaged, ...(kinds.length === 0 ? {} : { kinds: new Map(kinds) }), more }
}

const pageAfter = Effect.fnUntraced(function* (access: Access, request: Request) {
  const found = yield* plan(access, request)
  const taken = fitting(found, request.limit)
  const reads = yield* fetchAll(access, request.order, taken)
  const gaps = request.order === "pos" ? missing(taken, request.after) : []
  return { page: assemble(reads, gaps, found.length > taken.length), last: taken.at(-1)?.key ?? request.after }
})

export const readPage = Effect.fnUntraced(function* (access: Access, request: Request) {
  let after = Math.max(0, request.after)
  const damaged: Array<number> = []
  const kinds = new Map<number, string>()
  while (true) {
    const { page, last } = yield* pageAfter(access, { ...request, after, limit: Math.max(1, request.limit) })
    damaged.push(...page.damaged)
    for (const [pos, type] of page.kinds ?? []) kinds.set(pos, type)
    const whole = { ...page, damaged, ...(kinds.size === 0 ? {} : { kinds }) }
    if (page.records.length > 0 || !page.more) return whole
    after = last
  }
})

const pageBefore = Effect.fnUntraced(function* (access: Access, session: SessionKey, before: number, limit: number) {
  const found = yield* plan(access, { session, order: "seq", after: 0, before, limit })
  const taken = fitting(found, limit)
  const reads = yield* fetchAll(access, "seq", taken.toReversed())
  const records = reads.filter((one) => one.body !== undefined) as ReadonlyArray<JournalRecord>
  const more = found.length > taken.length
  const first = more ? (records[0]?.pos ?? 0) : 0
  const damaged = reads.flatMap(({ pos, body }) => (body === undefined && pos > first ? [pos] : []))
  return { page: { records, damaged, more }, first: taken.at(-1)?.key ?? before }
})

/** Public records in front of `before`, the newest `limit`. */
export const readBack = Effect.fnUntraced(function* (
  access: Access,
  session: SessionKey,
  before: number,
  limit: number
) {
  const damaged: Array<number> = []
  for (let at = before; ;) {
    const { page, first } = yield* pageBefore(access, session, at, Math.max(1, limit))
    damaged.unshift(...page.damaged)
    if (page.records.length > 0 || !page.more) return { ...page, damaged } satisfies Page
    at = first
  }
})

/** What each session began with. One whose record cannot be read has none. */
export const firstPrompts = ({ sql }: Access, sessions: ReadonlyArray<SessionKey>) => {
  const { seq, chars } = FIRST_PROMPT
  type Row = { readonly session: SessionKey; readonly content: string | null }
  const rows = sql<Row>`
    SELECT h.session_id AS session, (
      SELECT substr(r.payload ->> '$.content', 1, ${chars}) FROM journal_records r
      WHERE r.session = h.session AND r.seq BETWEEN 1 AND ${seq} AND r.type = 'task_started' AND json_valid(r.payload)
      ORDER BY r.seq LIMIT 1
    ) AS content
    FROM journal_heads h WHERE h.owner <> '' AND h.session_id IN ${sql.in(sessions)}`
  const none = () => Effect.succeed<ReadonlyArray<Row>>([])
  return Effect.map(
    sessions.length === 0 ? none() : Effect.catchIf(rows, isCorrupt, none),
    (found) => new Map(found.flatMap(({ session, content }) => (content === null ? [] : [[session, content] as const])))
  )
}
