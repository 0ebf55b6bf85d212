/** A store of the first schema opens, and all that is in it belongs to whoever sits at the machine (R050, SETTLED 23). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AuditLog } from "../../src/approval/AuditLog.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { localOwner } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { APPLICATION_ID, migrations } from "../../src/store/sqlite/schema.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { filled, meta, readAll, run, sessionId } from "../support/storeRecords.ts"
import { ada, audited, called, eve, grant, granted, resolved, writer } from "../support/decisions.ts"
import { tempDirectory } from "../support/tempStore.ts"

/** The released first step, in short. It may never change: stores made by it are out there. */
const FIRST = "12918b0bd2b6b25d"

/** The steps that were released after it, likewise. */
const LATER = ["a8b12606387246ca", "31b9bce3793c2da2"]

const digest = async (text: string) =>
  Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("hex")

it.effect("has not edited a released step", () =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(migrations.slice(0, 3), (step) => Effect.promise(() => digest(step)))
    assert.deepStrictEqual(
      found.map((text) => text.slice(0, FIRST.length)),
      [FIRST, ...LATER]
    )
  })
)

/** What the first schema held: two sessions, a journal, a counter. */
const firstStore = (file: string, { session, epoch }: { readonly session: string; readonly epoch: number }) => {
  const old = new DatabaseSync(`${file}.old`)
  old.exec(migrations[0] ?? "")
  old.exec(`ATTACH '${file}' AS now`)
  for (const table of ["journal_heads", "journal_records"]) old.exec(`INSERT INTO ${table} SELECT * FROM now.${table}`)
  old.exec("DETACH now")
  old.exec(`INSERT INTO counters VALUES ('tcp', 41)`)
  const insert = old.prepare("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)")
  for (const name of [session, "bare"]) {
    const { workspace, title, created_at, updated_at } = meta(name)
    // Older versions wrote `bypass` too; nobody who comes back to such a session has it (R273).
    const [model, mode] = name === session ? ["m-1", null] : [null, "bypass"]
    insert.run(name, workspace, title, model, mode, created_at, updated_at)
  }
  old.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1`)
  old.close()
  return epoch
}

it.effect("opens a store of the first schema with its sessions, records, numbers and epochs", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const before = yield* filled("s", run(0, 3)).pipe(Effect.provide(layerSqlite(file)))
    const epoch = firstStore(file, before)
    yield* Effect.gen(function* () {
      const [index, journal] = [yield* SessionIndex, yield* Journal]
      assert.deepStrictEqual(yield* index.list(), [meta("s", { model: "m-1" }), meta("bare")])
      assert.deepStrictEqual((yield* index.get(sessionId("s"))).owner, localOwner)
      assert.deepStrictEqual(yield* readAll(sessionId("s")), { records: run(0, 3), damaged: [] })
      yield* journal.append(sessionId("s"), epoch, run(3, 1))
      assert.strictEqual(yield* index.nextNumber("tcp"), 42)
      assert.strictEqual((yield* Effect.flip(index.create(meta("bare")))).code, "session_exists")
      yield* index.remove(sessionId("s"), () => true)
      assert.deepStrictEqual(yield* index.list(), [meta("bare")])
    }).pipe(Effect.provide(layerSqlite(`${file}.old`)))
  })
)

/** A store as the third schema left it: journals, and no audit. */
const thirdStore = (file: string) => {
  const old = new DatabaseSync(`${file}.third`)
  for (const step of migrations.slice(0, 3)) old.exec(step)
  old.exec(`ATTACH '${file}' AS now`)
  for (const table of ["sessions", "journal_heads", "journal_records"])
    old.exec(`INSERT INTO ${table} SELECT * FROM now.${table}`)
  old.exec(`DETACH now; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 3`)
  old.close()
  return `${file}.third`
}

it.effect("an audit begins with what was decided before there was one, and no old grant comes back", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const before = Effect.gen(function* () {
      const [mine, hers] = [yield* writer(ada), yield* writer(eve)]
      const { digest: _d, tool_name: _t, ...bare } = resolved({ decision: "deny" })
      yield* mine(called("call_1", { command: "ls" }), bare)
      yield* hers(granted(grant("g1")))
    })
    yield* Effect.provide(before, layerSqlite(file))
    yield* Effect.gen(function* () {
      const audit = yield* AuditLog
      assert.deepStrictEqual(yield* audited(), ["1 decision ada deny", "2 decision eve allow_session"])
      const { entries } = yield* audit.page({ owner: ada })
      assert.deepStrictEqual([entries[0]?.tool_name, entries[0]?.seq], ["bash", 2])
      assert.deepStrictEqual((yield* audit.verify()).faults, [])
      assert.deepStrictEqual((yield* (yield* GrantStore).everyone.page()).grants, [])
      yield* (yield* writer(ada))(resolved())
      assert.strictEqual((yield* audited()).length, 3)
      assert.deepStrictEqual((yield* audit.verify()).faults, [])
    }).pipe(Effect.provide(layerSqlite(thirdStore(file))))
  })
)
