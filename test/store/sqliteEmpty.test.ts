/** A store that lost all its bytes is not taken for a new one; one whose making was cut off is made (LESSONS 46). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { filled, mixed, readAll, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

const session = sessionId("s")
const filledAt = (file: string) => Effect.provide(filled("s", mixed(3)), layerSqlite(file))
const readAt = (file: string) => Effect.provide(readAll(session), layerSqlite(file))

it.effect("a store of no bytes is refused, and stays as it is", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* filledAt(file)
    truncateSync(file)
    for (const _ of [1, 2]) {
      const { code, detail } = yield* Effect.flip(readAt(file))
      assert.strictEqual(code, "storage_unavailable")
      assert.include(detail, `${file} cannot be used: it is empty (0 bytes)`)
    }
    assert.deepStrictEqual(readdirSync(dirname(file)), ["store.db"])
  })
)

it.effect("a store whose making was cut off before its first byte is made, and is then a store as any other", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    writeFileSync(`${file}-new`, "")
    writeFileSync(file, "")
    yield* filledAt(file)
    assert.isFalse(existsSync(`${file}-new`))
    truncateSync(file)
    assert.strictEqual((yield* Effect.flip(readAt(file))).code, "storage_unavailable")
  })
)

it.effect("the log beside a store of no bytes stays: SQLite would remove it", () =>
  Effect.gen(function* () {
    const [from, to] = [yield* tempDirectory, yield* tempDirectory]
    const [file, copy] = [join(from, "store.db"), join(to, "store.db")]
    yield* Effect.gen(function* () {
      yield* filled("s", mixed(3))
      copyFileSync(`${file}-wal`, `${copy}-wal`)
    }).pipe(Effect.provide(layerSqlite(file)))
    writeFileSync(copy, "", { mode: 0o600 })
    const log = readFileSync(`${copy}-wal`)
    assert.include((yield* Effect.flip(readAt(copy))).detail, "it is empty (0 bytes)")
    assert.isTrue(log.equals(readFileSync(`${copy}-wal`)))
  })
)
