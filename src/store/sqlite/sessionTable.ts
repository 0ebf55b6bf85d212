/**
 * The session index in SQLite. Owns: the rows of `sessions` and `counters`, and the removal of a session.
 * Invariants: a number that was given is on the disk before it is given; a removed session is gone from every reader at
 * once, its records follow in small transactions, also after a crash between two of them.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { REMOVED } from "../appendRule.ts"
import { SessionIndex, type SessionMeta } from "../SessionIndex.ts"
import { alreadyThere, changed, notFound, wellFormed } from "../sessionRule.ts"
import type { Access } from "./access.ts"

/** Records deleted by one transaction. */
const PURGE_ROWS = 200

type Row = { readonly [K in keyof SessionMeta]-?: SessionMeta[K] | (undefined extends SessionMeta[K] ? null : never) }

const fromRow = ({ model, mode, ...rest }: Row): SessionMeta => ({
  ...rest,
  ...(model === null || model === undefined ? {} : { model }),
  ...(mode === null || mode === undefined ? {} : { mode })
})

const toRow = (meta: SessionMeta) => ({ ...wellFormed(meta), model: meta.model ?? null, mode: meta.mode ?? null })

const find = (sql: SqlClient.SqlClient, operation: string, id: SessionMeta["session_id"]) =>
  Effect.flatMap(sql<Row>`SELECT * FROM sessions WHERE session_id = ${id}`, ([row]) =>
    row === undefined ? Effect.fail(notFound(operation, id)) : Effect.succeed(fromRow(row))
  )

/** Deletes records of removed sessions, a few at a time; other work goes on in between. */
export const purge = Effect.fnUntraced(function* ({ sql, run }: Access) {
  while (true) {
    const deleted = yield* run(
      "remove",
      sql<{ readonly pos: number }>`
        DELETE FROM journal_records WHERE rowid IN (
          SELECT r.rowid FROM journal_heads h JOIN journal_records r ON r.session = h.session
          WHERE h.owner = ${REMOVED} LIMIT ${PURGE_ROWS}
        ) RETURNING pos`
    )
    if (deleted.length < PURGE_ROWS) return
    yield* Effect.yieldNow
  }
})

const remove = (access: Access) =>
  Effect.fn("SessionIndex.remove")(function* (id: SessionMeta["session_id"]) {
    const { sql } = access
    yield* access.transact(
      "remove",
      Effect.gen(function* () {
        const session = yield* sql`DELETE FROM sessions WHERE session_id = ${id} RETURNING session_id`
        // The epoch outlives the records: whoever still writes is fenced, also after the id was claimed again.
        const journal = yield* sql`
          UPDATE journal_heads SET owner = ${REMOVED}
          WHERE session_id = ${id} AND owner <> ${REMOVED} RETURNING session`
        if (session.length + journal.length === 0) return yield* notFound("remove", id)
      })
    )
    yield* purge(access)
  })

export const make = (access: Access) => {
  const { sql, run, transact } = access
  return SessionIndex.of({
    create: Effect.fn("SessionIndex.create")((meta) =>
      transact(
        "create",
        Effect.flatMap(
          sql`INSERT INTO sessions ${sql.insert(toRow(meta))} ON CONFLICT DO NOTHING RETURNING 1`,
          (rows) => (rows.length === 0 ? Effect.fail(alreadyThere(meta.session_id)) : Effect.void)
        )
      )
    ),
    get: Effect.fn("SessionIndex.get")((id) => run("get", find(sql, "get", id))),
    update: Effect.fn("SessionIndex.update")((id, change) =>
      transact(
        "update",
        Effect.gen(function* () {
          const next = changed(yield* find(sql, "update", id), change)
          yield* sql`UPDATE sessions SET ${sql.update(toRow(next), ["session_id"])} WHERE session_id = ${id}`
          return next
        })
      )
    ),
    list: Effect.fn("SessionIndex.list")((options = {}) => {
      const where = options.workspace === undefined ? sql.literal("TRUE") : sql`workspace = ${options.workspace}`
      const rows = sql<Row>`
        SELECT * FROM sessions WHERE ${where} ORDER BY updated_at DESC, session_id DESC LIMIT ${options.limit ?? 100}`
      return run(
        "list",
        Effect.map(rows, (found) => found.map(fromRow))
      )
    }),
    remove: remove(access),
    nextNumber: Effect.fn("SessionIndex.nextNumber")((counter) =>
      transact(
        "nextNumber",
        sql<{ readonly value: number }>`
          INSERT INTO counters (counter, value) VALUES (${counter}, 1)
          ON CONFLICT (counter) DO UPDATE SET value = value + 1 RETURNING value`.pipe(
          Effect.map((rows) => rows[0]?.value ?? 1)
        )
      )
    )
  })
}
