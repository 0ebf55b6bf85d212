/**
 * What sessions spent, in SQLite: each one's total, and each owner's days and models. Owns: their tables, as projections of `usage`
 * written in its append, so that nobody reads a history for a sum. Invariants: a record counts once; a day keeps what a
 * session spent that is removed.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SessionId } from "../../domain/Ids.ts"
import { localOwner, type Owner, scopeKey, type SessionKey, sessionKey, sessionOf } from "../../domain/Principal.ts"
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
const ADDED = `DO UPDATE SET
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    cost_usd = CASE WHEN excluded.cost_usd IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + excluded.cost_usd END`
const ADD = `
  INSERT INTO spent_days (owner, day, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner, day) ${ADDED}`
const ADD_MODEL = `
  INSERT INTO spent_models (owner, day, model, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner, day, model) ${ADDED}`

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
    const [owner, day, spent] = [scopeKey(sessionOf(session).owner), dayOf(ts), valuesOf(between(before, after))]
    all(ADD, owner, day, ...spent)
    all(ADD_MODEL, owner, day, body.model ?? "", ...spent)
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

export const spentModels = ({ sql, run }: Access, owner: Owner) =>
  Effect.map(
    run(
      "spentModels",
      sql<Day & { readonly model: string }>`
        SELECT day, model, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_usd
        FROM spent_models WHERE owner = ${scopeKey(owner)} ORDER BY day, model`
    ),
    (rows) => rows.map(({ day, model, ...usage }) => ({ day, model, usage }))
  )

/** Of all owners of a tenant. */
export const spentOn =
  ({ sql, run }: Access) =>
  (tenant: string, day: string) => {
    const prefix = `${tenant}/`
    const rows = sql<Spent>`
      SELECT coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
        coalesce(sum(cached_tokens), 0) AS cached_tokens, coalesce(sum(reasoning_tokens), 0) AS reasoning_tokens,
        sum(cost_usd) AS cost_usd
      FROM spent_days WHERE day = ${day}
        AND (substr(owner, 1, ${prefix.length}) = ${prefix} OR (owner = '' AND ${tenant} = ${localOwner.tenant}))`
    return Effect.map(run("spentOn", rows), ([row]) => row ?? nothing)
  }
