/** A directory that a person has trusted as it stands. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { remember, standing } from "../../src/config/WorkspaceTrust.ts"

export const trusted = (state_dir: string, workspace: string) =>
  Effect.sync(() => {
    const kept = remember(state_dir, standing({ state_dir, workspace }), "trusted", 0)
    assert.isTrue(Result.isSuccess(kept), "the trust is kept")
  })
