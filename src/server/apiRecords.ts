/**
 * What a caller's sessions decided and what they cost (R158, R161, R261, R271).
 * Owns: audit and usage reports. Does not own: the audit's entries (approval/Audit). Invariants: only the caller's own
 * are read; an unknown cost is null, never zero; one page is in memory at a time.
 */
import { Effect, Option, Stream } from "effect"
import { AuditLog, type AuditPage } from "../approval/AuditLog.ts"
import type { Answer } from "../domain/Approval.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Usage } from "../domain/Usage.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { indexOf, readFacts } from "./apiScope.ts"
import { Audit } from "./apiShapes.ts"

/** All public records of a session, page by page. */
const facts = (caller: CallerShape, id: SessionId) =>
  Stream.paginate(0, (after: number) =>
    Effect.map(readFacts(caller, id, after, 500), (found) => {
      const last = found.records.at(-1)?.seq
      return [found.records, found.more ? Option.fromUndefinedOr(last) : Option.none<number>()] as const
    })
  )

export interface AuditQuery {
  readonly session?: SessionId
  readonly tool?: string
  readonly since?: string
  readonly decision?: Answer
  readonly limit?: number
  readonly cursor?: string
}

/** The caller's own entries, whatever it asks for (R161). */
const own = Effect.fnUntraced(function* ({ session, tool, since, decision, cursor }: AuditQuery) {
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
  return Stream.paginate(wanted.after ?? 0, (after: number) =>
    Effect.map(
      audit.page({ ...wanted, after, limit: 500 }),
      ({ entries, next }) => [entries, Option.fromUndefinedOr(next)] as const
    )
  ).pipe(
    Stream.map((entry) => `${JSON.stringify(told(entry))}\n`),
    Stream.encodeText
  )
})

interface Spent {
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  reasoning_tokens: number
  cost_usd: number | null
}

const nothing = (): Spent => ({
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null
})

/** Adds what a session spent between two of its running totals. */
const spend = (to: Spent, before: Usage, after: Usage): void => {
  to.input_tokens += after.input_tokens - before.input_tokens
  to.output_tokens += after.output_tokens - before.output_tokens
  to.cached_tokens += (after.cached_tokens ?? 0) - (before.cached_tokens ?? 0)
  to.reasoning_tokens += (after.reasoning_tokens ?? 0) - (before.reasoning_tokens ?? 0)
  if (after.cost_usd !== undefined) to.cost_usd = (to.cost_usd ?? 0) + after.cost_usd - (before.cost_usd ?? 0)
}

const spentIn = Effect.fnUntraced(function* (
  caller: CallerShape,
  id: SessionId,
  days: Map<string, Spent>,
  total: Spent
) {
  const usage = nothing()
  let before: Usage = { input_tokens: 0, output_tokens: 0 }
  yield* Stream.runForEach(facts(caller, id), ({ ts, body }) =>
    Effect.sync(() => {
      if (body.type !== "usage") return
      const day = ts.slice(0, 10)
      const daily = days.get(day) ?? nothing()
      days.set(day, daily)
      for (const sum of [usage, daily, total]) spend(sum, before, body.session_usage)
      before = body.session_usage
    })
  )
  return usage
})

export const usage = Effect.gen(function* () {
  const caller = yield* permitted("read")
  const index = yield* indexOf(caller)
  const days = new Map<string, Spent>()
  const total = nothing()
  const metas = yield* index.list({ limit: Number.MAX_SAFE_INTEGER })
  const sessions = yield* Effect.forEach(metas, ({ session_id, title }) =>
    Effect.map(spentIn(caller, session_id, days, total), (spent) => ({ session_id, title, usage: spent }))
  )
  const byDay = Array.from(days, ([day, spent]) => ({ day, usage: spent }))
  return { total, sessions, days: byDay.toSorted((a, b) => (a.day < b.day ? -1 : 1)) }
})
