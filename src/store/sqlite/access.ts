/**
 * How the services reach the database. Owns: waiting for another process's lock without stopping the event loop, and
 * the translation of what still fails. Invariants: a busy database is tried again until `LockWait` has passed, then it
 * is `storage_unavailable`; a transaction that failed has stored nothing; once the file of that name is
 * another one, nothing is taken any more.
 */
import { statSync } from "node:fs"
import { Context, Duration, Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import * as Points from "../../observability/Points.ts"
import { StoreError } from "../StoreError.ts"
import * as Breath from "./breath.ts"
import type { Client, Statements } from "./sqlClient.ts"
import { isLocked, unavailable } from "./sqliteError.ts"

/** How long a lock of another process is waited for. */
export const LockWait = Context.Reference<Duration.Duration>("claw/store/LockWait", {
  defaultValue: () => Duration.seconds(5)
})

export interface Access {
  readonly sql: SqlClient.SqlClient
  /** Runs statements as they are; a lock is waited for, errors become the store's. */
  readonly run: <A>(
    operation: string,
    statements: Effect.Effect<A, SqlError.SqlError | StoreError>
  ) => Effect.Effect<A, StoreError>
  /** The same as one immediate transaction. */
  readonly transact: <A>(
    operation: string,
    statements: Effect.Effect<A, SqlError.SqlError | StoreError>
  ) => Effect.Effect<A, StoreError>
  /** The same for statements that are run without leaving this turn of the event loop. */
  readonly atOnce: <A>(
    operation: string,
    work: (all: Statements) => A,
    relaxed?: boolean
  ) => Effect.Effect<A, StoreError>
}

const pauses = (limit: Duration.Duration) =>
  Schedule.min([Schedule.exponential("1 millis"), Schedule.spaced("25 millis")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ duration: limit })
  )

/** Tries again while another process holds the lock; then says what failed, in a sentence that names `file`. */
export const settle =
  (file: string, limit: Duration.Duration) =>
  <A, R>(
    operation: string,
    statements: Effect.Effect<A, SqlError.SqlError | StoreError, R>
  ): Effect.Effect<A, StoreError, R> =>
    statements.pipe(
      Effect.retry({ while: (error) => error._tag === "SqlError" && isLocked(error), schedule: pauses(limit) }),
      Effect.catchTag("SqlError", (error) => Effect.fail(unavailable(operation, file)(error))),
      // A ROLLBACK that fails is a defect to effect/sql. It comes of a broken disk, and no bug of ours.
      Effect.catchDefect((defect) =>
        defect instanceof SqlError.SqlError ? Effect.fail(unavailable(operation, file)(defect)) : Effect.die(defect)
      )
    )

/** So long a file that is gone may go unnoticed. */
const LOOK_MS = 1000

const inodeOf = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? "" : `${found.dev}:${found.ino}`
}

/** Whether the file of that name is another one by now, or none: what is written to ours, nobody will find again. */
const makeIsGone = (file: string) => {
  const ours = inodeOf(file)
  let [at, gone] = [performance.now(), false]
  return (): boolean => {
    const now = performance.now()
    if (ours === "" || now - at < LOOK_MS) return gone
    at = now
    gone = inodeOf(file) !== ours
    return gone
  }
}

export const make = ({ sql, atOnce }: Client, file: string, limit: Duration.Duration): Access => {
  const isGone = makeIsGone(file)
  const settled = settle(file, limit)
  const breath = Breath.make()
  const run: Access["run"] = (operation, statements) =>
    Effect.suspend(() =>
      isGone()
        ? Effect.fail(
            new StoreError({
              code: "storage_unavailable",
              operation,
              detail: `The session store ${file} was removed or replaced while it was in use. Nothing was stored; start again.`
            })
          )
        : settled(operation, statements)
    )
  return {
    sql,
    run,
    transact: (operation, statements) => {
      const inside = Effect.tap(statements, () => Points.at(`${operation} inside`))
      return Points.around(() => operation, breath.around(run(operation, sql.withTransaction(inside))))
    },
    atOnce: (operation, work, relaxed = false) => breath.around(run(operation, atOnce(work, relaxed)))
  }
}
