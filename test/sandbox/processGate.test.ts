/** A child does nothing before it is journaled, and what a crash leaves behind can be ended later (R131, DESIGN §7). */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { MARKER, startTimeOf } from "../../src/sandbox/processTable.ts"
import { dir } from "../support/workspaceDir.ts"
import { eachDriver, oddSleep, processesWith, runnerOf, script } from "../support/processes.ts"

eachDriver("the gate", ({ isolated, runnerOf }) => {
  it.live("the program begins only after processStarted has returned, with the id and start it was told", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const runner = yield* runnerOf()
      const mark = join(there.ws, "mark")
      const told: Array<unknown> = []
      const processStarted = (pid: number, start: string) =>
        Effect.sleep(100).pipe(
          Effect.andThen(Effect.sync(() => told.push(existsSync(mark), pid, start === startTimeOf(pid))))
        )
      const result = yield* runner.run(script(`touch ${mark}; echo $$`, { cwd: there.ws, processStarted }))
      const [existed, pid, sameStart] = told
      assert.deepStrictEqual([existed, sameStart], [false, true])
      // Inside, processes have numbers of their own.
      assert.strictEqual(pid === Number(result.output.text), !isolated)
      assert.isTrue(existsSync(mark))
    })
  )

  it.live("a program whose start could not be stored never begins", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const runner = yield* runnerOf()
      const mark = join(there.ws, "mark")
      const spec = script(`touch ${mark}`, { cwd: there.ws, processStarted: () => Effect.fail("the disk is full") })
      const error = yield* Effect.flip(runner.run(spec))
      assert.deepStrictEqual(
        [error.reason, error.detail],
        ["not_started", "The command was not run: its start could not be stored."]
      )
      assert.isFalse(existsSync(mark))
    })
  )
})

const orphan = (marker: string, sleep: string) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve) => {
        const env = { PATH: process.env["PATH"] ?? "", [MARKER]: marker }
        const child = spawn("bash", ["-c", `setsid sleep ${sleep} & sleep ${sleep} & echo up; wait`], {
          detached: true,
          env
        })
        child.stdout.once("data", () => resolve(child.pid as number))
      })
  )

it.live("what a crash left is ended by its journaled id, and a stranger with the same number is not", () =>
  Effect.gen(function* () {
    const runner = yield* runnerOf()
    const sleep = oddSleep()
    const pid = yield* orphan("call-crashed", sleep)
    const start_time = startTimeOf(pid)
    assert.isTrue(yield* runner.endLeftover({ pid, start_time: "1@other-boot", id: "call-crashed" }))
    assert.isTrue(yield* runner.endLeftover({ pid, start_time: start_time.replace(/^\d+/, "1"), id: "call-other" }))
    assert.strictEqual(processesWith(sleep).length, 3)
    assert.isTrue(yield* runner.endLeftover({ pid, start_time, id: "call-crashed" }))
    assert.deepStrictEqual(processesWith(sleep), [])
  })
)
