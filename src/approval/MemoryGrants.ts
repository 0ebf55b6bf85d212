/**
 * Grants in memory: for programs that keep nothing, and as the projection of a journal in memory. Owns: the rows.
 * Invariant: what is true of every grant store (GrantStore), without outliving the process.
 */
import { Clock, Effect, Layer } from "effect"
import type { Grant } from "../domain/Approval.ts"
import type { GrantId, SessionId } from "../domain/Ids.ts"
import { localOwner, type Owner, ownerOf, sessionKey } from "../domain/Principal.ts"
import { type GrantPage, GrantStore, inForce, type KeptGrant, type OwnedGrants, type PageOf } from "./GrantStore.ts"

export interface MemoryGrants {
  readonly store: GrantStore["Service"]
  readonly put: (owner: Owner, session: SessionId, grant: Grant) => void
  readonly use: (owner: Owner, session: SessionId, id: GrantId, at: string) => void
  readonly end: (owner: Owner, session: SessionId) => void
}

/** In the order of their making. */
type Rows = Map<GrantId, KeptGrant>
type Wanted = (kept: KeptGrant) => boolean

const everybody: Wanted = () => true
const isOf =
  (owner: Owner, session: SessionId): Wanted =>
  (kept) =>
    sessionKey(kept, kept.session_id) === sessionKey(owner, session)

const among = (rows: Rows, wanted: Wanted) =>
  Effect.map(Clock.currentTimeMillis, (now) => [...rows.values()].filter((kept) => wanted(kept) && inForce(kept, now)))

const pageOf = (rows: Rows, wanted: Wanted, { after, limit = 100 }: PageOf = {}) =>
  Effect.map(among(rows, wanted), (found): GrantPage => {
    const behind = found.filter(({ grant }) => after === undefined || grant.grant_id > after)
    const last = behind.length > limit ? behind[limit - 1]?.grant.grant_id : undefined
    return { grants: behind.slice(0, limit), damaged: [], ...(last === undefined ? {} : { next: last }) }
  })

const change = (rows: Rows, id: GrantId, wanted: Wanted, next: (kept: KeptGrant) => Partial<KeptGrant>) => {
  const kept = rows.get(id)
  if (kept === undefined || !wanted(kept)) return undefined
  const made = { ...kept, ...next(kept) }
  rows.set(id, made)
  return made
}

/** `onRevoke` is told of each grant that was taken back. */
export const make = (onRevoke: (kept: KeptGrant) => void = () => {}): MemoryGrants => {
  const rows: Rows = new Map()
  const put = (owner: Owner, session_id: SessionId, grant: Grant) =>
    void rows.set(grant.grant_id, { ...ownerOf(owner), session_id, grant, uses: 0 })
  const revoke = (wanted: Wanted, id: GrantId, revoked_by = "unknown") =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const revoked_at = new Date(now).toISOString()
      const holds: Wanted = (kept) => wanted(kept) && inForce(kept, now)
      const kept = change(rows, id, holds, () => ({ revoked_at, revoked_by }))
      if (kept !== undefined) onRevoke(kept)
      return kept !== undefined
    })
  const owned = (owner: Owner): OwnedGrants => ({
    active: (session, tool) =>
      Effect.map(among(rows, isOf(owner, session)), (found) =>
        found.flatMap(({ grant }) => (grant.tool_name === tool ? [grant] : []))
      ),
    list: (session) => Effect.map(among(rows, isOf(owner, session)), (found) => found.map(({ grant }) => grant)),
    save: (session, grant) => Effect.sync(() => put(owner, session, grant)),
    revoke: (session, id, by) => revoke(isOf(owner, session), id, by),
    page: (session, of) => pageOf(rows, isOf(owner, session), of)
  })
  const everyone: GrantStore["Service"]["everyone"] = {
    page: (of) => pageOf(rows, everybody, of),
    find: (id) => Effect.sync(() => rows.get(id)),
    revoke: (id, by) => revoke(everybody, id, by)
  }
  return {
    store: GrantStore.of({ ...owned(localOwner), for: owned, everyone }),
    put,
    use: (owner, session, id, at) =>
      void change(rows, id, isOf(owner, session), ({ uses }) => ({ uses: uses + 1, last_used_at: at })),
    end: (owner, session) => {
      for (const [id, kept] of rows) if (isOf(owner, session)(kept)) rows.delete(id)
    }
  }
}

export const layerMemory = Layer.sync(GrantStore, () => make().store)
