/**
 * What a run left on the disk, read from outside: the journal's rows without claw, files, processes. Owns: reading it
 * without changing what claw will find.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export interface Row {
  readonly pos: number
  readonly seq: number | null
  readonly event_id: string
  readonly ts: string
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Store {
  readonly rows: ReadonlyArray<Row>
  /** Ids of grants, and of grants named by the audit. */
  readonly grants: ReadonlyArray<string>
  readonly audited: number
  readonly epoch: number
  readonly format: number
}

const EMPTY: Store = { rows: [], grants: [], audited: 0, epoch: 0, format: 0 }

const rowsOf = (db: DatabaseSync, session: string): Store => {
  const head = db.prepare("SELECT session, epoch FROM journal_heads WHERE session_id = ?").get(session)
  const format = Number(Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0])
  if (head === undefined) return { ...EMPTY, format }
  const rows = db
    .prepare("SELECT pos, seq, event_id, ts, type, payload FROM journal_records WHERE session = ? ORDER BY pos")
    .all(head.session ?? null)
    .map(({ payload, ...row }) => ({ ...row, body: JSON.parse(String(payload)) as Row["body"] }) as Row)
  const grants = db
    .prepare("SELECT grant_id FROM grants ORDER BY grant_id")
    .all()
    .map(({ grant_id }) => String(grant_id))
  const audited = Number(db.prepare("SELECT count(*) AS n FROM audit").get()?.n)
  return { rows, grants, audited, epoch: Number(head.epoch), format }
}

/** Of a copy: opening the store itself would mend it. */
export const readStore = (home: string, session: string): Store => {
  const file = join(home, "state/claw.db")
  if (!existsSync(file) || statSync(file).size === 0) return EMPTY
  const scratch = mkdtempSync(join(tmpdir(), "claw-look-"))
  try {
    for (const tail of ["", "-wal"]) {
      if (existsSync(`${file}${tail}`)) copyFileSync(`${file}${tail}`, join(scratch, `db${tail}`))
    }
    const db = new DatabaseSync(join(scratch, "db"))
    try {
      const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name = 'audit'").all()
      return tables.length === 0 ? EMPTY : rowsOf(db, session)
    } finally {
      db.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** One line for each execution. */
export const readEffects = (home: string): ReadonlyArray<string> => {
  const file = join(home, "work/effects.log")
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []
}

export interface File {
  readonly inode: number
  readonly text: string
}

const below = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? below(join(directory, entry.name)) : [join(directory, entry.name)]
  )

/** The workspace but for the effects. */
export const readFiles = (home: string): ReadonlyMap<string, File> => {
  const work = join(home, "work")
  return new Map(
    below(work)
      .filter((path) => !path.endsWith("effects.log"))
      .map((path) => [path.slice(work.length + 1), { inode: statSync(path).ino, text: readFileSync(path, "utf8") }])
  )
}

/** Processes that work in this home. */
export const survivors = (home: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return Number.isSafeInteger(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(home)
      } catch {
        return false
      }
    })
