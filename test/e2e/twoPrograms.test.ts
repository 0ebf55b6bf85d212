/** Two `claw` side by side do not see each other's processes, also where a server's call ids repeat (R131, LESSONS 4, 47). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"
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

  it.live("the second is told who has a session; the first one's task goes on (SETTLED 16, LESSONS 47)", () =>
    Effect.gen(function* () {
      const [here, mark] = [yield* world(), oddSleep()]
      const first = yield* sleeping(here, mark)
      const at = { env: here.env, cwd: here.workspace }
      const listed = yield* claw(["sessions", "--json"], at)
      const { session_id: id } = JSON.parse(listed.stdout) as { readonly session_id: string }
      const second = yield* claw(["run", "--session", id, "me too"], at)
      assert.strictEqual(second.code, 1)
      assert.match(second.stderr, /open in another claw \(process \d+\).*session_moved/)
      assert.isAbove(processesWith(mark).length, 0)
      first.press("ctrlC")
      yield* first.ended(1)
      first.enter("/exit")
      yield* first.exited
      here.model.script(text("mine now"))
      const third = yield* claw(["run", "--session", id, "and now?"], at)
      assert.deepStrictEqual([third.code, third.stdout], [0, "mine now\n"])
      assert.deepStrictEqual(here.model.violations(), [])
    })
  )
})
