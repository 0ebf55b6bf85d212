/** How large each session's journal is, and who holds it: what `claw sessions prune` decides on. Changes nothing. */
import { Effect } from "effect"
import type { SessionKey } from "../../domain/Principal.ts"
import { REMOVED } from "../appendRule.ts"
import { withDatabase } from "./offline.ts"

/** What a row takes besides its text: columns, checksum, two index entries. */
const ROW_BYTES = 120

export interface Size {
  readonly key: SessionKey
  readonly owner: string
  readonly records: number
  readonly bytes: number
}

export const sizes = (file: string) =>
  Effect.map(
    withDatabase(
      "sizes",
      file,
      (db) =>
        db
          .prepare(
            `SELECT h.session_id AS key, h.owner AS owner, count(r.pos) AS records,
               coalesce(sum(octet_length(r.payload)), 0) + ${ROW_BYTES} * count(r.pos) AS bytes
             FROM journal_heads h LEFT JOIN journal_records r ON r.session = h.session
             WHERE h.owner <> '${REMOVED}' GROUP BY h.session`
          )
          .all() as unknown as ReadonlyArray<Size>,
      { readOnly: true }
    ),
    (rows) => new Map(rows.map((row) => [row.key, row]))
  )
