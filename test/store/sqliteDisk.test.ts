/** A disk that is full or read-only is an error before anything is lost, and no longer than it lasts (LESSONS 47). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { canMount, smallDisk } from "../support/smallDisk.ts"
import { filled, meta, publicRecord, readAll, sessionId } from "../support/storeRecords.ts"

const batch = (after: number) => [1, 2, 3].map((i) => publicRecord(after + i, after + i, "x".repeat(20_000)))

it.live.runIf(canMount)("refuses appends while the disk is full, tears none, and goes on when there is room", () =>
  Effect.gen(function* () {
    const disk = yield* smallDisk
    const file = join(disk.directory, "state", "store.db")
    const stored = yield* Effect.gen(function* () {
      const journal = yield* Journal
      const index = yield* SessionIndex
      const { session, epoch } = yield* filled("s", batch(0))
      yield* disk.fill(100_000)
      let pos = 3
      const append = Effect.suspend(() => journal.append(session, epoch, batch(pos)))
      const full = yield* Effect.flip(Effect.forever(Effect.tap(append, () => Effect.sync(() => void (pos += 3)))))
      assert.strictEqual(full.code, "storage_unavailable")
      assert.include(full.detail, "is full. Nothing was half-written. Free some space and try again.")
      assert.strictEqual(
        (yield* Effect.flip(index.create(meta("s", { title: "t".repeat(50_000) })))).code,
        "storage_unavailable"
      )
      assert.deepStrictEqual(
        (yield* readAll(session)).records.map((record) => record.pos),
        Array.from({ length: pos }, (_, i) => i + 1)
      )
      yield* disk.free
      yield* append
      yield* index.create(meta("s"))
      return pos + 3
    }).pipe(Effect.provide(layerSqlite(file)))
    const again = yield* readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file)))
    assert.deepStrictEqual(again.records, Array.from({ length: stored / 3 }, (_, i) => batch(i * 3)).flat())
  })
)

it.live.runIf(canMount)("cannot begin on a full disk, and says so", () =>
  Effect.gen(function* () {
    const disk = yield* smallDisk
    const file = join(disk.directory, "store.db")
    yield* disk.fill(0)
    const full = yield* Effect.flip(readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file))))
    assert.strictEqual(full.code, "storage_unavailable")
    assert.include(full.detail, "is full")
    yield* disk.free
    yield* filled("s", batch(0)).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.live.runIf(canMount)("cannot begin on a read-only file system, and says so", () =>
  Effect.gen(function* () {
    const disk = yield* smallDisk
    const file = join(disk.directory, "store.db")
    yield* filled("s", batch(0)).pipe(Effect.provide(layerSqlite(file)))
    yield* disk.remount("ro")
    const refused = yield* Effect.flip(readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file))))
    assert.strictEqual(refused.code, "storage_unavailable")
    assert.include(refused.detail, "read-only")
    yield* disk.remount("rw")
    const found = yield* readAll(sessionId("s")).pipe(Effect.provide(layerSqlite(file)))
    assert.deepStrictEqual(found.records, batch(0))
  })
)
