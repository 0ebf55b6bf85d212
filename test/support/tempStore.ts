/** A directory that goes with its scope, and stores in it. */
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"

export const tempDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claw-store-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** A new, empty store for each build. */
export const layerTempSqlite = Layer.unwrap(
  Effect.map(tempDirectory, (directory) => layerSqlite(join(directory, "state", "store.db")))
)
