/** A call can use up its own share and no more (SECURITY T14). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolatedRunnerOf, script } from "../support/processes.ts"

describe("limits", () => {
  const bombs = [
    ["in the background", "b() { b | b & }; b", undefined],
    ["in the foreground", "b() { b | b; }; b", "SIGKILL"],
    ["of sleeping children", "while :; do sleep 99 & done", "SIGKILL"]
  ] as const
  for (const [where, text, signal] of bombs) {
    it.live(
      `a fork bomb ${where} ends by itself, and programs start meanwhile`,
      () =>
        Effect.gen(function* () {
          const bombed = yield* isolatedRunnerOf({ settings: { processes: 128 } })
          const other = yield* isolatedRunnerOf()
          const start = performance.now()
          const bomb = Effect.map(bombed.run(script(text)), (ended) => ({ ended, ms: performance.now() - start }))
          const neighbour = Effect.delay(other.run(script("echo fine")), 300)
          const [{ ended, ms }, said] = yield* Effect.all([bomb, neighbour], { concurrency: "unbounded" })
          assert.deepStrictEqual([said.output.text, ended.timed_out], ["fine\n", false])
          if (signal !== undefined) assert.strictEqual(ended.signal, signal)
          // Under three seconds on a quiet machine; what must show here is that it does not wait for its time limit.
          assert.isBelow(ms, 15_000)
        }),
      30_000
    )
  }

  it.live("a file and a process's memory are bounded", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf({ settings: { file_mb: 1, memory_mb: 256 } })
      const file = yield* run(script("head -c 3000000 /dev/zero > big; stat -c %s big"))
      assert.match(file.output.text, /File size limit exceeded[^]*1048576\n$|1048576\n$/)
      const memory = yield* run(script("perl -e '$x = \"a\" x 900_000_000; print length $x'"))
      assert.notInclude(memory.output.text, "900000000")
      assert.notStrictEqual(memory.exit_code, 0)
    })
  )
})
