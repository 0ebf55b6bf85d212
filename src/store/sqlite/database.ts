/**
 * A database file that may be trusted with sessions. Owns: who may read it, the settings of a connection, its schema's
 * version. Does not own: statements. Invariants: the file is 0600, a directory made for it 0700, one that others may
 * write refused; a commit is on the disk before it returns (WAL, synchronous=FULL); a store of a newer claw is refused,
 * not misread; one that lost all its bytes is not taken for a new one.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { exposure } from "../../config/StateDirectory.ts"
import { backfill } from "./auditBackfill.ts"
import * as Points from "../../observability/Points.ts"
import { APPLICATION_ID, AUDIT_STEP, migrations } from "./schema.ts"
import { Unusable } from "./sqliteError.ts"

/** Before it, a checkpoint that races with a writer of another process may damage a WAL database. */
const LEAST_SQLITE = [3, 51, 3] as const

export const checkVersion = (version: string): void => {
  const parts = version.split(".").map(Number)
  for (const [i, least] of LEAST_SQLITE.entries()) {
    const part = parts[i] ?? 0
    if (part > least) return
    if (part < least) {
      throw new Unusable(
        `this Node carries SQLite ${version}, and stores shared by processes need ${LEAST_SQLITE.join(".")} or newer. ` +
          "Install Node 22.22.3 or newer, or a current Node 24."
      )
    }
  }
}

/** A new file is 0600 from its first byte, and so is one that was not. */
export const createFile = (file: string): void => {
  try {
    // SQLite gives its log and index files the mode of the database. Opened only where the file is new: closing a
    // second descriptor would drop the locks that another connection of this process holds.
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    const mode = statSync(file).mode & 0o777
    if ((mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}

const createDirectory = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const exposed = exposure(directory)
  if (exposed !== undefined) throw new Unusable(exposed.replace(/\.$/, ""))
}

/** The same, in a directory of a store's own. */
export const createPrivately = (file: string): void => {
  createDirectory(dirname(file))
  createFile(file)
}

/**
 * SQLite's own busy handler would sleep on the event loop: lock waits are access.ts', so its time-out is 0.
 * The log file is cut back to 16 MiB after a checkpoint; a checkpoint comes every 1 MiB, since it happens inside a
 * commit: at SQLite's 4 MiB the slowest commit in a thousand took 52 ms, at 1 MiB 23 ms, with equal throughput.
 * A new file can give space back in small steps (compact.ts); the setting means nothing to one that has tables.
 */
const SETTINGS = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA mmap_size = 0;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA journal_size_limit = 16777216;
  PRAGMA wal_autocheckpoint = 250;
`

export const pragma = (db: DatabaseSync, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

export const checkIsOurs = (db: DatabaseSync): void => {
  const id = pragma(db, "application_id")
  const isEmpty = pragma(db, "schema_version") === 0
  if (id !== APPLICATION_ID && !isEmpty) throw new Unusable("it is a database of another program")
}

/**
 * Forward only, by `user_version`. No migration library: the number is part of the file, so that one immediate
 * transaction both checks and moves it (two processes that start at once migrate once), it is readable before any table
 * exists, and a number above ours tells that a newer claw was here.
 */
const migrate = (db: DatabaseSync): void => {
  if (pragma(db, "user_version") === migrations.length) return
  Points.reach("migration before")
  db.exec("BEGIN IMMEDIATE")
  try {
    const version = Number(pragma(db, "user_version"))
    if (version > migrations.length) {
      throw new Unusable(`it was written by a newer claw (format ${version}, this one knows ${migrations.length})`)
    }
    for (const [at, step] of migrations.entries()) {
      if (at < version) continue
      db.exec(step)
      Points.reach(`migration ${at} inside`)
      // What was decided before there was a chain stands in the journals: it begins with that.
      if (at === AUDIT_STEP && version > 0) backfill(db)
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`)
    Points.reach("migration after")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Stands beside a store until it has its tables: a file without a byte is one that is just being made, or whose making
 * was cut off. Without it, a file without a byte once was a store; SQLite would take it for a new one, and remove the
 * log beside it.
 */
const markerOf = (file: string): string => `${file}-new`

const create = (file: string): void => {
  const marker = markerOf(file)
  createDirectory(dirname(file))
  if (!existsSync(file)) closeSync(openSync(marker, "w", 0o600))
  createFile(file)
  const isEmpty = () => sizeOf(file) === 0
  // The marker goes after the first bytes came: whoever finds neither looks once more.
  if (isEmpty() && !existsSync(marker) && isEmpty()) {
    throw new Unusable(
      "it is empty (0 bytes), as no session store ever is. Put a backup in its place (claw restore FILE), or remove it to begin with a new one"
    )
  }
}

export const open = (file: string) => (): DatabaseSync => {
  create(file)
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    checkVersion(String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]))
    checkIsOurs(db)
    db.exec(SETTINGS)
    // SQLite answers with the old mode, and no error, where it cannot have the new one.
    if (pragma(db, "journal_mode") !== "wal") {
      throw new Unusable("its file system has no shared memory for SQLite's log; choose a directory on a local disk")
    }
    migrate(db)
    rmSync(markerOf(file), { force: true })
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}
