/** A state directory that others may write is no place for sessions, grants and trust (SECURITY T5, R050). */
import { chmodSync, chownSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { exposure } from "../../src/config/StateDirectory.ts"
import { remember, standing } from "../../src/config/WorkspaceTrust.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { directoryWith } from "../support/directories.ts"

const MODES: ReadonlyArray<readonly [mode: number, isExposed: boolean]> = [
  [0o700, false],
  [0o750, false],
  [0o755, false],
  [0o770, true],
  [0o702, true],
  [0o777, true],
  [0o1777, true]
]

it.effect("says which modes let others write, and what to do", () =>
  Effect.gen(function* () {
    const directory = yield* directoryWith()
    for (const [mode, isExposed] of MODES) {
      chmodSync(directory, mode)
      assert.strictEqual(exposure(directory) !== undefined, isExposed, mode.toString(8))
    }
    assert.strictEqual(
      exposure(directory),
      `${directory} can be written by others (mode 1777). Run chmod go-w on it, or set CLAW_STATE_DIR.`
    )
    assert.isUndefined(exposure(join(directory, "not there yet")))
  })
)

it.effect.skipIf(process.getuid?.() !== 0)("one that belongs to somebody else is none of ours, whatever its mode", () =>
  Effect.gen(function* () {
    const directory = yield* directoryWith()
    chownSync(directory, 4242, 4242)
    assert.strictEqual(
      exposure(directory),
      `${directory} belongs to another user. Set CLAW_STATE_DIR to a directory of your own.`
    )
    chownSync(directory, 0, 0)
    assert.isUndefined(exposure(directory))
  })
)

it.effect("the store does not open in one, and opens when it is mended", () =>
  Effect.gen(function* () {
    const directory = yield* directoryWith()
    chmodSync(directory, 0o777)
    const listed = Effect.flatMap(SessionIndex, (index) => index.list()).pipe(
      Effect.provide(layerSqlite(join(directory, "claw.db")))
    )
    assert.match((yield* Effect.flip(listed)).detail, /can be written by others \(mode 0777\)/)
    chmodSync(directory, 0o700)
    assert.deepStrictEqual(yield* listed, [])
  })
)

it.effect("trust that is kept in one does not count", () =>
  Effect.gen(function* () {
    const place = yield* directoryWith()
    const [state_dir, workspace] = [join(place, "state"), yield* directoryWith({ ".claw/config.json": "{}" })]
    mkdirSync(state_dir, { mode: 0o700 })
    remember(state_dir, standing({ state_dir, workspace }), "trusted", 0)
    assert.strictEqual(standing({ state_dir, workspace }).status, "trusted")
    chmodSync(state_dir, 0o777)
    assert.strictEqual(standing({ state_dir, workspace }).status, "unknown")
  })
)
