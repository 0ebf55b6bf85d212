/**
 * Whether an append may be stored after what is stored already. Owns: the decision, alike for every driver.
 * Does not own: where a head comes from. Invariant: only the newest claim's epoch passes, `pos` goes on by one, `seq`
 * goes on by one over public records and is absent from private ones; all of an append passes, or none of it.
 */
import { type DurableType, isPrivate } from "../domain/Event.ts"
import type { SessionKey } from "../domain/Principal.ts"
import type { JournalRecord } from "./Journal.ts"
import { encode } from "./recordBody.ts"
import { StoreError } from "./StoreError.ts"

/** Facts that begin and end a task. */
export const TASK_EDGES: ReadonlyArray<DurableType> = ["task_started", "task_completed", "task_canceled", "task_failed"]

/** The owner of a session that was removed: its epoch lives on, so that whoever still writes is fenced. */
export const REMOVED = ""
/** The owner of a session that was given up. */
export const RELEASED = "nobody"
export const ownerName = (owner: string): string => owner.toWellFormed() || "a writer without a name"

/** Where a session's journal stands, and whose it is. */
export interface Head {
  readonly epoch: number
  readonly owner: string
  readonly pos: number
  readonly seq: number
}

export interface EncodedRecord {
  readonly record: JournalRecord
  /** JSON text of the body. */
  readonly text: string
}

const refuse = (detail: string) => new StoreError({ code: "storage_unavailable", operation: "append", detail })

const fenced = (session: SessionKey, epoch: number, head: Head | undefined) =>
  new StoreError({
    code: "fenced",
    operation: "append",
    detail:
      head === undefined
        ? `Session ${session} was never claimed: claim it before writing.`
        : head.owner === REMOVED
          ? `Session ${session} was removed: nothing more is stored for epoch ${epoch}.`
          : `Session ${session} now belongs to ${head.owner} (epoch ${head.epoch}); this writer holds epoch ${epoch}.`
  })

const fault = (record: JournalRecord, pos: number, seq: number): string | undefined => {
  if (record.pos !== pos) return `its position must be ${pos}`
  if (isPrivate(record.body)) return record.seq === undefined ? undefined : "a private record has no seq"
  return record.seq === seq ? undefined : `its seq must be ${seq}`
}

/** The head after the append, or why it is refused. */
export const admit = (
  head: Head | undefined,
  session: SessionKey,
  epoch: number,
  records: ReadonlyArray<JournalRecord>
): Head | StoreError => {
  if (head === undefined || head.epoch !== epoch || head.owner === REMOVED) return fenced(session, epoch, head)
  let { pos, seq } = head
  for (const record of records) {
    const wrong = fault(record, pos + 1, seq + 1)
    if (wrong !== undefined) {
      return refuse(
        `Record ${record.pos} of session ${session} does not follow its journal: ${wrong}. Nothing was stored.`
      )
    }
    pos += 1
    if (record.seq !== undefined) seq += 1
  }
  return { ...head, pos, seq }
}

/** Why a claim (`owner`: whose) or a removal is refused: somebody has the session and keeps it. */
export const keeps = (
  session: SessionKey,
  holder: string | undefined,
  owner: string | undefined,
  mayTake: (owner: string) => boolean
): StoreError | undefined => {
  if (holder === undefined || holder === REMOVED || holder === RELEASED) return undefined
  if ((owner !== undefined && holder === ownerName(owner)) || mayTake(holder)) return undefined
  const detail = `Session ${session} is open in another claw (${holder.split("@", 1)[0] ?? holder}). Leave it there first.`
  return new StoreError({ code: "session_moved", operation: owner === undefined ? "remove" : "claim", detail })
}

/** Nobody's session is taken from it. */
export const takesNone = () => false

/** The records with their texts, or why one of them could not be read back. */
export const encodeAll = (
  session: SessionKey,
  records: ReadonlyArray<JournalRecord>
): ReadonlyArray<EncodedRecord> | StoreError => {
  const encoded: Array<EncodedRecord> = []
  for (const record of records) {
    const text = record.event_id.isWellFormed() && record.ts.isWellFormed() ? encode(record.body) : undefined
    if (text === undefined) {
      return refuse(
        `Record ${record.pos} of session ${session} (${record.body.type}) is not valid and could not be read back. ` +
          "Nothing was stored."
      )
    }
    encoded.push({ record, text })
  }
  return encoded
}
