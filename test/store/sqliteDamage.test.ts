/** Damage costs its own records, is reported, and hides nothing else (LESSONS 46; RELIABILITY 3.5, I3). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Journal } from "../../src/store/Journal.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { filled, mixed, readAll, run, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

const session = sessionId("s")

const storeWith = Effect.fnUntraced(function* (...records: Parameters<typeof filled>) {
  const file = join(yield* tempDirectory, "store.db")
  yield* filled(...records).pipe(Effect.provide(layerSqlite(file)))
  return file
})

const edit = (file: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    for (const statement of statements) db.exec(statement)
    db.close()
  })

const damages = {
  "a payload that is no JSON": 'UPDATE journal_records SET payload = \'{"type": "task_st\' WHERE pos = 3',
  "a payload of another type": `UPDATE journal_records SET payload = '{"type":"cleared","up_to_seq":1}' WHERE pos = 3`,
  "one changed letter": "UPDATE journal_records SET payload = replace(payload, 'prompt 3', 'prompt 9') WHERE pos = 3",
  "another event's id": "UPDATE journal_records SET event_id = 'evt_9' WHERE pos = 3",
  "an unknown type": "UPDATE journal_records SET type = 'not_yet_known' WHERE pos = 3",
  "a row that is gone": "DELETE FROM journal_records WHERE pos = 3"
}

for (const [what, statement] of Object.entries(damages)) {
  it.effect(`reports ${what} and gives the rest`, () =>
    Effect.gen(function* () {
      const file = yield* storeWith("s", run(0, 5))
      yield* edit(file, statement)
      const rest = run(0, 5).filter((record) => record.pos !== 3)
      yield* Effect.gen(function* () {
        const journal = yield* Journal
        assert.deepStrictEqual(yield* readAll(session), { records: rest, damaged: [3] })
        assert.deepStrictEqual(yield* readAll(session, 1), { records: rest, damaged: [3] })
        const open = yield* journal.readPublic(session, 0)
        assert.deepStrictEqual(open.records, rest)
        const tail = yield* journal.claim(session, "next")
        yield* journal.append(session, tail.epoch, run(tail.pos, 1))
      }).pipe(Effect.provide(layerSqlite(file)))
    })
  )
}

it.effect("reads past whole pages of damaged records", () =>
  Effect.gen(function* () {
    const file = yield* storeWith("s", mixed(20))
    yield* edit(file, "UPDATE journal_records SET payload = '' WHERE pos BETWEEN 3 AND 12 OR pos = 20")
    const kept = mixed(20).filter(({ pos }) => pos < 3 || (pos > 12 && pos < 20))
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      for (const limit of [1, 2, 3, 1000]) {
        const all = yield* readAll(session, limit)
        assert.deepStrictEqual(all, { records: kept, damaged: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20] })
      }
      const { records, damaged } = yield* journal.readPublic(session, 0)
      assert.deepStrictEqual(
        { records, damaged },
        { records: kept.filter(({ pos }) => pos % 2 === 1), damaged: [3, 5, 7, 9, 11] }
      )
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

/** Overwrites the header of a page in the middle of the records' table. */
const ruinPage = (file: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    const pages = db
      .prepare("SELECT pgoffset FROM dbstat WHERE name = 'journal_records' AND pagetype = 'leaf' ORDER BY pgoffset")
      .all()
    db.close()
    const bytes = readFileSync(file)
    const at = Number(pages[Math.floor(pages.length / 2)]?.["pgoffset"])
    bytes.fill(0xff, at, at + 16)
    writeFileSync(file, bytes)
  })

it.effect("loses the records of a ruined database page and no others", () =>
  Effect.gen(function* () {
    const file = yield* storeWith("s", run(0, 300))
    yield* ruinPage(file)
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { records, damaged } = yield* readAll(session, 70)
      assert.isAbove(damaged.length, 3)
      assert.isBelow(damaged.length, 40)
      assert.deepStrictEqual(
        records,
        run(0, 300).filter((record) => !damaged.includes(record.pos))
      )
      assert.deepStrictEqual(yield* journal.readPublic(session, 0), { records, damaged, more: false })
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.effect("never serves a changed record as good, wherever bytes of the file are flipped", () =>
  Effect.gen(function* () {
    const records = run(0, 300)
    const file = yield* storeWith("s", records)
    const whole = readFileSync(file)
    const written = new Map(records.map((record) => [record.pos, JSON.stringify(record)]))
    const counts = { served: 0, damaged: 0, refused: 0 }
    for (let i = 0; i < 200; i++) {
      const bytes = Buffer.from(whole)
      const at = Math.floor(((i + 0.5) / 200) * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
      const copy = `${file}-copy-${i}`
      writeFileSync(copy, bytes)
      const outcome = yield* readAll(session, 50).pipe(Effect.provide(layerSqlite(copy)), Effect.result)
      if (outcome._tag === "Failure") {
        assert.strictEqual(outcome.failure.code, "storage_unavailable")
        counts.refused += 1
        continue
      }
      for (const record of outcome.success.records) assert.strictEqual(JSON.stringify(record), written.get(record.pos))
      counts.served += outcome.success.records.length
      counts.damaged += outcome.success.damaged.length
    }
    assert.isAbove(counts.served, 0.8 * 200 * 300)
    assert.isAbove(counts.damaged, 0)
    assert.isBelow(counts.refused, 40)
  })
)

const refusedOpening = (file: string) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(readAll(session).pipe(Effect.provide(layerSqlite(file))))
    assert.strictEqual(error.code, "storage_unavailable")
    assert.include(error.detail, file)
    return error.detail
  })

it.effect("says what to do where the file is no database, another program's, a newer claw's, or a directory", () =>
  Effect.gen(function* () {
    const directory = yield* tempDirectory
    const garbage = join(directory, "garbage.db")
    writeFileSync(garbage, "not a database at all\n".repeat(500))
    assert.include(yield* refusedOpening(garbage), "is damaged or is not a session store. Move it away")

    const foreign = join(directory, "foreign.db")
    yield* edit(foreign, "CREATE TABLE theirs (x)")
    assert.include(yield* refusedOpening(foreign), "a database of another program")

    const newer = yield* storeWith("s", run(0, 1))
    yield* edit(newer, "PRAGMA user_version = 99")
    assert.include(yield* refusedOpening(newer), "was written by a newer claw (format 99")

    assert.include(yield* refusedOpening(directory), "cannot be used")
  })
)
