/** A call ends when its program ends, and nothing of it lives afterwards (R131, LESSONS 17, case H06). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eachDriver, oddSleep, processesWith, receipt, script } from "../support/processes.ts"

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, (value) => ({ value, ms: performance.now() - start }))
  })

eachDriver("the end of a call", ({ runnerOf }) => {
  it.live("does not wait for a background child that holds the output", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const sleep = oddSleep()
      const { ms, value } = yield* timed(runner.run(script(`sleep ${sleep} & echo foreground-done`)))
      assert.deepStrictEqual([value.output.text, value.exit_code, value.timed_out], ["foreground-done\n", 0, false])
      assert.isBelow(ms, 5000)
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )

  it.live("does not wait for a background child that chats for ever", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const { ms, value } = yield* timed(
        runner.run(script("(while :; do echo tick; sleep 0.1; done) & sleep 0.3; echo end-mark"))
      )
      const before = value.output.text
      assert.include(before, "tick")
      assert.include(before, "end-mark")
      assert.isBelow(ms, 5000)
      yield* Effect.sleep(300)
      assert.strictEqual(value.output.text, before)
    })
  )

  it.live("comes at once for a child that reads its input: it is at its end", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const { value } = yield* timed(runner.run(script("cat; read -r x || echo no-input; echo after-cat")))
      assert.deepStrictEqual([value.output.text, value.exit_code], ["no-input\nafter-cat\n", 0])
    })
  )

  it.live("reports exit code and signal as such", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const ends = yield* Effect.forEach(["false", "exit 42", "kill -9 $$", "nonesuch-program"], (text) =>
        Effect.map(runner.run(script(text)), ({ exit_code, signal }) => ({ exit_code, signal }))
      )
      assert.deepStrictEqual(ends, [
        { exit_code: 1, signal: undefined },
        { exit_code: 42, signal: undefined },
        { exit_code: undefined, signal: "SIGKILL" },
        { exit_code: 127, signal: undefined }
      ])
    })
  )

  it.live("reaches children that went away with setsid, also with an empty environment", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const sleep = oddSleep()
      const text = `setsid sleep ${sleep} & env -i setsid sleep ${sleep} & (setsid nohup sleep ${sleep} >/dev/null 2>&1 &); sleep 0.2; echo done`
      yield* runner.run(script(text))
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )

  it.live("at a time limit: TERM, grace, KILL; what was said is kept", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ limits: { grace_ms: 200 } })
      const sleep = oddSleep()
      const text = `trap '' TERM; echo before; (trap '' TERM; sleep ${sleep}; sleep ${sleep}) & while :; do sleep ${sleep}; done`
      const { ms, value } = yield* timed(runner.run(script(text, { timeout_ms: 1500 })))
      assert.deepStrictEqual([value.output.text, value.signal, value.timed_out], ["before\n", "SIGKILL", true])
      assert.isAtLeast(ms, 1700)
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )

  it.live("a program that ends well on TERM may say so", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const value = yield* runner.run(
        script("trap 'echo tidied; exit 3' TERM; echo up; while :; do sleep 0.05; done", { timeout_ms: 1500 })
      )
      // bash itself may add that its sleep was terminated.
      const said = value.output.text.split("\n").filter((line) => line !== "Terminated")
      assert.deepStrictEqual([said, value.exit_code, value.timed_out], [["up", "tidied", ""], 3, true])
    })
  )

  it.live("on interruption: group, escapees and stopped children are gone before it returns (R298)", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ limits: { grace_ms: 500 } })
      const sleep = oddSleep()
      const up = receipt("up")
      const text = `setsid sleep ${sleep} & sleep ${sleep} & kill -STOP $!; (trap '' TERM; sleep ${sleep}) & echo up; wait`
      const fiber = yield* Effect.forkChild(runner.run(script(text, { emit: up.emit })))
      yield* up.arrived
      assert.isAtLeast(processesWith(sleep).length, 3)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )
})
