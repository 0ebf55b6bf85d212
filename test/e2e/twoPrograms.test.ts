/** Two `claw` side by side do not see each other's processes, also where a server's call ids repeat (R131, LESSONS 4, 47). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls } from "../support/fakeModelScript.ts"
import { oddSleep, processesWith } from "../support/processes.ts"

/** Some servers begin to count at 0 in every answer. */
const CALL_ID = "call_0"

const sleeping = Effect.fnUntraced(function* ({ env, workspace, model }: FakeWorld, mark: string) {
  const command = `echo begun; sleep ${mark}`
  model.script(calls([{ id: CALL_ID, name: "bash", arguments: JSON.stringify({ command }) }]))
  const tty = yield* Terminal.start({ env, cwd: workspace })
  yield* tty.prompt
  tty.enter("go")
  yield* tty.answer("y")
  yield* tty.shows("│ begun")
  return tty
})

describe("two programs", SIDE_BY_SIDE, () => {
  it.live("an interrupt in one ends its own processes only", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [oddSleep(), oddSleep()]
      const first = yield* sleeping(yield* world(), mine)
      const second = yield* sleeping(yield* world(), theirs)
      first.press("ctrlC")
      yield* first.ended(1)
      assert.deepStrictEqual(processesWith(mine), [])
      assert.isAbove(processesWith(theirs).length, 0)
      assert.include(second.screen(), "running tools")
      second.press("ctrlC")
      yield* second.ended(1)
      assert.deepStrictEqual(processesWith(theirs), [])
    })
  )
})
