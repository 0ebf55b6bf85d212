/** The SQL client over Node's SQLite: what was seen while the disk failed is not trusted (RELIABILITY 3.5). */
import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { Journal } from "../../src/store/Journal.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { checkVersion, open } from "../../src/store/sqlite/database.ts"
import { commitTime } from "../../src/observability/Metrics.ts"
import { make, type Statements } from "../../src/store/sqlite/sqlClient.ts"
import { sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

const SQLITE_IOERR_FSYNC = 1034

/** Opens the file; COMMIT fails as often as `failures` says, as a disk that cannot sync makes it fail. */
const failing = (file: string, failures: { left: number }, opened: DatabaseSync[]) => () => {
  const db = new DatabaseSync(file)
  opened.push(db)
  const prepare = db.prepare.bind(db)
  db.prepare = (sql) => {
    const statement = prepare(sql)
    const run = statement.run.bind(statement)
    statement.run = (...params: ReadonlyArray<never>) => {
      if (sql === "COMMIT" && failures.left-- > 0) {
        throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: SQLITE_IOERR_FSYNC })
      }
      return run(...params)
    }
    return statement
  }
  return db
}

it.effect("opens the file again after an I/O error, and leaves no transaction open", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "t.db")
    const opened: DatabaseSync[] = []
    const failures = { left: 0 }
    const { sql } = yield* make(failing(file, failures, opened))
    yield* sql`CREATE TABLE t (n INTEGER)`
    failures.left = 1
    const error = yield* Effect.flip(sql.withTransaction(sql`INSERT INTO t VALUES (1)`))
    assert.strictEqual(error.reason._tag, "UnknownError")
    yield* sql.withTransaction(sql`INSERT INTO t VALUES (2)`)
    assert.deepStrictEqual(
      (yield* sql<{ n: number }>`SELECT n FROM t`).map((row) => row.n),
      [2]
    )
    assert.deepStrictEqual(
      opened.map((db) => db.isOpen),
      [false, true]
    )
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("rolls a transaction back when its fiber fails or is interrupted", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "t.db")
    const { sql } = yield* make(() => new DatabaseSync(file))
    yield* sql`CREATE TABLE t (n INTEGER)`
    yield* Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (1)`, Effect.fail("no"))))
    yield* Effect.exit(sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (2)`, Effect.interrupt)))
    assert.deepStrictEqual(yield* sql`SELECT n FROM t`, [])
  }).pipe(Effect.provide(Reactivity.layer))
)

it("refuses a SQLite that may damage a store that processes share (SETTLED 17)", () => {
  for (const good of ["3.51.3", "3.51.10", "3.52.0", "3.53.4", "4.0.0"]) checkVersion(good)
  for (const bad of ["3.51.2", "3.50.4", "3.46.1", "2.99.99"]) {
    assert.throws(() => checkVersion(bad), /carries SQLite .* need 3\.51\.3 or newer\. Install Node 22\.22\.3 or newer/)
  }
})

it.effect("opens a store with its settings in force (SETTLED 17, RELIABILITY 3.5)", () =>
  Effect.gen(function* () {
    const db = open(join(yield* tempDirectory, "store.db"))()
    const setting = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
    const names = ["journal_mode", "synchronous", "foreign_keys", "mmap_size", "busy_timeout", "user_version"]
    assert.deepStrictEqual(names.map(setting), ["wal", 2, 1, 0, 0, 9])
    db.close()
  })
)

it.effect("a commit at once is all or nothing, and only a relaxed one goes without the disk's word (SETTLED 17)", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "t.db")
    const { sql, atOnce } = yield* make(open(file))
    const synchronous = Effect.map(sql<{ synchronous: number }>`PRAGMA synchronous`, ([row]) => row?.synchronous)
    yield* sql`CREATE TABLE t (n INTEGER)`
    const during = yield* atOnce((all) => {
      all("INSERT INTO t VALUES (?)", 1)
      return all("PRAGMA synchronous")
    }, true)
    assert.deepStrictEqual({ ...during[0] }, { synchronous: 1 })
    assert.strictEqual(yield* synchronous, 2)
    for (const relaxed of [false, true]) {
      const failed = atOnce((all) => {
        all("INSERT INTO t VALUES (?)", 2)
        return all("INSERT INTO nowhere VALUES (3)")
      }, relaxed)
      assert.strictEqual((yield* Effect.exit(failed))._tag, "Failure")
      assert.strictEqual(yield* synchronous, 2)
    }
    assert.deepStrictEqual(
      (yield* sql<{ n: number }>`SELECT n FROM t`).map((row) => row.n),
      [1]
    )
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("a commit at once that the disk refuses says why, and the file is opened again", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "t.db")
    const opened: DatabaseSync[] = []
    const failures = { left: 0 }
    const { sql, atOnce } = yield* make(failing(file, failures, opened))
    yield* sql`CREATE TABLE t (n INTEGER)`
    failures.left = 1
    const insert = (n: number) => atOnce((all) => all("INSERT INTO t VALUES (?)", n), false)
    const error = yield* Effect.flip(insert(1))
    assert.strictEqual(error.reason._tag, "UnknownError")
    yield* insert(2)
    assert.deepStrictEqual(
      (yield* sql<{ n: number }>`SELECT n FROM t`).map((row) => row.n),
      [2]
    )
    assert.strictEqual(opened.length, 2)
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("says how long each transaction kept everything else waiting, the failed ones too (R266)", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "t.db")
    const failures = { left: 0 }
    const took: number[] = []
    const { sql, atOnce } = yield* make(failing(file, failures, []), (seconds) => took.push(seconds))
    yield* sql`CREATE TABLE t (n INTEGER)`
    const busy = (all: Statements) => {
      for (const end = performance.now() + 20; performance.now() < end;);
      return all("INSERT INTO t VALUES (1)")
    }
    yield* atOnce(busy, false)
    failures.left = 1
    yield* Effect.flip(atOnce(busy, false))
    assert.strictEqual(took.length, 2)
    for (const seconds of took) assert.isTrue(seconds >= 0.02 && seconds < 20)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)

it.effect("the store counts it under its name (R266)", () =>
  Effect.gen(function* () {
    const seen = Metric.value(commitTime)
    const { count } = yield* seen
    const session = sessionId("s")
    yield* Effect.flatMap(Journal, (journal) => journal.claim(session, "me")).pipe(
      Effect.provide(layerSqlite(join(yield* tempDirectory, "store.db")))
    )
    assert.isAbove((yield* seen).count, count)
    assert.strictEqual(commitTime.id, "claw_journal_commit_seconds")
  })
)
