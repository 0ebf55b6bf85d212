/**
 * What was granted for sessions, and for how long (SETTLED 8, 18; SECURITY P12). Owns: the contract, and when a grant is
 * in force. Does not own: matching (Policy), the tables (MemoryGrants, the store's drivers).
 * Invariants: a grant that expired, was revoked, or cannot be read back is never given out; one owner's or session's
 * grants are never seen by another (R161); a grant ends with its session and survives `/clear`.
 */
import { Context, type Effect, Schema } from "effect"
import type { Grant } from "../domain/Approval.ts"
import type { GrantId, SessionId } from "../domain/Ids.ts"
import type { Owner } from "../domain/Principal.ts"

export class GrantError extends Schema.TaggedError<GrantError>()("GrantError", {
  operation: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  get code() {
    return "storage_unavailable" as const
  }
  override get message(): string {
    return this.detail ?? "The grants cannot be read or written."
  }
}

/** A grant and what became of it. Times are RFC 3339. */
export interface KeptGrant extends Owner {
  readonly session_id: SessionId
  readonly grant: Grant
  /** Calls that it allowed, besides the one that it was asked for. */
  readonly uses: number
  readonly last_used_at?: string
  readonly revoked_at?: string
  readonly revoked_by?: string
}

export interface GrantPage {
  readonly grants: ReadonlyArray<KeptGrant>
  /** Ids of stored grants that cannot be read back: they grant nothing, and stay where they are. */
  readonly damaged: ReadonlyArray<GrantId>
  /** Read on behind this; absent: this is the last page. */
  readonly next?: GrantId
}

export interface PageOf {
  readonly after?: GrantId
  /** Default 100. */
  readonly limit?: number
}

/** A clock that was set back must not lengthen a grant: one from later than this is none. */
const SKEW_MS = 60_000

export const inForce = ({ grant, revoked_at }: Pick<KeptGrant, "grant" | "revoked_at">, now: number): boolean =>
  revoked_at === undefined && Date.parse(grant.expires_at) > now && Date.parse(grant.created_at) <= now + SKEW_MS

/** The grants of one owner's sessions. */
export interface OwnedGrants {
  /** In force now, for this session and tool. */
  readonly active: (session: SessionId, tool: string) => Effect.Effect<ReadonlyArray<Grant>, GrantError>
  /** Takes a new grant from the gate. A store that projects the journal waits for the decision's own append. */
  readonly save: (session: SessionId, grant: Grant) => Effect.Effect<void, GrantError>
  /** False where no grant in force has this id. */
  readonly revoke: (session: SessionId, id: GrantId, by?: string) => Effect.Effect<boolean, GrantError>
  /** In force now, oldest first. */
  readonly list: (session: SessionId) => Effect.Effect<ReadonlyArray<Grant>, GrantError>
  readonly page: (session: SessionId, of?: PageOf) => Effect.Effect<GrantPage, GrantError>
}

/** Its own operations are those of `localOwner`. */
export class GrantStore extends Context.Service<
  GrantStore,
  OwnedGrants & {
    readonly for: (owner: Owner) => OwnedGrants
    /** For whoever sits at the machine of the store: the grants of everybody. */
    readonly everyone: {
      readonly page: (of?: PageOf) => Effect.Effect<GrantPage, GrantError>
      /** Also one that has ended; `damaged`: it is there and cannot be read. */
      readonly find: (id: GrantId) => Effect.Effect<KeptGrant | "damaged" | undefined, GrantError>
      readonly revoke: (id: GrantId, by: string) => Effect.Effect<boolean, GrantError>
    }
  }
>()("claw/approval/GrantStore") {}

/** The part of one owner as a whole store, for a gate that serves this owner's session. */
export const ownedBy = (store: GrantStore["Service"], owner: Owner) =>
  GrantStore.of({ ...store.for(owner), for: store.for, everyone: store.everyone })
