/**
 * A store's backup and its return (issue 5). Owns: the copy by SQLite's own backup, made of one moment while others
 * write; what is proved of it; and putting it in the place of a store that nobody uses.
 * Invariants: a backup is one file, 0600, never written over anything, and is there only once it was proved whole; a
 * restore changes nothing before its source was proved, keeps what was there beside it, and is refused while any other
 * process has the store open.
 */
import { constants, copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { backup as copyPages } from "node:sqlite"
import { Effect } from "effect"
import { AuditLog } from "../../approval/AuditLog.ts"
import { GrantStore } from "../../approval/GrantStore.ts"
import * as Points from "../../observability/Points.ts"
import { LoginStore } from "../LoginStore.ts"
import * as NewFile from "../NewFile.ts"
import { StoreError } from "../StoreError.ts"
import { createFile, createPrivately, pragma } from "./database.ts"
import { attempt, isAlone, openOffline, withDatabase } from "./offline.ts"
import { isNoStore } from "./sqliteError.ts"
import { layerSqlite } from "./SqliteStore.ts"

export interface Whole {
  readonly format: number
  readonly bytes: number
  readonly sessions: number
  readonly records: number
  readonly audit_entries: number
}

const refuse = (operation: string, detail: string) => new StoreError({ code: "storage_unavailable", operation, detail })

const LEFTOVERS = ["", "-wal", "-shm", "-journal"] as const

const discard = (file: string): void => {
  for (const tail of LEFTOVERS) rmSync(`${file}${tail}`, { force: true })
}

/** Pages that are copied before others have a turn. */
const PAGES = 500
const ALL_PAGES = 2 ** 31 - 1

/** One moment of `from` in the new file `to`, which nobody else may read. */
const copy = (from: string, to: string) =>
  attempt("backup", from, async () => {
    discard(to)
    createFile(to)
    const db = openOffline(from)
    try {
      // What others write from here on is not seen: else each of their commits would begin the copy anew.
      db.exec("BEGIN")
      db.prepare("SELECT count(*) FROM sqlite_schema").get()
      await copyPages(db, to, { rate: PAGES })
    } finally {
      db.close()
    }
  })

const integrity = (file: string) =>
  withDatabase("verify", file, (db) => {
    const faults = db
      .prepare("PRAGMA integrity_check(5)")
      .all()
      .map((row) => String(Object.values(row)[0]))
    const count = (table: string) => Number(Object.values(db.prepare(`SELECT count(*) FROM ${table}`).get() ?? {})[0])
    const found = { sessions: count("sessions"), records: count("journal_records") }
    // One file, without a log beside it.
    pragma(db, "journal_mode = DELETE")
    return { format: Number(pragma(db, "user_version")), faults: faults.filter((line) => line !== "ok"), ...found }
  })

/** The pages and the chain of the audit. `file` is a copy: it is brought to the newest format on the way. */
const prove = Effect.fnUntraced(function* (operation: string, file: string) {
  const { format } = yield* integrity(file)
  const chain = Effect.flatMap(AuditLog, (log) => log.verify())
  const { entries, faults: broken } = yield* Effect.provide(chain, layerSqlite(file)).pipe(
    Effect.mapError((error) => refuse(operation, error.message))
  )
  const [first] = broken
  if (first !== undefined) return yield* refuse(operation, `Its audit is not whole: ${first.detail}.`)
  const { faults, sessions, records } = yield* integrity(file)
  if (faults.length > 0) return yield* refuse(operation, `It is damaged: ${faults[0]}.`)
  return { format, bytes: statSync(file).size, sessions, records, audit_entries: entries } satisfies Whole
})

/** Copies the store at `file`, also while it is in use, to `target`, which must not be there. */
export const backup = Effect.fnUntraced(function* (file: string, target: string) {
  if (!existsSync(file)) return yield* refuse("backup", `There is no store at ${file}.`)
  if (existsSync(target)) return yield* refuse("backup", `${target} exists already; it is not written over.`)
  // Proved in the store's own directory: a store in one that others may write is refused.
  const part = join(dirname(file), `backup-${process.pid}.part`)
  const parts = LEFTOVERS.toReversed().map((tail) => `.part${tail}`)
  yield* attempt("backup", file, () => NewFile.clearAway(dirname(file), "backup-", parts))
  return yield* Points.around(() => "backup copied", copy(file, part)).pipe(
    Effect.andThen(prove("backup", part)),
    Effect.tap(() =>
      Points.around(
        () => "backup delivered",
        attempt("backup", target, () =>
          NewFile.put(target, (path) => copyFileSync(part, path, constants.COPYFILE_EXCL))
        )
      )
    ),
    Effect.ensuring(Effect.sync(() => discard(part)))
  )
})

/** A file that is no database any more is nobody's: it goes out of the way. */
const claimAlone = (file: string) =>
  Effect.flatMap(
    Effect.orElseSucceed(withDatabase("restore", file, isAlone, { wait_ms: 0 }), () => true),
    (alone) =>
      alone
        ? Effect.void
        : Effect.fail(
            refuse("restore", `${file} is in use by another claw. End it (claw serve, other terminals) and try again.`)
          )
  )

/** What was there, beside it: a copy, or the file itself where it cannot be read. */
const keep = (file: string, kept: string) =>
  Effect.catch(copy(file, kept), () =>
    attempt("restore", file, () => {
      discard(kept)
      renameSync(file, kept)
      createPrivately(file)
    })
  )

/**
 * Through SQLite and its locks, and not by a rename: whoever opened the store in this moment waits, and then has the
 * restored one; a crash in the middle leaves what was there.
 */
const place = (part: string, file: string) =>
  attempt("restore", file, async () => {
    const db = openOffline(part)
    try {
      await copyPages(db, file, { rate: ALL_PAGES })
    } finally {
      db.close()
    }
  })

/** A grant that was taken back since, or that others do not know of, must not come back with an old file; nor a login. */
const endGrants = Effect.gen(function* () {
  const [grants, { forgetAll }] = [yield* GrantStore, yield* LoginStore]
  yield* forgetAll
  let ended = 0
  for (;;) {
    const { grants: some } = yield* grants.everyone.page()
    if (some.length === 0) return ended
    for (const { grant } of some) yield* grants.everyone.revoke(grant.grant_id, "restore")
    ended += some.length
  }
})

export interface Restored extends Whole {
  /** Where the store that was there before is now; absent: there was none. */
  readonly kept?: string
  readonly grants_ended: number
}

/** Puts the backup `from` in the place of the store at `file`. `stamp`: for the name of what was there. */
export const restore = Effect.fnUntraced(function* (from: string, file: string, stamp: string) {
  if (!existsSync(from)) return yield* refuse("restore", `There is no file ${from}.`)
  const part = join(dirname(file), "restore.part")
  const kept = `${file}.before-restore-${stamp}`
  const there = existsSync(file)
  yield* attempt("restore", file, () => createPrivately(file))
  yield* there ? claimAlone(file) : Effect.void
  const put = Effect.gen(function* () {
    yield* Effect.mapError(copy(from, part), (error) =>
      isNoStore(error)
        ? refuse("restore", `${from} is no backup of claw's, or it is damaged. Nothing was changed.`)
        : error
    )
    const whole = yield* prove("restore", part)
    if (there) yield* Points.around(() => "restore kept", keep(file, kept))
    yield* Points.around(() => "restore placed", place(part, file))
    const grants_ended = yield* Effect.provide(endGrants, layerSqlite(file)).pipe(
      Effect.mapError((error) => refuse("restore", error.message))
    )
    return { ...whole, ...(there ? { kept } : {}), grants_ended } satisfies Restored
  })
  return yield* Effect.ensuring(
    put,
    Effect.sync(() => {
      discard(part)
      if (!there && existsSync(file) && statSync(file).size === 0) discard(file)
    })
  )
})
