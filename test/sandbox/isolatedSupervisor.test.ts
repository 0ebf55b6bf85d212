/** The first process inside is out of reach of what it watches over, and says what really happened (SECURITY T14, T26). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolatedRunnerOf, script } from "../support/processes.ts"

/** ptrace by number: PTRACE_ATTACH is 16, PTRACE_SEIZE 0x4206; then what a tracer would do. */
const PTRACE = process.arch === "x64" ? 101 : 117
const trace = (request: number): string =>
  `perl -e 'print syscall(${PTRACE}, ${request}, 1, 0, 0) == 0 ? "traced" : "refused"; sleep 1'`

describe("the supervisor of a call", () => {
  it.live("cannot be traced, written or stopped, and the end is the program's own", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf()
      for (const text of [
        trace(16),
        trace(0x4206),
        "(echo > /proc/1/mem) 2>/dev/null && echo traced || printf refused",
        "kill -STOP 1; kill -KILL 1; kill -INT 1; kill -TRAP 1; printf refused"
      ]) {
        const { exit_code, limit, output, signal, timed_out } = yield* run(
          script(`${text}; exit 5`, { timeout_ms: 15_000 })
        )
        assert.deepStrictEqual(
          { exit_code, limit, signal, text: output.text, timed_out },
          { exit_code: 5, limit: undefined, signal: undefined, text: "refused", timed_out: false },
          text
        )
      }
    })
  )

  it.live("a time limit is a time limit, whatever the program makes of its end", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf()
      const { signal, timed_out } = yield* run(
        script("trap 'exit 0' TERM; while :; do sleep 0.05; done", { timeout_ms: 500 })
      )
      assert.deepStrictEqual([signal, timed_out], [undefined, true])
    })
  )
})
