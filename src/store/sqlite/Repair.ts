/**
 * What can be wrong with a store, and mending it (issue 5, `claw doctor --fix`). Owns: the findings, and what is done
 * about each. Invariants: looking changes nothing; a row is moved out only where its checksum proves that it is not what
 * was written, and only after it stands, as it is, in a quarantine file; a record of a newer claw is no damage; a
 * session that a living process holds stays its own.
 */
import { appendFileSync, chmodSync, existsSync, fsyncSync, openSync, closeSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import { Effect } from "effect"
import { type SessionKey, sessionOf } from "../../domain/Principal.ts"
import { RELEASED, REMOVED } from "../appendRule.ts"
import { pragma } from "./database.ts"
import { withDatabase } from "./offline.ts"
import type { RecordRow } from "./recordRow.ts"

/** A log larger than this was not given back: no reader should need so much. */
export const LARGE_LOG = 64 * 1024 * 1024
const ROWS = 200
const FAULTS = 20

export type Trouble = "pages" | "rows" | "locks" | "permissions" | "log"

export interface StoreFinding {
  readonly trouble: Trouble
  readonly count: number
  /** A sentence for a person. */
  readonly detail: string
  /** What was done; absent: nothing was, or nothing could be. */
  readonly fixed?: string
}

const tails = ["", "-wal", "-shm"] as const

/** Files and the directory that others of this machine may look into. */
const open = (file: string): ReadonlyArray<string> =>
  [dirname(file), ...tails.map((tail) => `${file}${tail}`)].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0
  )

const logBytes = (file: string): number => (existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0)

/** A row that is in quarantine, whose place stays taken. */
const MOVED = "moved_out"

const isWrong = (row: RecordRow): boolean => {
  if (row.type === MOVED && row.payload === "") return false
  if (typeof row.payload !== "string") return true
  return crc32(row.payload, crc32(`${row.pos} ${row.seq} ${row.event_id} ${row.ts}`)) !== row.checksum
}

interface Damaged {
  readonly rowid: number
  readonly session_id: string | null
  readonly row: RecordRow
}

/** Rows whose checksum is not theirs; `lost`: reading met a damaged page and could not go on. */
const damagedRows = (db: DatabaseSync): { readonly rows: ReadonlyArray<Damaged>; readonly lost: boolean } => {
  const rows: Array<Damaged> = []
  const all = db.prepare(
    `SELECT r.rowid AS rowid, r.*, h.session_id AS session_id FROM journal_records r
     LEFT JOIN journal_heads h ON h.session = r.session ORDER BY r.rowid`
  )
  try {
    for (const found of all.iterate() as unknown as Iterable<
      RecordRow & { rowid: number; session_id: string | null }
    >) {
      const { rowid, session_id, ...row } = found
      if (isWrong(row)) rows.push({ rowid, session_id, row })
    }
    return { rows, lost: false }
  } catch {
    return { rows, lost: true }
  }
}

interface Hold {
  readonly session_id: string
  readonly owner: string
}

const deadHolds = (db: DatabaseSync, isAlive: (owner: string) => boolean): ReadonlyArray<Hold> =>
  (db.prepare("SELECT session_id, owner FROM journal_heads").all() as unknown as ReadonlyArray<Hold>).filter(
    ({ owner }) => owner !== REMOVED && owner !== RELEASED && !isAlive(owner)
  )

const pageFaults = (db: DatabaseSync): ReadonlyArray<string> =>
  db
    .prepare(`PRAGMA quick_check(${FAULTS})`)
    .all()
    .map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== "ok")

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const found = (trouble: Trouble, count: number, detail: string): ReadonlyArray<StoreFinding> =>
  count === 0 ? [] : [{ trouble, count, detail }]

const outside = (file: string): ReadonlyArray<StoreFinding> => {
  const paths = open(file)
  const bytes = logBytes(file)
  return [
    ...found("permissions", paths.length, `Others on this machine may read ${paths.join(", ")}.`),
    ...found("log", bytes > LARGE_LOG ? 1 : 0, `The log ${file}-wal holds ${Math.round(bytes / 1_048_576)} MiB.`)
  ]
}

const inside = (db: DatabaseSync, isAlive: (owner: string) => boolean): ReadonlyArray<StoreFinding> => {
  const pages = pageFaults(db)
  const { rows, lost } = damagedRows(db)
  const holds = deadHolds(db, isAlive)
  const unread = lost ? " Some could not be looked at." : ""
  return [
    ...found(
      "pages",
      pages.length,
      `Pages of the store are damaged (${pages[0] ?? ""}). Restore a backup: claw restore FILE`
    ),
    ...found(
      "rows",
      rows.length,
      `${plural(rows.length, "record is", "records are")} damaged and cannot be read.${unread} Where they may still count, their session can only be read.`
    ),
    ...found(
      "locks",
      holds.length,
      `${plural(holds.length, "session is", "sessions are")} held by processes that are gone.`
    )
  ]
}

export const examine = (file: string, isAlive: (owner: string) => boolean) =>
  Effect.map(
    withDatabase("examine", file, (db) => inside(db, isAlive), { readOnly: true }),
    (findings) => [...outside(file), ...findings]
  )

/** One JSON object a line, on the disk before the rows go. */
const quarantine = (to: string, rows: ReadonlyArray<Damaged>): void => {
  const descriptor = openSync(to, "a", 0o600)
  try {
    appendFileSync(
      descriptor,
      rows.map(({ session_id, row }) => `${JSON.stringify({ session_id, ...row })}\n`).join("")
    )
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * A gap tells that something is missing. Behind the last one there would be none: its place stays, or nobody could know
 * that it was there and what it said would happen once more.
 */
const movedOut = (db: DatabaseSync) => {
  const last = db.prepare(
    `UPDATE journal_records SET type = '${MOVED}', payload = '' WHERE rowid = ? AND checksum = ?
     AND pos = (SELECT max(pos) FROM journal_records r WHERE r.session = journal_records.session)`
  )
  const other = db.prepare("DELETE FROM journal_records WHERE rowid = ? AND checksum = ?")
  return (rowid: number, sum: number) => {
    if (last.run(rowid, sum).changes === 0) other.run(rowid, sum)
  }
}

const moveOut = (db: DatabaseSync, to: string): number => {
  const { rows } = damagedRows(db)
  if (rows.length === 0) return 0
  quarantine(to, rows)
  const gone = movedOut(db)
  for (let i = 0; i < rows.length; i += ROWS) {
    db.exec("BEGIN IMMEDIATE")
    for (const { rowid, row } of rows.slice(i, i + ROWS)) gone(rowid, row.checksum)
    db.exec("COMMIT")
  }
  return rows.length
}

/** What a writer that died left of a copy is no session: its records go when the store is opened next. */
const release = (db: DatabaseSync, isAlive: (owner: string) => boolean): number => {
  const give = db.prepare("UPDATE journal_heads SET owner = ? WHERE session_id = ? AND owner = ?")
  const named = db.prepare("SELECT 1 FROM sessions WHERE tenant = ? AND project = ? AND user = ? AND session_id = ?")
  const isSession = (key: string) => {
    const { owner, session_id } = sessionOf(key as SessionKey)
    return named.get(owner.tenant, owner.project, owner.user, session_id) !== undefined
  }
  const holds = deadHolds(db, isAlive)
  for (const { session_id, owner } of holds) give.run(isSession(session_id) ? RELEASED : REMOVED, session_id, owner)
  return holds.length
}

export interface RepairOptions {
  readonly isAlive: (owner: string) => boolean
  /** Where damaged rows go: a file that is made for it. */
  readonly quarantine: string
}

/** Looks, mends what can be mended, and gives what was found with what was done. */
export const repair = Effect.fnUntraced(function* (file: string, { isAlive, quarantine: to }: RepairOptions) {
  const findings = yield* examine(file, isAlive)
  const troubles = new Set(findings.map(({ trouble }) => trouble))
  const done = yield* withDatabase("repair", file, (db) => {
    const fixed = new Map<Trouble, string>()
    if (troubles.has("permissions")) {
      for (const path of open(file)) chmodSync(path, path === dirname(file) ? 0o700 : 0o600)
      fixed.set("permissions", "Only you may read them now.")
    }
    if (troubles.has("rows"))
      fixed.set("rows", `${plural(moveOut(db, to), "record was", "records were")} moved to ${to}.`)
    if (troubles.has("locks"))
      fixed.set("locks", `${plural(release(db, isAlive), "session was", "sessions were")} released.`)
    if (troubles.has("log")) {
      db.exec("PRAGMA journal_size_limit = 0; PRAGMA wal_checkpoint(TRUNCATE)")
      pragma(db, "schema_version")
      fixed.set("log", `It holds ${Math.round(logBytes(file) / 1_048_576)} MiB now.`)
    }
    return fixed
  })
  return findings.map((finding) => {
    const fixed = done.get(finding.trouble)
    return fixed === undefined ? finding : { ...finding, fixed }
  })
})
