/**
 * What a caller's sessions decided and what they cost (R158, R261, R271), folded out of their facts.
 * Owns: audit and usage reports. Does not own: the form of an audit record (approval/Audit).
 * Invariants: only the caller's sessions are read; an unknown cost is null, never zero; one session's journal is in
 * memory by one page at a time.
 */
import { Effect, Option, Stream } from "effect"
import * as AuditRecord from "../approval/Audit.ts"
import type { Answer } from "../domain/Approval.ts"
import { isPrivate } from "../domain/Event.ts"
import type { CallId, SessionId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { Usage } from "../domain/Usage.ts"
import type { Journal, JournalRecord } from "../store/Journal.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { indexOf, readFacts } from "./apiScope.ts"

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
  readonly since?: string
  readonly decision?: Answer
  readonly limit?: number
  readonly cursor?: string
}

/** The decisions of one session's records; a call is kept until its result. */
const decisions = (id: SessionId) => {
  const calls = new Map<CallId, ToolCall>()
  return ({ seq, event_id, ts, body }: JournalRecord): ReadonlyArray<AuditRecord.AuditRecord> => {
    if (seq === undefined || isPrivate(body)) return []
    if (body.type === "tool_call") {
      calls.set(body.call_id, { call_id: body.call_id, tool_name: body.tool_name, arguments: body.content })
    }
    if (body.type === "tool_result") calls.delete(body.call_id)
    const call = body.type === "approval_resolved" ? calls.get(body.call_id) : undefined
    if (body.type !== "approval_resolved" || call === undefined) return []
    return [AuditRecord.record({ v: 1, session_id: id, seq, event_id, ts, ...body }, call)]
  }
}

const place = (cursor: string): readonly [session: string, seq: number] | undefined => {
  const [, session, seq] = /^([A-Za-z0-9._:-]{1,128})\/(\d{1,15})$/.exec(cursor) ?? []
  return session === undefined ? undefined : [session, Number(seq)]
}

/** In the order of session ids, so that a page's end is a place that stays. */
const audited = Effect.fnUntraced(function* ({ session, since, decision, cursor }: AuditQuery) {
  const caller = yield* permitted("read")
  const index = yield* indexOf(caller)
  const from = cursor === undefined ? undefined : place(cursor)
  if (cursor !== undefined && from === undefined)
    return yield* refuse("bad_message", "This cursor is not one of these.")
  const earliest = since === undefined ? 0 : Date.parse(since)
  if (Number.isNaN(earliest)) return yield* refuse("bad_message", "`since` is not a time (RFC 3339).")
  const metas =
    session === undefined ? yield* index.list({ limit: Number.MAX_SAFE_INTEGER }) : [yield* index.get(session)]
  const ids = metas
    .map((meta) => meta.session_id)
    .filter((id) => from === undefined || id >= from[0])
    .toSorted()
  const wanted = (one: AuditRecord.AuditRecord) =>
    (decision === undefined || one.decision === decision) &&
    Date.parse(one.when) >= earliest &&
    (from === undefined || one.session_id !== from[0] || one.seq > from[1])
  return Stream.fromIterable(ids).pipe(
    Stream.flatMap((id) => {
      const decide = decisions(id)
      return Stream.flatMap(facts(caller, id), (record) => Stream.fromIterable(decide(record)))
    }),
    Stream.filter(wanted)
  )
})

export const auditPage = Effect.fnUntraced(function* (query: AuditQuery) {
  const limit = query.limit ?? 100
  const records = yield* Stream.runCollect(Stream.take(yield* audited(query), limit + 1))
  const page = records.slice(0, limit)
  const last = page.at(-1)
  const next = records.length > limit && last !== undefined ? { next_cursor: `${last.session_id}/${last.seq}` } : {}
  return { records: page, ...next }
})

/** All of them, a line each. */
export const auditLines = Effect.fnUntraced(function* (query: AuditQuery) {
  const context = yield* Effect.context<Journal>()
  return Stream.map(yield* audited(query), (one) => `${AuditRecord.line(one)}\n`).pipe(
    Stream.encodeText,
    Stream.provideContext(context)
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
