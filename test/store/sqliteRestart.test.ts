/** What was acknowledged is there after the process is gone, and nothing is torn (LESSONS 46; RELIABILITY I3, I4). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { storeChild } from "../support/childProcess.ts"
import { filled, meta, mixed, publicRecord, readAll, run, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

it.effect("finds sessions, records, numbers and epochs again after it was closed (R042, R048)", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const { session, epoch } = yield* Effect.gen(function* () {
      const index = yield* SessionIndex
      yield* index.create(meta("s"))
      yield* index.nextNumber("tcp")
      return yield* filled("s", mixed(5))
    }).pipe(Effect.provide(layerSqlite(file)))
    yield* Effect.gen(function* () {
      const index = yield* SessionIndex
      const journal = yield* Journal
      assert.deepStrictEqual(yield* index.get(session), meta("s"))
      assert.strictEqual(yield* index.nextNumber("tcp"), 2)
      assert.deepStrictEqual(yield* readAll(session), { records: mixed(5), damaged: [] })
      yield* journal.append(session, epoch, [publicRecord(6, 4)])
      assert.deepStrictEqual(yield* journal.claim(session, "next"), { epoch: epoch + 1, pos: 6, seq: 4 })
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.effect("commits what was submitted before it closes", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const outer = yield* Effect.scope
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", [])
      yield* Effect.forkIn(journal.append(session, epoch, run(0, 20)), outer, { startImmediately: true })
    }).pipe(Effect.provide(layerSqlite(file)))
    const found = yield* readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file)))
    assert.deepStrictEqual(found.records, run(0, 20))
  })
)

it.effect("ends the removal of a session that a crash cut short", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* filled("s", run(0, 3)).pipe(Effect.provide(layerSqlite(file)))
    const db = new DatabaseSync(file)
    db.exec("UPDATE journal_heads SET owner = ''")
    const found = yield* readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file)))
    assert.deepStrictEqual(found, { records: [], damaged: [] })
    assert.deepStrictEqual(db.prepare("SELECT pos FROM journal_records").all(), [])
    db.close()
  })
)

it.effect("is readable by its user alone", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "a", "b", "store.db")
    yield* Effect.gen(function* () {
      yield* filled("s", run(0, 1))
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      const modes = [file, `${file}-wal`, `${file}-shm`, dirname(file), dirname(dirname(file))].map(mode)
      assert.deepStrictEqual(modes, ["600", "600", "600", "700", "700"])
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.live("keeps what was acknowledged when the process is killed between appends", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const child = yield* storeChild("append", file)
    const lines: string[] = []
    while (lines.length < 200) lines.push(yield* child.line)
    yield* child.kill
    lines.push(...(yield* child.rest))
    const acknowledged: Record<string, number> = {}
    for (const [name = "", pos] of lines.map((line) => line.split(" "))) acknowledged[name] = Number(pos)
    yield* Effect.forEach(["a", "b", "c"], (name) =>
      Effect.gen(function* () {
        const { records, damaged } = yield* readAll(sessionId(name))
        assert.deepStrictEqual({ records, damaged }, { records: run(0, records.length), damaged: [] })
        assert.isAtLeast(records.length, acknowledged[name] ?? 1)
        assert.strictEqual(records.length % 3, 0)
        const journal = yield* Journal
        const tail = yield* journal.claim(sessionId(name), "after the crash")
        yield* journal.append(sessionId(name), tail.epoch, run(tail.pos, 1))
      })
    ).pipe(Effect.provide(layerSqlite(file)))
  })
)
