/**
 * A record as a row. Owns: its columns and its checksum. Invariant: a row whose columns or text changed since it was
 * written, or whose body this version does not know, gives no record: damage is found, never served.
 */
import { crc32 } from "node:zlib"
import type { EncodedRecord } from "../appendRule.ts"
import type { JournalRecord } from "../Journal.ts"
import { decode } from "../recordBody.ts"

export type RecordRow = {
  readonly session: number
  readonly pos: number
  readonly seq: number | null
  readonly event_id: string
  readonly ts: string
  readonly type: string
  readonly payload: string
  readonly checksum: number
}

const checksum = (row: Omit<RecordRow, "checksum" | "session" | "type">): number =>
  crc32(row.payload, crc32(`${row.pos} ${row.seq} ${row.event_id} ${row.ts}`))

export const toRow = (session: number, { record, text }: EncodedRecord): RecordRow => {
  const { pos, seq = null, event_id, ts } = record
  const row = { pos, seq, event_id, ts, payload: text }
  return { session, ...row, type: record.body.type, checksum: checksum(row) }
}

export const fromRow = (row: RecordRow): JournalRecord | undefined => {
  if (typeof row.payload !== "string" || checksum(row) !== row.checksum) return undefined
  const body = decode(row.payload)
  if (body === undefined || body.type !== row.type) return undefined
  const { pos, seq, event_id, ts } = row
  return { pos, ...(seq === null ? {} : { seq }), event_id: event_id as JournalRecord["event_id"], ts, body }
}
