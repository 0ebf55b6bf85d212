/**
 * What an append writes beside its records: grants and audit entries, in the same transaction (SETTLED 8). Owns: which
 * facts project what. Invariants: a grant is stored with its decision or the whole append is refused, and says so
 * (`part: "grants"`), so that the caller can store the decision without it; a decision is never stored unaudited.
 */
import { copied, decision, type Unchained, visited } from "../../approval/Audit.ts"
import type { Durable } from "../../domain/Event.ts"
import type { ToolCall } from "../../domain/Message.ts"
import { sessionOf, type SessionKey } from "../../domain/Principal.ts"
import type { JournalRecord } from "../Journal.ts"
import { decode } from "../recordBody.ts"
import { StoreError } from "../StoreError.ts"
import * as GrantTable from "./grantTable.ts"
import type { Statements } from "./sqlClient.ts"
import { metStorage } from "./sqliteError.ts"

type Decided = JournalRecord & { readonly body: Durable<"approval_resolved"> }

const isDecided = (record: JournalRecord): record is Decided => record.body.type === "approval_resolved"

const refused = (session: SessionKey, cause: unknown) =>
  new StoreError({
    code: "storage_unavailable",
    operation: "append",
    part: "grants",
    detail: `The grant of session ${session} could not be saved. Nothing was stored.`,
    cause
  })

/** Grants that were given and uses that were made; `undefined`: all of them are stored. */
export const grants = (
  all: Statements,
  session: SessionKey,
  records: ReadonlyArray<JournalRecord>
): StoreError | undefined => {
  const decided = records
    .filter(isDecided)
    .filter(({ body }) => body.grant !== undefined || body.grant_id !== undefined)
  if (decided.length === 0) return undefined
  all("SAVEPOINT grants")
  try {
    for (const { body, ts } of decided) {
      if (body.grant !== undefined) GrantTable.put(all, sessionOf(session), body.grant)
      else if (body.grant_id !== undefined && body.decision !== "deny")
        GrantTable.use(all, sessionOf(session), body.grant_id, ts)
    }
    all("RELEASE grants")
    return undefined
  } catch (cause) {
    if (metStorage(cause)) throw cause
    all("ROLLBACK TO grants")
    all("RELEASE grants")
    return refused(session, cause)
  }
}

const callOf = (call: Durable<"tool_call">): ToolCall => ({
  call_id: call.call_id,
  tool_name: call.tool_name,
  arguments: call.content
})

/** The call of a decision that does not say what it is about: one that was withdrawn, or of an older claw. */
const storedCall = (all: Statements, number: number, { pos, body: { call_id } }: Decided): ToolCall | undefined => {
  const rows = all(
    `SELECT payload FROM journal_records
     WHERE session = ? AND pos < ? AND type = 'tool_call' AND json_valid(payload) AND payload ->> '$.call_id' = ?
     ORDER BY pos DESC LIMIT 1`,
    number,
    pos,
    call_id
  ) as ReadonlyArray<{ readonly payload: string }>
  const body = rows[0] === undefined ? undefined : decode(rows[0].payload)
  return body?.type === "tool_call" ? callOf(body) : undefined
}

/** `number`: the session's in the database. Its records are there already. */
export const entries = (
  all: Statements,
  session: SessionKey,
  number: number,
  records: ReadonlyArray<JournalRecord>
): ReadonlyArray<Unchained> =>
  records.flatMap((record) => {
    if (record.body.type === "host_visited") return [visited(sessionOf(session), record.ts, record.body)]
    if (!isDecided(record)) return []
    const call = record.body.digest === undefined ? storedCall(all, number, record) : undefined
    return [decision(sessionOf(session), record, record.body, call)]
  })

/** A fork's facts were decided in another session: one entry says that they are copies. */
export const copies = (session: SessionKey, records: ReadonlyArray<JournalRecord>): ReadonlyArray<Unchained> => {
  const last = records.findLast(({ seq }) => seq !== undefined)
  return last?.seq === undefined ? [] : [copied(sessionOf(session), last.ts, last.seq)]
}
