/**
 * What a caller's sessions decided and what they cost (R158, R161, R261, R271).
 * Owns: audit and usage reports. Does not own: the audit's entries (approval/Audit). Invariants: only the caller's own
 * are read; an unknown cost is null, never zero; one page is in memory at a time.
 */
import { Effect, Option, Stream } from "effect"
import { AuditLog, type AuditPage } from "../approval/AuditLog.ts"
import type { Answer } from "../domain/Approval.ts"
import type { SessionId } from "../domain/Ids.ts"
import { nothing, plus } from "../store/Spent.ts"
import { permitted } from "./apiCaller.ts"
import { sessionPage } from "./apiPages.ts"
import { refuse } from "./apiProblem.ts"
import { indexOf } from "./apiScope.ts"
import { Audit } from "./apiShapes.ts"

export interface AuditQuery {
  readonly session?: SessionId
  readonly tool?: string
  readonly since?: string
  readonly decision?: Answer
  readonly order?: "oldest" | "newest"
  readonly limit?: number
  readonly cursor?: string
}

/** The caller's own entries, whatever it asks for (R161). */
const own = Effect.fnUntraced(function* ({ session, tool, since, decision, order, cursor }: AuditQuery) {
  const caller = yield* permitted("read")
  if (session !== undefined) yield* (yield* indexOf(caller)).get(session)
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    return yield* refuse("bad_message", "This cursor is not one of these.")
  const earliest = since === undefined ? undefined : Date.parse(since)
  if (Number.isNaN(earliest)) return yield* refuse("bad_message", "`since` is not a time (RFC 3339).")
  return {
    owner: caller.owner,
    ...(session === undefined ? {} : { session }),
    ...(tool === undefined ? {} : { tool }),
    ...(decision === undefined ? {} : { decision }),
    ...(order === undefined ? {} : { order }),
    ...(earliest === undefined ? {} : { since: new Date(earliest).toISOString() }),
    ...(cursor === undefined ? {} : { after: Number(cursor) })
  }
})

type Entry = AuditPage["entries"][number]

/** An entry as the API tells it: whose it is goes without saying, and the chain is the operator's. */
const told = (entry: Entry): typeof Audit.Type => {
  const fields = Object.keys(Audit.fields) as ReadonlyArray<keyof typeof Audit.Type>
  const shown = fields.flatMap((field) => (entry[field] === undefined ? [] : [[field, entry[field]]]))
  return Object.fromEntries(shown) as typeof Audit.Type
}

export const auditPage = Effect.fnUntraced(function* (query: AuditQuery) {
  const audit = yield* AuditLog
  const { entries, next } = yield* audit.page({ ...(yield* own(query)), limit: query.limit ?? 100 })
  return { records: entries.map(told), ...(next === undefined ? {} : { next_cursor: String(next) }) }
})

/** All of them, a line each, read page by page. */
export const auditLines = Effect.fnUntraced(function* (query: AuditQuery) {
  const audit = yield* AuditLog
  const wanted = yield* own(query)
  return Stream.paginate(wanted.after, (after: number | undefined) =>
    Effect.map(
      audit.page({ ...wanted, ...(after === undefined ? {} : { after }), limit: 500 }),
      ({ entries, next }) => [entries, Option.fromUndefinedOr(next)] as const
    )
  ).pipe(
    Stream.map((entry) => `${JSON.stringify(told(entry))}\n`),
    Stream.encodeText
  )
})

export interface UsageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Sums that the store keeps: no history is read for them. */
export const usage = Effect.fnUntraced(function* (query: UsageQuery) {
  const caller = yield* permitted("read")
  const index = yield* indexOf(caller)
  const { metas, next } = yield* sessionPage(index, query)
  const spent = yield* index.spentBy(metas.map(({ session_id }) => session_id))
  const days = yield* index.spentDays
  const models = yield* index.spentModels
  return {
    total: days.reduce((sum, day) => plus(sum, day.usage), nothing),
    sessions: metas.map(({ session_id, title }) => ({ session_id, title, usage: spent.get(session_id) ?? nothing })),
    days,
    models,
    ...next
  }
})
