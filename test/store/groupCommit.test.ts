/** Appends that come together share a commit, and one that comes alone waits for nobody (SETTLED 17). */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql"
import { join } from "node:path"
import { encodeAll } from "../../src/store/appendRule.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import type { Access } from "../../src/store/sqlite/access.ts"
import { open } from "../../src/store/sqlite/database.ts"
import * as GroupCommit from "../../src/store/sqlite/groupCommit.ts"
import * as SqlClient from "../../src/store/sqlite/sqlClient.ts"
import { unavailable } from "../../src/store/sqlite/sqliteError.ts"
import { run, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/** A committer that counts its transactions; `fail` says how one with so many inserted rows fails. */
const counting = Effect.fnUntraced(function* (fail: (rows: number) => number | undefined = () => undefined) {
  const { sql, atOnce } = yield* SqlClient.make(open(join(yield* tempDirectory, "store.db")))
  for (let i = 0; i < 100; i++) yield* sql`INSERT INTO journal_heads VALUES (${i}, ${`s${i}`}, 1, 'me', '')`
  const count = { transactions: 0 }
  const toStore = <A>(self: Effect.Effect<A, SqlError.SqlError | StoreError>) =>
    Effect.catchTag(self, "SqlError", (error) => Effect.fail(unavailable("append", "f")(error)))
  const access: Access = {
    sql,
    run: (_, statements) => toStore(statements),
    transact: (_, statements) => toStore(sql.withTransaction(statements)),
    atOnce: (_, work) => {
      count.transactions += 1
      return toStore(
        atOnce((all) => {
          const rows = () => Number(Object.values(all("SELECT count(*) FROM journal_records")[0] ?? {})[0])
          const before = rows()
          const result = work(all)
          const code = fail(rows() - before)
          if (code !== undefined) throw Object.assign(new Error("sqlite"), { errcode: code })
          return result
        }, false)
      )
    }
  }
  const submit = yield* GroupCommit.make(access)
  const append = (i: number, rows = 1) => {
    const session = sessionId(`s${i}`)
    const encoded = encodeAll(session, run(0, rows))
    if (encoded instanceof StoreError) return Effect.die(encoded)
    return Effect.match(submit({ session, epoch: 1, records: run(0, rows), encoded, as: undefined }), {
      onFailure: (error) => error.detail,
      onSuccess: () => "stored"
    })
  }
  return { append, count }
})

const all = <A>(effects: ReadonlyArray<Effect.Effect<A, never, Scope.Scope>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

it.effect("commits a lone append in one transaction, and 100 of one turn in one more", () =>
  Effect.gen(function* () {
    const { append, count } = yield* counting()
    assert.strictEqual(yield* append(0), "stored")
    assert.strictEqual(count.transactions, 1)
    const outcomes = yield* all(Array.from({ length: 99 }, (_, i) => append(i + 1)))
    assert.deepStrictEqual(new Set(outcomes), new Set(["stored"]))
    assert.strictEqual(count.transactions, 2)
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("commits one behind the other within a turn of the event loop, which may be long", () =>
  Effect.gen(function* () {
    const { append } = yield* counting()
    // What opening the store left to do.
    yield* append(0)
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    let turned = false
    const watch = setImmediate(() => (turned = true))
    assert.strictEqual(yield* append(1), "stored")
    assert.strictEqual(yield* append(2), "stored")
    assert.isFalse(turned)
    clearImmediate(watch)
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("bounds a transaction's rows", () =>
  Effect.gen(function* () {
    const { append, count } = yield* counting()
    yield* all(Array.from({ length: 10 }, (_, i) => append(i, 60)))
    assert.strictEqual(count.transactions, 4)
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("tries each alone where the storage refused them together: the large one fails alone", () =>
  Effect.gen(function* () {
    const { append, count } = yield* counting((rows) => (rows > 50 ? SQLITE_FULL : undefined))
    const outcomes = yield* all([append(1), append(2, 60), append(3)])
    assert.deepStrictEqual(
      outcomes.map((outcome) => outcome.slice(0, 30)),
      ["stored", "The disk that holds f is full.", "stored"]
    )
    assert.strictEqual(count.transactions, 4)
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("fails all that waited for one lock at once", () =>
  Effect.gen(function* () {
    const { append, count } = yield* counting(() => SQLITE_BUSY)
    const outcomes = yield* all(Array.from({ length: 10 }, (_, i) => append(i, 60)))
    assert.strictEqual(new Set(outcomes).size, 1)
    assert.include(outcomes[0], "holds the lock")
    assert.strictEqual(count.transactions, 1)
  }).pipe(Effect.provide(Reactivity.layer))
)
