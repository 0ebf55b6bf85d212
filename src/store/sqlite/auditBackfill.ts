/**
 * The audit of a store that is older than its audit: the decisions that its journals hold, in the order in which they
 * were stored. Owns: that one walk, inside the migration. Does not own: entries, chain. Invariants: what cannot be read
 * is left out; nothing is granted, since grants of that time ended with their process. The chain proves these entries
 * from here on; what was changed before, it cannot know.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Unchained } from "../../approval/Audit.ts"
import type { SessionKey } from "../../domain/Principal.ts"
import { REMOVED } from "../appendRule.ts"
import * as AuditTable from "./auditTable.ts"
import * as Projection from "./projection.ts"
import { fromRow, type RecordRow } from "./recordRow.ts"

/** Entries that are chained at a time. */
const AT_ONCE = 500

type Row = RecordRow & { readonly key: SessionKey }

const DECISIONS = `
  SELECT r.*, h.session_id AS key FROM journal_records r JOIN journal_heads h ON h.session = r.session
  WHERE r.type = 'approval_resolved' AND h.owner <> '${REMOVED}' ORDER BY r.rowid`

export const backfill = (db: DatabaseSync): void => {
  const all = (sql: string, ...params: ReadonlyArray<unknown>) =>
    db.prepare(sql).all(...(params as ReadonlyArray<string | number | null>))
  let entries: Array<Unchained> = []
  for (const row of db.prepare(DECISIONS).iterate() as unknown as Iterable<Row>) {
    const record = fromRow(row)
    if (record !== undefined) entries.push(...Projection.entries(all, row.key, row.session, [record]))
    if (entries.length < AT_ONCE) continue
    AuditTable.append(all, entries)
    entries = []
  }
  AuditTable.append(all, entries)
}
