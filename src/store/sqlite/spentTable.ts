/**
 * What sessions spent, in SQLite: each one's total, and each owner's days. Owns: both tables, as projections of `usage`
 * written in its append, so that nobody reads a history for a sum. Invariants: a record counts once; a day keeps what a
 * session spent that is removed.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SessionId } from "../../domain/Ids.ts"
import { type Owner, scopeKey, type SessionKey, sessionKey, sessionOf } from "../../domain/Principal.ts"
import type { JournalRecord } from "../Journal.ts"
import { between, dayOf, nothing, type Spent, spentOf } from "../Spent.ts"
import type { Access } from "./access.ts"
import type { Statements } from "./sqlClient.ts"

const valuesOf = (spent: Spent) => [
  spent.input_tokens,
  spent.output_tokens,
  spent.cached_tokens,
  spent.reasoning_tokens,
  spent.cost_usd
]

const COLUMNS = "input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd"
const TOTAL = `SELECT ${COLUMNS} FROM session_spent WHERE session = ?`
const PUT = `INSERT OR REPLACE INTO session_spent (session, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`
const ADD = `
  INSERT INTO spent_days (owner, day, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner, day) DO UPDATE SET
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + excluded.cost_usd END`

/** `number`: the session's in the database. */
export const append = (
  all: Statements,
  session: SessionKey,
  number: number,
  records: ReadonlyArray<JournalRecord>
): void => {
  for (const { ts, body } of records) {
    if (body.type !== "usage") continue
    const [before = nothing] = all(TOTAL, number) as ReadonlyArray<Spent>
    const after = spentOf(body.session_usage)
    all(ADD, scopeKey(sessionOf(session).owner), dayOf(ts), ...valuesOf(between(before, after)))
    all(PUT, number, ...valuesOf(after))
  }
}

/** The session is removed; inside the caller's transaction. */
export const forget = (sql: SqlClient.SqlClient, session: SessionKey) =>
  sql`DELETE FROM session_spent WHERE session = (SELECT session FROM journal_heads WHERE session_id = ${session})`

type Row = Spent & { readonly session_id: SessionKey }
type Day = Spent & { readonly day: string }

export const spentBy = ({ sql, run }: Access, owner: Owner) =>
  Effect.fn("SessionIndex.spentBy")((ids: ReadonlyArray<SessionId>) => {
    const keys = JSON.stringify(ids.map((id) => sessionKey(owner, id)))
    const rows = sql<Row>`
      SELECT h.session_id, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd
      FROM json_each(${keys}) k JOIN journal_heads h ON h.session_id = k.value
      JOIN session_spent s ON s.session = h.session`
    const toEntry = ({ session_id, ...spent }: Row) => [sessionOf(session_id).session_id, spent] as const
    return Effect.map(run("spentBy", rows), (found) => new Map(found.map(toEntry)))
  })

export const spentDays = ({ sql, run }: Access, owner: Owner) =>
  Effect.map(
    run(
      "spentDays",
      sql<Day>`
        SELECT day, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd
        FROM spent_days WHERE owner = ${scopeKey(owner)} ORDER BY day`
    ),
    (rows) => rows.map(({ day, ...usage }) => ({ day, usage }))
  )
