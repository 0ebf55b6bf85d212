/**
 * The session index in SQLite. Owns: the rows of `sessions` and `counters`, and the removal of a session.
 * Invariants: a number that was given is on the disk before it is given; a removed session is gone from every reader at
 * once, its records follow in small transactions, also after a crash between two of them.
 */
import { Clock, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import { type Place, removed } from "../../approval/Audit.ts"
import type { SessionId } from "../../domain/Ids.ts"
import { localOwner, type Owner, sessionKey } from "../../domain/Principal.ts"
import * as Points from "../../observability/Points.ts"
import { traced } from "../../observability/Telemetry.ts"
import { keeps, REMOVED, takesNone } from "../appendRule.ts"
import { type OwnedIndex, SessionIndex, type SessionMeta } from "../SessionIndex.ts"
import { alreadyThere, changed, keptMode, notFound, wellFormed } from "../sessionRule.ts"
import type { StoreError } from "../StoreError.ts"
import type { Access } from "./access.ts"
import * as AuditTable from "./auditTable.ts"
import * as GrantTable from "./grantTable.ts"
import * as SpentTable from "./spentTable.ts"

/** Records deleted by one transaction. */
const PURGE_ROWS = 200

type Columns = Omit<SessionMeta, "owner">
type Texts = Omit<Columns, "archived">
type Row = Owner & { readonly archived: number } & {
  readonly [K in keyof Texts]-?: Texts[K] | (undefined extends Texts[K] ? null : never)
}

const fromRow = ({
  tenant,
  project,
  user,
  model,
  mode,
  session_id,
  workspace_id,
  archived,
  ...rest
}: Row): SessionMeta => ({
  session_id,
  owner: { tenant, project, user },
  ...rest,
  ...(workspace_id === null || workspace_id === undefined ? {} : { workspace_id }),
  ...(model === null || model === undefined ? {} : { model }),
  ...keptMode(mode),
  ...(archived === 0 ? {} : { archived: true })
})

const toRow = (meta: Columns, owner: Owner) => {
  const { owner: scope, ...columns } = wellFormed(meta, owner)
  return {
    ...scope,
    ...columns,
    workspace_id: columns.workspace_id ?? null,
    model: columns.model ?? null,
    mode: columns.mode ?? null,
    archived: columns.archived === true ? 1 : 0
  }
}

/** Stands in every statement over `sessions` and `counters`. */
const ownedBy = (sql: SqlClient.SqlClient, { tenant, project, user }: Owner) =>
  sql`tenant = ${tenant} AND project = ${project} AND user = ${user}`

const find = (sql: SqlClient.SqlClient, operation: string, owner: Owner, id: SessionId) =>
  Effect.flatMap(sql<Row>`SELECT * FROM sessions WHERE ${ownedBy(sql, owner)} AND session_id = ${id}`, ([row]) =>
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

/** Its grants end, its total goes, and the audit keeps a tombstone. */
const bury = Effect.fnUntraced(function* (access: Access, place: Place, at: string) {
  const { sql } = access
  const key = sessionKey(place.owner, place.session_id)
  const [last] = yield* sql<{ readonly seq: number | null }>`
    SELECT max(r.seq) AS seq FROM journal_heads h JOIN journal_records r ON r.session = h.session
    WHERE h.session_id = ${key} AND r.seq IS NOT NULL`
  yield* GrantTable.end(access, place)
  yield* SpentTable.forget(sql, key)
  yield* AuditTable.appendWith(access, removed(place, at, last?.seq ?? 0))
})

const remove = (access: Access, owner: Owner) =>
  Effect.fn("SessionIndex.remove")(function* (id: SessionId, mayTake: (holder: string) => boolean = takesNone) {
    const { sql } = access
    const key = sessionKey(owner, id)
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* access.transact(
      "remove",
      Effect.gen(function* () {
        const [head] = yield* sql<{ readonly owner: string }>`
          SELECT owner FROM journal_heads WHERE session_id = ${key}`
        const kept = keeps(key, head?.owner, undefined, mayTake)
        if (kept !== undefined) return yield* kept
        const session = yield* sql`
          DELETE FROM sessions WHERE ${ownedBy(sql, owner)} AND session_id = ${id} RETURNING session_id`
        // The epoch outlives the records: whoever still writes is fenced, also after the id was claimed again.
        const journal = yield* sql`
          UPDATE journal_heads SET owner = ${REMOVED}
          WHERE session_id = ${key} AND owner <> ${REMOVED} RETURNING session`
        if (session.length + journal.length === 0) return yield* notFound("remove", id)
        yield* bury(access, { owner, session_id: id }, at)
      })
    )
    yield* purge(access)
  })

const nextNumber = ({ sql, transact }: Access, { tenant, project, user }: Owner) =>
  Effect.fn("SessionIndex.nextNumber")((counter: string, count = 1) =>
    transact(
      "nextNumber",
      sql<{ readonly value: number }>`
        INSERT INTO counters (tenant, project, user, counter, value)
        VALUES (${tenant}, ${project}, ${user}, ${counter}, ${count})
        ON CONFLICT (tenant, project, user, counter) DO UPDATE SET value = value + ${count} RETURNING value`.pipe(
        Effect.map((rows) => (rows[0]?.value ?? count) - count + 1)
      )
    )
  )

const OWN = "WHERE tenant = ? AND project = ? AND user = ? AND session_id = ?"

/** That it was used may be lost with the machine's power, though not with this process: nothing waits for the disk. */
const update = (access: Access, owner: Owner, id: SessionId, change: Parameters<OwnedIndex["update"]>[1]) => {
  const { tenant, project, user } = owner
  const own = [tenant, project, user, id]
  const updated = access.atOnce(
    "update",
    (all): Exit.Exit<SessionMeta, StoreError> => {
      const [row] = all(`SELECT * FROM sessions ${OWN}`, ...own) as ReadonlyArray<Row>
      if (row === undefined) return Exit.fail(notFound("update", id))
      const next = changed(fromRow(row), change)
      const { archived, mode, model, title, updated_at } = next
      const values = [title, model, mode, archived === true, updated_at]
      all(`UPDATE sessions SET title = ?, model = ?, mode = ?, archived = ?, updated_at = ? ${OWN}`, ...values, ...own)
      Points.reach("update inside")
      return Exit.succeed(next)
    },
    Object.keys(change).every((key) => key === "updated_at")
  )
  return Points.around(() => "update", Effect.flatten(updated))
}

const ownedIndex = (access: Access, owner: Owner): OwnedIndex => {
  const { sql, run, transact } = access
  return {
    create: Effect.fn("SessionIndex.create")((meta) =>
      transact(
        "create",
        Effect.flatMap(
          sql`INSERT INTO sessions ${sql.insert(toRow(meta, owner))} ON CONFLICT DO NOTHING RETURNING 1`,
          (rows) => (rows.length === 0 ? Effect.fail(alreadyThere(meta.session_id)) : Effect.void)
        )
      )
    ),
    get: Effect.fn("SessionIndex.get")((id) => run("get", find(sql, "get", owner, id))),
    update: (id, change) => traced("SessionIndex.update")(update(access, owner, id, change)),
    list: Effect.fn("SessionIndex.list")((options = {}) => {
      const { workspace, archived, after } = options
      const where = workspace === undefined ? sql.literal("TRUE") : sql`workspace = ${workspace}`
      const put = archived === undefined ? sql.literal("TRUE") : sql`archived = ${archived ? 1 : 0}`
      const behind =
        after === undefined
          ? sql.literal("TRUE")
          : sql`(updated_at, session_id) < (${after.updated_at}, ${after.session_id})`
      const rows = sql<Row>`
        SELECT * FROM sessions WHERE ${ownedBy(sql, owner)} AND ${where} AND ${put} AND ${behind}
        ORDER BY updated_at DESC, session_id DESC LIMIT ${options.limit ?? 100}`
      return run(
        "list",
        Effect.map(rows, (found) => found.map(fromRow))
      )
    }),
    remove: remove(access, owner),
    spentBy: SpentTable.spentBy(access, owner),
    spentDays: SpentTable.spentDays(access, owner),
    spentModels: SpentTable.spentModels(access, owner),
    nextNumber: nextNumber(access, owner)
  }
}

/** Owners whose view is kept. */
const MOST_OWNERS = 1000

export const make = (access: Access) => {
  const views = new Map<string, OwnedIndex>()
  // Asked for with each session and each request; to make one looks at the stack for each of its methods.
  const viewOf = (owner: Owner): OwnedIndex => {
    const key = JSON.stringify([owner.tenant, owner.project, owner.user])
    const view = views.get(key) ?? ownedIndex(access, owner)
    if (views.size >= MOST_OWNERS) views.clear()
    views.set(key, view)
    return view
  }
  return SessionIndex.of({
    ...ownedIndex(access, localOwner),
    for: viewOf,
    spentOn: SpentTable.spentOn(access),
    owners: access.run("owners", access.sql<Owner>`SELECT DISTINCT tenant, project, user FROM sessions`)
  })
}
