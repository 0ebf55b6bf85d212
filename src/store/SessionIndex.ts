/**
 * What is known of a session without reading its journal. Owns: the contract. Same drivers as the journal.
 * Invariants: every operation sees and touches one owner's sessions only, and what is another's is as if it were not
 * there (PROTOCOL §4, SETTLED 23); `nextNumber` never gives an owner a number twice, also after a restart.
 */
import { Context, type Effect } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import type { Owner } from "../domain/Principal.ts"
import type { Spent, SpentDay, SpentModel } from "./Spent.ts"
import type { StoreError } from "./StoreError.ts"

export interface SessionMeta {
  readonly session_id: SessionId
  readonly owner: Owner
  /** Absolute real path; a session keeps it for life (LESSONS 48). */
  readonly workspace: string
  /** Which directory that was when the session was made; absent: made by an older claw, or it could not be looked at. */
  readonly workspace_id?: string
  readonly title: string
  readonly model?: string
  /** Never `bypass`; absent: what the process is configured to. */
  readonly mode?: string
  /** Put aside by its person: lists may leave it out. Absent: it is not. */
  readonly archived?: boolean
  /** RFC 3339. */
  readonly created_at: string
  readonly updated_at: string
}

/** The sessions of one owner. */
export interface OwnedIndex {
  /** Fails with `session_exists` where the id is taken. The session is this owner's. */
  readonly create: (meta: Omit<SessionMeta, "owner">) => Effect.Effect<void, StoreError>
  /** Fails with `session_not_found`. */
  readonly get: (id: SessionId) => Effect.Effect<SessionMeta, StoreError>
  readonly update: (
    id: SessionId,
    change: Partial<Pick<SessionMeta, "title" | "model" | "mode" | "archived" | "updated_at">>
  ) => Effect.Effect<SessionMeta, StoreError>
  /**
   * Newest first, by `updated_at` and id; at most `limit` (default 100), behind `after`, `workspace`'s where given, only
   * those that are `archived`, or are not, where that is given.
   */
  readonly list: (options?: {
    readonly workspace?: string
    readonly archived?: boolean
    readonly limit?: number
    readonly after?: Pick<SessionMeta, "updated_at" | "session_id">
  }) => Effect.Effect<ReadonlyArray<SessionMeta>, StoreError>
  /**
   * Removes the session and its records. One whose journal somebody holds is left alone where `mayTake` says no (absent:
   * always): `session_moved`, and nothing is removed (SETTLED 16).
   */
  readonly remove: (id: SessionId, mayTake?: (holder: string) => boolean) => Effect.Effect<void, StoreError>
  /** What each of these spent; one that spent nothing, or is not there, is missing. */
  readonly spentBy: (ids: ReadonlyArray<SessionId>) => Effect.Effect<ReadonlyMap<SessionId, Spent>, StoreError>
  /** By day, oldest first, also by sessions that were removed since. A copy spent nothing of its source's. */
  readonly spentDays: Effect.Effect<ReadonlyArray<SpentDay>, StoreError>
  /** The same days, taken apart by model: by day, then by model. */
  readonly spentModels: Effect.Effect<ReadonlyArray<SpentModel>, StoreError>
  /** The first of `count` (default 1) numbers in a row, which are given to nobody else. */
  readonly nextNumber: (counter: string, count?: number) => Effect.Effect<number, StoreError>
}

/** Its own operations are those of `localOwner`. */
export class SessionIndex extends Context.Service<
  SessionIndex,
  OwnedIndex & {
    readonly for: (owner: Owner) => OwnedIndex
    /** What all sessions of a tenant spent on a day (UTC: `2026-03-01`), also those that were removed since. */
    readonly spentOn: (tenant: string, day: string) => Effect.Effect<Spent, StoreError>
    /** Everybody who has a session: for the process itself, which has to bring back what ran. */
    readonly owners: Effect.Effect<ReadonlyArray<Owner>, StoreError>
  }
>()("claw/store/SessionIndex") {}
