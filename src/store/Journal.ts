/**
 * Durable truth: every session is an append-only sequence of records (DESIGN §7, SETTLED 6, 16, 17).
 * Owns: the contract. Drivers: `memory/`, `sqlite/`; both pass the one contract test, and both project an append's
 * decisions into grants and audit as part of it (SETTLED 8).
 * Invariants: an append is all or nothing and returns after it is durable; `pos` is contiguous per session and so is
 * `seq` among public records; an append under an older epoch than the newest claim fails with `fenced` and stores
 * nothing; what cannot be read back is reported, and costs nothing but itself. Sessions are named by their keys, which
 * hold their owner (`domain/Principal`): no two owners share a journal.
 */
import { Context, type Effect } from "effect"
import type { ReportBody } from "../domain/Event.ts"
import type { EventId } from "../domain/Ids.ts"
import type { SessionKey } from "../domain/Principal.ts"
import type { StoreError } from "./StoreError.ts"

export interface JournalRecord {
  /** 1, 2, 3 … over all records of the session. */
  readonly pos: number
  /** 1, 2, 3 … over its public records; absent: private. */
  readonly seq?: number
  readonly event_id: EventId
  /** RFC 3339 with milliseconds. */
  readonly ts: string
  readonly body: ReportBody
}

export interface Tail {
  /** The epoch that `claim` opened: larger than every earlier one of this session. */
  readonly epoch: number
  /** Last record's numbers; 0: none yet. */
  readonly pos: number
  readonly seq: number
}

/**
 * A page of records; `damaged` are positions that cannot be read back. A page may end before `limit` where its records
 * are large. Where `more` is true, it has a record, and its `damaged` stand before its last one: read on behind that.
 */
export interface Page {
  readonly records: ReadonlyArray<JournalRecord>
  readonly damaged: ReadonlyArray<number>
  /** The types of those of them whose type can be told; absent: of none. */
  readonly kinds?: ReadonlyMap<number, string>
  /** True: there are more records behind the last of this page. */
  readonly more: boolean
}

/** Where a session's first prompt stands at the latest, and how much of it is given. */
export const FIRST_PROMPT = { seq: 8, chars: 4096 } as const

export class Journal extends Context.Service<
  Journal,
  {
    /**
     * Makes the caller the session's one writer; whoever wrote before is fenced from now on. Another owner who has not
     * released it is left alone where `mayTake` says no: `session_moved`, naming who has it (SETTLED 16).
     */
    readonly claim: (
      session: SessionKey,
      owner: string,
      mayTake?: (owner: string) => boolean
    ) => Effect.Effect<Tail, StoreError>
    /** Gives the session up, where `epoch` is still the newest: the next claim is free. */
    readonly release: (session: SessionKey, epoch: number) => Effect.Effect<void, StoreError>
    /**
     * Stores `records` (next contiguous positions) as one transaction; concurrent appends share a commit. An error with
     * `part: "grants"`: the same append without its grants may be stored. A `copy` holds another session's facts: they
     * grant nothing, and the audit says once that they are copies.
     */
    readonly append: (
      session: SessionKey,
      epoch: number,
      records: ReadonlyArray<JournalRecord>,
      as?: "copy"
    ) => Effect.Effect<void, StoreError>
    /** Records with `pos` > `after`, in order, at most `limit` (default 1,000). */
    readonly read: (session: SessionKey, after: number, limit?: number) => Effect.Effect<Page, StoreError>
    /** Public records with `seq` > `after`, in order, at most `limit` (default 1,000). */
    readonly readPublic: (session: SessionKey, after: number, limit?: number) => Effect.Effect<Page, StoreError>
    /**
     * Public records with `seq` < `before`, the newest `limit` of them, in order. As other pages are, but from the end:
     * where `more` is true, there are more in front of its first record, and its `damaged` stand behind that.
     */
    readonly readPublicBack: (session: SessionKey, before: number, limit?: number) => Effect.Effect<Page, StoreError>
    /** What each of these began with (`FIRST_PROMPT`); one that has had no prompt is missing. */
    readonly firstPrompts: (
      sessions: ReadonlyArray<SessionKey>
    ) => Effect.Effect<ReadonlyMap<SessionKey, string>, StoreError>
    /** Sessions whose newest task has no terminal event: it runs somewhere, or was stopped and can go on. */
    readonly unfinished: Effect.Effect<ReadonlyArray<SessionKey>, StoreError>
  }
>()("claw/store/Journal") {}
