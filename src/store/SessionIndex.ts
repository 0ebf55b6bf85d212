/**
 * What is known of a session without reading its journal. Owns: the contract. Same drivers as the journal.
 * Invariant: `nextNumber` never gives a number twice, also after a restart (PROTOCOL §4).
 */
import { Context, type Effect } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

export interface SessionMeta {
  readonly session_id: SessionId
  /** Absolute real path; a session keeps it for life (LESSONS 48). */
  readonly workspace: string
  readonly title: string
  readonly model?: string
  readonly mode?: string
  /** RFC 3339. */
  readonly created_at: string
  readonly updated_at: string
}

export class SessionIndex extends Context.Service<
  SessionIndex,
  {
    /** Fails with `session_exists` where the id is taken. */
    readonly create: (meta: SessionMeta) => Effect.Effect<void, StoreError>
    /** Fails with `session_not_found`. */
    readonly get: (id: SessionId) => Effect.Effect<SessionMeta, StoreError>
    readonly update: (
      id: SessionId,
      change: Partial<Pick<SessionMeta, "title" | "model" | "mode" | "updated_at">>
    ) => Effect.Effect<SessionMeta, StoreError>
    /** Newest first, by `updated_at`; at most `limit` (default 100), only `workspace`'s where given. */
    readonly list: (options?: {
      readonly workspace?: string
      readonly limit?: number
    }) => Effect.Effect<ReadonlyArray<SessionMeta>, StoreError>
    /** Removes the session and its records. */
    readonly remove: (id: SessionId) => Effect.Effect<void, StoreError>
    readonly nextNumber: (counter: string) => Effect.Effect<number, StoreError>
  }
>()("claw/store/SessionIndex") {}
