/** A store whose file is taken away while it is in use says so: what it took would be found by nobody (RELIABILITY). */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { tempDirectory } from "../support/tempStore.ts"

it.live("takes nothing any more once its file has gone", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* Effect.gen(function* () {
      const index = yield* SessionIndex
      assert.strictEqual(yield* index.nextNumber("n"), 1)
      renameSync(file, `${file}.away`)
      const refused = Effect.flip(index.nextNumber("n"))
      const { code } = yield* Effect.retry(refused, Schedule.spaced(20))
      assert.strictEqual(code, "storage_unavailable")
      renameSync(`${file}.away`, file)
      const taken = yield* Effect.retry(index.nextNumber("n"), Schedule.spaced(20))
      assert.isAbove(taken, 1)
    }).pipe(Effect.provide(layerSqlite(file)))
  }).pipe(Effect.scoped)
)
