/**
 * The database as a file, for backup and repair: without the services over it. Owns: opening it for one piece of work,
 * and its failures as the store's. Invariants: whatever happens, the connection is closed; nothing is migrated here.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import { checkIsOurs, checkVersion, pragma } from "./database.ts"
import { migrations } from "./schema.ts"
import { fromSqlite, unavailable, Unusable } from "./sqliteError.ts"

/** How long another process's lock is waited for: this process has nothing else to do. */
const WAIT_MS = 5_000

export interface OfflineOptions {
  readonly readOnly?: boolean
  readonly wait_ms?: number
}

export const openOffline = (
  file: string,
  { readOnly = false, wait_ms = WAIT_MS }: OfflineOptions = {}
): DatabaseSync => {
  const db = new DatabaseSync(file, { timeout: wait_ms, readOnly })
  try {
    checkVersion(String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]))
    checkIsOurs(db)
    if (Number(pragma(db, "user_version")) > migrations.length)
      throw new Unusable("it was written by a newer claw: use that one")
    db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL")
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** What of node:sqlite or the file system fails in `work`, as a `StoreError` that names the file. */
export const attempt = <A>(operation: string, file: string, work: () => A | Promise<A>): Effect.Effect<A, StoreError> =>
  Effect.tryPromise({
    try: async () => work(),
    catch: (cause) => unavailable(operation, file)(fromSqlite(operation, cause))
  })

export const withDatabase = <A>(
  operation: string,
  file: string,
  work: (db: DatabaseSync) => A | Promise<A>,
  options?: OfflineOptions
): Effect.Effect<A, StoreError> =>
  attempt(operation, file, async () => {
    const db = openOffline(file, options)
    try {
      return await work(db)
    } finally {
      if (db.isOpen) db.close()
    }
  })

/**
 * True where nobody else has the file open: only then can the log be given up. It is a writer's lock of a moment, and
 * leaves the file without a log; whoever opens it next makes one.
 */
export const isAlone = (db: DatabaseSync): boolean => {
  try {
    return pragma(db, "journal_mode = DELETE") === "delete"
  } catch {
    return false
  }
}
