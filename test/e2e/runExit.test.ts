/** Each documented exit code by a real cause, and signals (R088, R124–R132, R145, R320; LESSONS 33, 43). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, STACK, start, world } from "../support/e2eProgram.ts"
import { judged } from "../support/e2eJson.ts"
import { calls, delta, HEAD, stream, text } from "../support/fakeModelScript.ts"
import { oddSleep, processesWith } from "../support/processes.ts"

const bash = (command: string) => calls([{ id: "c1", name: "bash", arguments: JSON.stringify({ command }) }])

/** Resolves once what was written so far contains the word. */
const written = (
  running: { readonly child: { readonly stdout: NodeJS.ReadableStream }; readonly stdout: () => string },
  word: string
) =>
  Effect.callback<void>((resume) => {
    const look = () => running.stdout().includes(word) && resume(Effect.void)
    running.child.stdout.on("data", look)
    look()
    return Effect.sync(() => void running.child.stdout.off("data", look))
  })

describe("exit codes of claw run", SIDE_BY_SIDE, () => {
  it.live("3: an approval is needed and nobody can be asked; nothing ran", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(bash("touch ran.txt"))
      const ended = yield* claw(["run", "go"], { env, cwd: workspace })
      assert.strictEqual(ended.code, 3)
      assert.match(
        ended.stderr,
        /at claw's prompt in a terminal, which asks: claw run never does\. \[approval_required\]\n$/
      )
      assert.isFalse(existsSync(join(workspace, "ran.txt")))
      model.script(text("on we go"))
      const session = (
        JSON.parse((yield* claw(["sessions", "--json"], { env, cwd: workspace })).stdout) as { session_id: string }
      ).session_id
      assert.strictEqual((yield* claw(["run", "--session", session, "and now?"], { env, cwd: workspace })).code, 0)
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("3: a subagent needs it, and its caller goes on without", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const order = JSON.stringify({ title: "maker", prompt: "make it" })
      model.script(calls([{ id: "s1", name: "subagent", arguments: order }]), bash("touch ran.txt"), text("Not made."))
      const ended = yield* claw(["run", "go"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout], [3, "Not made.\n"])
      assert.match(ended.stderr, /\[approval_required\]\n$/)
      assert.isFalse(existsSync(join(workspace, "ran.txt")))
    })
  )

  it.live("0 with --mode never-ask: the model hears of the refusal and goes on (R145)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(bash("touch ran.txt"), text("I may not."))
      const ended = yield* claw(["run", "--mode", "never-ask", "go"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "I may not.\n"])
      assert.isFalse(existsSync(join(workspace, "ran.txt")))
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("4: a limit, by turns and by repetition", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      let made = 0
      model.rule(() => calls([{ id: `c${made++}`, name: "read_file", arguments: '{"path":"README.md"}' }]))
      const turns = yield* claw(["run", "--max-turns", "2", "go"], { env, cwd: workspace })
      assert.strictEqual(turns.code, 4)
      assert.match(turns.stderr, /\[max_turns\]\n$/)
      assert.strictEqual(model.requests().length, 2)
      const loop = yield* claw(["run", "go"], { env, cwd: workspace })
      assert.strictEqual(loop.code, 4)
      assert.match(loop.stderr, /\[doom_loop\]\n$/)
      assert.isBelow(model.requests().length, 30)
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("130: SIGINT in the middle of the answer; task_canceled is the last line", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(stream(HEAD, delta({ content: "Half of" }), "hang"))
      const running = yield* start(["run", "--json", "go"], { env, cwd: workspace })
      yield* written(running, "Half of")
      const sent = performance.now()
      running.signal("SIGINT")
      const ended = yield* running.ended
      assert.strictEqual(ended.code, 130)
      assert.isBelow(performance.now() - sent, 2_000)
      assert.strictEqual(judged(ended.stdout).at(-1)?.type, "task_canceled")
      assert.isFalse((yield* model.gone(1)).writableFinished)
      assert.notMatch(ended.stderr, STACK)
    })
  )

  it.live("130: SIGINT while bash runs; nothing of it is left (R131)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const mark = oddSleep()
      model.script(bash(`echo begun; sleep ${mark} & sleep ${mark}`))
      const running = yield* start(["run", "--json", "--mode", "bypass", "go"], { env, cwd: workspace })
      yield* written(running, "begun")
      yield* written(running, "tool_output_delta")
      assert.isAbove(processesWith(mark).length, 0)
      running.signal("SIGINT")
      const ended = yield* running.ended
      assert.strictEqual(ended.code, 130)
      assert.strictEqual(judged(ended.stdout).at(-1)?.type, "task_canceled")
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )

  it.live("143: SIGTERM ends the children and the connection too", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const mark = oddSleep()
      model.script(bash(`echo begun; sleep ${mark}`))
      const running = yield* start(["run", "--json", "--mode", "bypass", "go"], { env, cwd: workspace })
      yield* written(running, "tool_output_delta")
      running.signal("SIGTERM")
      const ended = yield* running.ended
      assert.strictEqual(ended.code, 143)
      assert.deepStrictEqual(processesWith(mark), [])
      yield* model.deserted
      assert.notMatch(ended.stderr, STACK)
    })
  )

  it.live("a second SIGINT ends at once, whatever hangs", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const mark = oddSleep()
      model.script(bash(`trap '' TERM; echo begun; sleep ${mark}; sleep ${mark}`))
      const running = yield* start(["run", "--json", "--mode", "bypass", "go"], { env, cwd: workspace })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => processesWith(mark).forEach((pid) => process.kill(pid, "SIGKILL")))
      )
      yield* written(running, "tool_output_delta")
      running.signal("SIGINT")
      running.signal("SIGINT")
      const ended = yield* running.ended
      assert.strictEqual(ended.code, 130)
    })
  )
})
