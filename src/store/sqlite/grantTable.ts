/**
 * Grants in SQLite. Owns: the rows of `grants`. Invariants: a row is written in the append of its decision and nowhere
 * else; one whose columns or checksum are wrong grants nothing, is told of, and stays as it is; a revocation of any
 * process is seen by the next read.
 */
import { crc32 } from "node:zlib"
import { Clock, Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { type Place, revoked } from "../../approval/Audit.ts"
import {
  GrantError,
  type GrantPage,
  GrantStore,
  inForce,
  type KeptGrant,
  type OwnedGrants,
  type PageOf
} from "../../approval/GrantStore.ts"
import { Grant } from "../../domain/Approval.ts"
import type { GrantId, SessionId } from "../../domain/Ids.ts"
import type { sessionKey } from "../../domain/Principal.ts"
import { localOwner, type Owner, scopeKey, sessionOf } from "../../domain/Principal.ts"
import type { StoreError } from "../StoreError.ts"
import type { Access } from "./access.ts"
import * as AuditTable from "./auditTable.ts"
import type { Statements } from "./sqlClient.ts"

interface Row {
  readonly grant_id: GrantId
  readonly owner: string
  readonly session_id: SessionId
  readonly expires_at: string
  readonly payload: string
  readonly revoked_at: string | null
  readonly revoked_by: string | null
  readonly checksum: number
  readonly uses: number
  readonly last_used_at: string | null
}

type Checked = Omit<Row, "checksum" | "uses" | "last_used_at">

const checksum = ({ grant_id, owner, session_id, expires_at, payload, revoked_at, revoked_by }: Checked): number =>
  crc32(JSON.stringify([grant_id, owner, session_id, expires_at, payload, revoked_at, revoked_by]))

const isGrant = Schema.is(Grant)

const grantOf = ({ payload }: Row): Grant | undefined => {
  try {
    const value: unknown = JSON.parse(payload)
    return isGrant(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined`: the row is damaged. */
const fromRow = (row: Row): KeptGrant | undefined => {
  if (checksum(row) !== row.checksum) return undefined
  const grant = grantOf(row)
  if (grant?.grant_id !== row.grant_id || grant.expires_at !== row.expires_at) return undefined
  const { session_id, uses, last_used_at, revoked_at, revoked_by } = row
  const { owner } = sessionOf(`${row.owner}${session_id}` as ReturnType<typeof sessionKey>)
  return {
    ...owner,
    session_id,
    grant,
    uses,
    ...(last_used_at === null ? {} : { last_used_at }),
    ...(revoked_at === null ? {} : { revoked_at }),
    ...(revoked_by === null ? {} : { revoked_by })
  }
}

/** Inside the append of the decision. Throws where the row cannot be written. */
export const put = (all: Statements, { owner, session_id }: Place, grant: Grant): void => {
  const { grant_id, expires_at } = grant
  const payload = JSON.stringify(grant)
  const row = { grant_id, owner: scopeKey(owner), session_id, expires_at, payload, revoked_at: null, revoked_by: null }
  all(
    "INSERT INTO grants (grant_id, owner, session_id, expires_at, payload, checksum) VALUES (?, ?, ?, ?, ?, ?)",
    grant_id,
    row.owner,
    session_id,
    expires_at,
    payload,
    checksum(row)
  )
}

export const use = (all: Statements, { owner, session_id }: Place, id: GrantId, at: string): void =>
  void all(
    "UPDATE grants SET uses = uses + 1, last_used_at = ? WHERE grant_id = ? AND owner = ? AND session_id = ?",
    at,
    id,
    scopeKey(owner),
    session_id
  )

/** Inside the removal of the session. */
export const end = ({ sql }: Access, { owner, session_id }: Place) =>
  sql`DELETE FROM grants WHERE owner = ${scopeKey(owner)} AND session_id = ${session_id}`

const toGrant = (operation: string) => (error: StoreError) =>
  new GrantError({ operation, detail: error.detail, cause: error })

/** Damaged rows are told of once by a process. */
const makeTeller = () => {
  const told = new Set<string>()
  return (damaged: ReadonlyArray<Row>) => {
    const fresh = damaged.filter(({ grant_id }) => !told.has(grant_id))
    for (const { grant_id } of fresh) told.add(grant_id)
    return fresh.length === 0
      ? Effect.void
      : Effect.logWarning("stored grants cannot be read and grant nothing", {
          grants: fresh.map((row) => row.grant_id)
        })
  }
}

interface Parts {
  readonly access: Access
  readonly tell: ReturnType<typeof makeTeller>
}

type Where = Statement.Fragment

const inPlace = ({ sql }: Access, { owner, session_id }: Place): Where =>
  sql`owner = ${scopeKey(owner)} AND session_id = ${session_id}`

const readAll = Effect.fnUntraced(function* ({ access, tell }: Parts, operation: string, where: Where, limit: number) {
  const { sql, run } = access
  const now = yield* Clock.currentTimeMillis
  const rows = yield* Effect.mapError(
    run(operation, sql<Row>`SELECT * FROM grants WHERE ${where} ORDER BY grant_id LIMIT ${limit}`),
    toGrant(operation)
  )
  const read = rows.map((row) => ({ row, kept: fromRow(row) }))
  const damaged = read.flatMap(({ row, kept }) => (kept === undefined ? [row] : []))
  yield* tell(damaged)
  const grants = read.flatMap(({ kept }) => (kept !== undefined && inForce(kept, now) ? [kept] : []))
  return { rows, grants, damaged: damaged.map(({ grant_id }) => grant_id) }
})

const page = (parts: Parts, where: Where, { after, limit = 100 }: PageOf = {}) =>
  Effect.gen(function* () {
    const { sql } = parts.access
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    // Ended ones are left out where that can be known; a damaged row may say anything.
    const open = sql`((revoked_at IS NULL AND expires_at > ${now}) OR NOT json_valid(payload))`
    const behind = after === undefined ? sql`TRUE` : sql`grant_id > ${after}`
    const found = yield* readAll(parts, "list grants", sql`${where} AND ${behind} AND ${open}`, limit + 1)
    const last = found.rows.length > limit ? found.rows[limit - 1]?.grant_id : undefined
    const inPage = (id: GrantId) => last === undefined || id <= last
    return {
      grants: found.grants.filter(({ grant }) => inPage(grant.grant_id)),
      damaged: found.damaged.filter(inPage),
      ...(last === undefined ? {} : { next: last })
    } satisfies GrantPage
  })

/** The row and its entry in the audit are one transaction. */
const revoke = ({ access }: Parts, where: Where, id: GrantId, by = "unknown") =>
  Effect.gen(function* () {
    const { sql, transact } = access
    const now = yield* Clock.currentTimeMillis
    const revoked_at = new Date(now).toISOString()
    const statements = Effect.gen(function* () {
      const [row] = yield* sql<Row>`SELECT * FROM grants WHERE ${where} AND grant_id = ${id}`
      const kept = row === undefined ? undefined : fromRow(row)
      if (row === undefined || kept === undefined || !inForce(kept, now)) return false
      const revoked_by = by.toWellFormed()
      const sum = checksum({ ...row, revoked_at, revoked_by })
      yield* sql`
        UPDATE grants SET revoked_at = ${revoked_at}, revoked_by = ${revoked_by}, checksum = ${sum} WHERE grant_id = ${id}`
      const { session_id, grant } = kept
      const place = { owner: kept, session_id }
      yield* AuditTable.appendWith(access, revoked(place, revoked_at, id, grant.tool_name, revoked_by))
      return true
    })
    return yield* Effect.mapError(transact("revoke a grant", statements), toGrant("revoke a grant"))
  })

const owned = (parts: Parts, owner: Owner): OwnedGrants => {
  const { access } = parts
  const of = (session_id: SessionId) => inPlace(access, { owner, session_id })
  return {
    active: (session, tool) =>
      Effect.map(readAll(parts, "read grants", of(session), -1), ({ grants }) =>
        grants.flatMap(({ grant }) => (grant.tool_name === tool ? [grant] : []))
      ),
    list: (session) =>
      Effect.map(readAll(parts, "list grants", of(session), -1), ({ grants }) => grants.map(({ grant }) => grant)),
    save: () => Effect.void,
    revoke: (session, id, by) => revoke(parts, of(session), id, by),
    page: (session, given) => page(parts, of(session), given)
  }
}

export const make = (access: Access) => {
  const parts: Parts = { access, tell: makeTeller() }
  const { sql, run } = access
  const everyone: GrantStore["Service"]["everyone"] = {
    page: (of) =>
      Effect.gen(function* () {
        const found = yield* page(parts, sql`TRUE`, of)
        // A damaged row may look ended: the first page tells of every one there is.
        const damaged = of?.after === undefined ? (yield* readAll(parts, "list grants", sql`TRUE`, -1)).damaged : []
        return { ...found, damaged }
      }),
    find: (id) =>
      Effect.map(
        Effect.mapError(
          run("find a grant", sql<Row>`SELECT * FROM grants WHERE grant_id = ${id}`),
          toGrant("find a grant")
        ),
        ([row]) => (row === undefined ? undefined : (fromRow(row) ?? "damaged"))
      ),
    revoke: (id, by) => revoke(parts, sql`TRUE`, id, by)
  }
  return GrantStore.of({ ...owned(parts, localOwner), for: (owner) => owned(parts, owner), everyone })
}
