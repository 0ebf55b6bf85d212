/** A person starts `claw`, says something, and says something else: the second prompt knows the first (R084, R085, R316). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { text } from "../support/fakeModelScript.ts"

describe("the prompt", SIDE_BY_SIDE, () => {
  it.live("comes back after each task, and the next one is sent the whole conversation (R084, R085, R316, R317)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(text("The first answer.", 3), text("The second answer."))
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("remember the word heron")
      yield* tty.shows("The first answer.")
      yield* tty.prompt
      tty.enter("which word?")
      yield* tty.shows("The second answer.")
      yield* tty.prompt
      const [, second] = model.requests()
      assert.deepStrictEqual(
        second?.messages.filter(({ role }) => role !== "system").map(({ role, content }) => [role, content]),
        [
          ["user", "remember the word heron"],
          ["assistant", "The first answer."],
          ["user", "which word?"]
        ]
      )
      assert.deepStrictEqual(model.violations(), [])
      tty.press("ctrlD")
      assert.strictEqual(yield* tty.exited, 0)
    })
  )
})
