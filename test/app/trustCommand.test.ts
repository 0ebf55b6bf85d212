/** `claw trust` of a place: what is no directory is nobody's to trust, and is not passed over as empty (R272). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandKit } from "../support/commandKit.ts"

describe("claw trust", () => {
  it.live("refuses what is no directory; an empty one has nothing to trust", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* commandKit()
      const [missing, file] = [join(workspace, "mistyped"), join(workspace, "file")]
      writeFileSync(file, "")
      for (const flags of [[], ["--list"]]) {
        const none = yield* claw("trust", ...flags, missing)
        assert.deepStrictEqual(
          [none.code, none.err.includes(`${missing} cannot be used: it does not exist`)],
          [2, true]
        )
        const other = yield* claw("trust", ...flags, file)
        assert.deepStrictEqual([other.code, other.err.includes("it is not a directory")], [2, true])
      }
      assert.strictEqual((yield* claw("trust", workspace)).code, 0)
    }).pipe(Effect.scoped)
  )
})
