/**
 * Every session of this process (R060–R066). Owns: which ids exist, which are being made, the end of each.
 * Does not own: how a runtime is built (RuntimeFactory), or agents.
 * Invariant: an id is in at most one of absent, creating, present, ending; it cannot be made again while its old task
 * ends (LESSONS 35).
 */
import { Context, Effect, Layer } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Owner } from "../domain/Principal.ts"
import type { JournalRecord } from "../store/Journal.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import { makeRegistry } from "./registry.ts"
import type { RuntimeError } from "./RuntimeError.ts"
import type { SessionRuntime } from "./SessionRuntime.ts"

export interface CreateOptions {
  /** Absolute path of an existing directory. A stored session keeps its own and ignores this. */
  readonly workspace: string
  readonly mode?: Mode
  readonly model?: string
  readonly title?: string
  readonly max_turns?: number
}

/** The sessions of one owner; another's are as if they were not there (SETTLED 23). */
export interface Sessions {
  /** A new session; `session_exists` where the id is stored or running, `session_creating` while it is made. */
  readonly create: (id: SessionId, options: CreateOptions) => Effect.Effect<SessionRuntime, RuntimeError>
  /**
   * A stored session whose whole journal is given: a copy of another's. Fails as `create` does; until it is whole,
   * nobody in this process finds it, and another process leaves it alone.
   */
  readonly copy: (
    meta: Omit<SessionMeta, "owner">,
    records: ReadonlyArray<JournalRecord>
  ) => Effect.Effect<void, RuntimeError>
  /**
   * The running one, or the stored one brought back; `session_not_found` otherwise. One that is being brought back
   * for somebody else is waited for (a time; then `session_creating`). A task that was stopped goes on
   * with `recover`, as far as that is safe; else, and without it, it is closed as `interrupted_by_restart`.
   */
  readonly open: (
    id: SessionId,
    options?: Pick<CreateOptions, "mode" | "max_turns"> & { readonly recover?: boolean }
  ) => Effect.Effect<SessionRuntime, RuntimeError>
  /** A new id `<kind>-channel-session-N`; N is never given twice, also after a restart (PROTOCOL §4). */
  readonly reserve: (kind: string) => Effect.Effect<SessionId, RuntimeError>
  readonly get: (id: SessionId) => Effect.Effect<SessionRuntime, RuntimeError>
  readonly list: Effect.Effect<ReadonlyArray<SessionId>>
  readonly count: Effect.Effect<number>
  /** Takes it off the list, cancels its task, waits for its end. The stored session stays. */
  readonly destroy: (id: SessionId) => Effect.Effect<void, RuntimeError>
  /** Destroys it and removes the stored session. One that another living process has stays: `session_moved`. */
  readonly remove: (id: SessionId) => Effect.Effect<void, RuntimeError>
}

/** Its own operations are those of `localOwner`. */
export class RuntimeManager extends Context.Service<
  RuntimeManager,
  Sessions & {
    readonly for: (owner: Owner) => Sessions
    /**
     * The process ends: from now on everything that would change a session answers `server_draining`. Running tasks
     * stop without an end, those whose tools run when these have ended or `graceMs` is over; the sessions are given up
     * for whoever goes on with them, and can still be read here.
     */
    readonly suspendAll: (graceMs: number) => Effect.Effect<void>
    /**
     * Goes on with every stored task that nobody runs, as far as that is safe; gives how many. `came` is told of each
     * session that is in memory now, also where its task could not go on: nobody else gives it up.
     */
    readonly resumeAll: (came?: (owner: Owner, id: SessionId) => Effect.Effect<void>) => Effect.Effect<number>
  }
>()("claw/runtime/RuntimeManager") {}

/** The registry; its end destroys what it holds. */
export const layer = Layer.effect(
  RuntimeManager,
  Effect.map(makeRegistry, (registry) => RuntimeManager.of(registry))
)
