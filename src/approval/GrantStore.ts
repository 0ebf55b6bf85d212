/**
 * Grants of one session. Owns: the contract and its memory form. Does not own: matching (Policy), persistence.
 * Invariant: an expired or revoked grant is never returned; grants of one session are never seen by another (R161).
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Grant } from "../domain/Approval.ts"
import type { GrantId, SessionId } from "../domain/Ids.ts"

export class GrantError extends Schema.TaggedError<GrantError>()("GrantError", {
  operation: Schema.Literals(["active", "save", "revoke"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  get code() {
    return "storage_unavailable" as const
  }
}

export class GrantStore extends Context.Service<
  GrantStore,
  {
    /** Grants in force now for this session and tool. */
    readonly active: (session: SessionId, tool: string) => Effect.Effect<ReadonlyArray<Grant>, GrantError>
    readonly save: (session: SessionId, grant: Grant) => Effect.Effect<void, GrantError>
    readonly revoke: (session: SessionId, id: GrantId) => Effect.Effect<boolean, GrantError>
    readonly list: (session: SessionId) => Effect.Effect<ReadonlyArray<Grant>, GrantError>
    /** Everything the session was granted ends. */
    readonly drop: (session: SessionId) => Effect.Effect<void, GrantError>
  }
>()("claw/approval/GrantStore") {}

/** One that forgets with the process. */
export const makeMemory = (): GrantStore["Service"] => {
  const sessions = new Map<SessionId, Map<GrantId, Grant>>()
  const inForce = (session: SessionId) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      Array.from(sessions.get(session)?.values() ?? []).filter((grant) => Date.parse(grant.expires_at) > now)
    )
  return GrantStore.of({
    active: (session, tool) =>
      Effect.map(inForce(session), (grants) => grants.filter((grant) => grant.tool_name === tool)),
    list: inForce,
    save: (session, grant) =>
      Effect.sync(() => {
        const grants = sessions.get(session) ?? new Map<GrantId, Grant>()
        sessions.set(session, grants.set(grant.grant_id, grant))
      }),
    revoke: (session, id) => Effect.sync(() => sessions.get(session)?.delete(id) ?? false),
    drop: (session) => Effect.sync(() => void sessions.delete(session))
  })
}

export const layerMemory = Layer.sync(GrantStore, makeMemory)
