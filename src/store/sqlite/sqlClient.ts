/**
 * effect's `SqlClient` over Node's own SQLite. Owns: one connection, its statement cache, its reopening.
 * Does not own: settings and schema of the database (database.ts), waiting for locks (access.ts).
 * Invariants: statements of one transaction are never mixed with others (one permit); after an I/O error the connection
 * is dropped and opened again before its next use, since what it remembers may not be what the disk holds.
 * Hand-written because @effect/sql-sqlite-node does not load with effect 4.1.
 */
import { Effect, Exit, Semaphore, Stream } from "effect"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { fromSqlite, isIoError } from "./sqliteError.ts"

const CACHED_STATEMENTS = 64

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

const bind = (value: unknown): SQLInputValue => {
  if (typeof value === "boolean") return value ? 1 : 0
  return value === undefined ? null : (value as SQLInputValue)
}

const prepare = (db: DatabaseSync, sql: string): Prepared => {
  const statement = db.prepare(sql)
  return { statement, returnsRows: statement.columns().length > 0 }
}

const run = ({ statement, returnsRows }: Prepared, params: ReadonlyArray<unknown>): ReadonlyArray<object> => {
  if (returnsRows) return statement.all(...params.map(bind))
  statement.run(...params.map(bind))
  return []
}

/** One immediate transaction, over before anything else of this process runs. */
const atOnceOver = (all: Statements, isOpen: () => boolean, distrust: () => void) => {
  const transaction = <A>(work: (all: Statements) => A): A => {
    all("BEGIN IMMEDIATE")
    try {
      const result = work(all)
      all("COMMIT")
      return result
    } catch (cause) {
      // After an I/O error the connection goes anyway, and a failing ROLLBACK would hide what happened.
      if (isOpen() && !isIoError(cause)) all("ROLLBACK")
      throw cause
    }
  }
  return <A>(work: (all: Statements) => A, relaxed: boolean): A => {
    if (!relaxed) return transaction(work)
    all("PRAGMA synchronous = NORMAL")
    try {
      return transaction(work)
    } finally {
      // Refused while a transaction is open that could not be rolled back: this connection may not be used again.
      if (isOpen()) distrust()
      else all("PRAGMA synchronous = FULL")
    }
  }
}

/** A connection that can be replaced, with its most recently used statements. */
const makeHandle = (open: () => DatabaseSync) => {
  let db = open()
  let suspect = false
  const cache = new Map<string, Prepared>()
  const cached = (sql: string): Prepared => {
    const found = cache.get(sql) ?? prepare(db, sql)
    cache.delete(sql)
    cache.set(sql, found)
    const oldest = cache.keys().next()
    if (cache.size > CACHED_STATEMENTS && oldest.done !== true) cache.delete(oldest.value)
    return found
  }
  const close = () => {
    cache.clear()
    if (db.isOpen) db.close()
  }
  const attempt = <A>(operation: string, f: () => A): Effect.Effect<A, SqlError.SqlError> =>
    Effect.suspend(() => {
      try {
        return Exit.succeed(f())
      } catch (cause) {
        suspect ||= isIoError(cause)
        return Exit.fail(fromSqlite(operation, cause))
      }
    })
  const renew = () => {
    if (!suspect) return
    close()
    db = open()
    suspect = false
  }
  const all: Statements = (sql, ...params) => run(cached(sql), params)
  const atOnce = atOnceOver(
    all,
    () => db.isTransaction,
    () => {
      suspect = true
    }
  )
  return {
    cached,
    once: (sql: string) => prepare(db, sql),
    attempt,
    atOnce,
    renew,
    close,
    isTransaction: () => db.isOpen && db.isTransaction
  }
}

/** Runs one statement and gives its rows; throws what node:sqlite throws. */
export type Statements = (sql: string, ...params: ReadonlyArray<unknown>) => ReadonlyArray<object>

/**
 * `sql` for everything; `atOnce` for the appends, which spare the statements' way through effect (half of their time).
 * `relaxed`: the commit survives the death of this process, and that of the machine only with the next commit that is
 * not.
 */
export interface Client {
  readonly sql: SqlClient.SqlClient
  readonly atOnce: <A>(work: (all: Statements) => A, relaxed: boolean) => Effect.Effect<A, SqlError.SqlError>
}

type Handle = ReturnType<typeof makeHandle>

const makeConnection = (handle: Handle): SqlConnection.Connection => {
  const execute: SqlConnection.Connection["execute"] = (sql, params, transformRows) =>
    handle.attempt("execute statement", () => {
      const rows = run(handle.cached(sql), params)
      return transformRows === undefined ? rows : transformRows(rows)
    })
  const values = (prepared: () => Prepared, params: ReadonlyArray<unknown>) =>
    handle.attempt("execute statement", () => run(prepared(), params).map((row) => Object.values(row)))
  return {
    execute,
    executeRaw: (sql, params) => execute(sql, params, undefined),
    executeValues: (sql, params) => values(() => handle.cached(sql), params),
    executeValuesUnprepared: (sql, params) => values(() => handle.once(sql), params),
    executeUnprepared: (sql, params, transformRows) =>
      handle.attempt("execute statement", () => {
        const rows = run(handle.once(sql), params)
        return transformRows === undefined ? rows : transformRows(rows)
      }),
    executeStream: (sql, params, transformRows) => Stream.fromIterableEffect(execute(sql, params, transformRows))
  }
}

/**
 * `open` gives a connection with its settings applied; it may throw what node:sqlite throws. `took` is told the seconds
 * that each transaction of `atOnce` kept everything else waiting.
 */
export const make = Effect.fnUntraced(function* (open: () => DatabaseSync, took: (seconds: number) => void = () => {}) {
  const handle = yield* Effect.acquireRelease(
    Effect.try({ try: () => makeHandle(open), catch: (cause) => fromSqlite("open the database", cause) }),
    (opened) => Effect.ignore(opened.attempt("close the database", opened.close))
  )
  const connection = makeConnection(handle)
  const semaphore = yield* Semaphore.make(1)
  const ready = handle.attempt("open the database", handle.renew)
  const sql = yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.as(ready, connection),
      semaphore,
      isTransaction: handle.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node-sqlite",
    prepareTransactionControls: true,
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  const atOnce: Client["atOnce"] = (work, relaxed) =>
    semaphore.withPermits(1)(
      Effect.andThen(
        ready,
        handle.attempt("commit", () => {
          const begun = performance.now()
          try {
            return handle.atOnce(work, relaxed)
          } finally {
            took((performance.now() - begun) / 1000)
          }
        })
      )
    )
  return { sql, atOnce } satisfies Client
})
