/**
 * Killed with SIGKILL between a call and its result; started again from another directory (R049–R051; LESSONS 11, 46, 48).
 * The person is asked what becomes of the call; it is not run again without their word, and its left-over process is
 * ended by the second start.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { oddSleep, processesWith } from "../support/processes.ts"
import { folder } from "../support/realSession.ts"

const killed = Effect.fnUntraced(function* (scene: FakeWorld, mark: string) {
  const command = `echo ran >> runs.txt; echo begun; sleep ${mark}`
  scene.model.script(calls([{ id: "call_k1", name: "bash", arguments: JSON.stringify({ command }) }], "I will check."))
  const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
  yield* tty.prompt
  tty.enter("check the build")
  yield* tty.answer("y")
  yield* tty.shows("│ begun")
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const pid of processesWith(mark)) process.kill(pid, "SIGKILL")
    })
  )
  process.kill(tty.pid, "SIGKILL")
  yield* tty.exited
  const { stdout } = yield* claw(["sessions", "list", "--json"], { env: scene.env, cwd: scene.workspace })
  return (JSON.parse(stdout.trim()) as { readonly session_id: string }).session_id
})

describe("killed while bash runs", SIDE_BY_SIDE, () => {
  it.live("the session goes on where it was, and nothing runs twice", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { model, env, workspace } = scene
      const mark = oddSleep()
      const id = yield* killed(scene, mark)
      const elsewhere = yield* folder("claw-elsewhere-")
      const tty = yield* Terminal.start({ env, cwd: elsewhere, args: ["--resume", id] })
      yield* tty.shows(workspace)
      yield* tty.shows("Interrupted call: it may or may not have happened")
      model.script(
        text("ok"),
        calls([{ id: "call_k2", name: "bash", arguments: '{"command":"pwd"}' }]),
        text("That is where.")
      )
      yield* tty.answer("k")
      yield* tty.apart
      tty.press("enter")
      yield* tty.until(/^ok$/m)
      const messages = (model.requests()[1]?.messages ?? []).filter(({ role }) => role !== "system")
      assert.deepStrictEqual(
        messages.map(({ role, tool_call_id }) => [role, tool_call_id]),
        [
          ["user", undefined],
          ["assistant", undefined],
          ["tool", "call_k1"]
        ]
      )
      assert.match(String(messages[2]?.["content"]), /interrupted|unknown/i)
      assert.deepStrictEqual(model.violations(), [])
      assert.strictEqual(readFileSync(join(workspace, "runs.txt"), "utf8"), "ran\n")
      assert.deepStrictEqual(processesWith(mark), [])
      yield* tty.prompt
      tty.enter("where are you?")
      yield* tty.answer("y")
      yield* tty.shows("That is where.")
      const pwd = model.requests().at(-1)?.messages.at(-1)
      assert.include(String(pwd?.["content"]), workspace)
      assert.isFalse(existsSync(join(elsewhere, "runs.txt")))
    })
  )

  it.live("a new start says so; a prompt typed at the question takes its place (SETTLED 14)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { model, env, workspace } = scene
      yield* killed(scene, oddSleep())
      const anew = yield* Terminal.start({ env, cwd: workspace })
      yield* anew.shows("a task in this directory has not ended. To go on with it: claw --continue")
      yield* anew.prompt
      anew.press("ctrlD")
      assert.strictEqual(yield* anew.exited, 0)
      const tty = yield* Terminal.start({ env, cwd: workspace, args: ["--continue"] })
      model.script(text("ok"))
      yield* tty.answer("run the tests again")
      yield* tty.shows("run the tests again")
      yield* tty.apart
      tty.press("enter")
      yield* tty.until(/^ok$/m)
      assert.deepStrictEqual(model.requests().at(-1)?.messages.at(-1)?.content, "run the tests again")
      assert.strictEqual(readFileSync(join(workspace, "runs.txt"), "utf8"), "ran\n")
      assert.deepStrictEqual(model.violations(), [])
    })
  )
})
