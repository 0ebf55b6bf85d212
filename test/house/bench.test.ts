/** The bench runs, whole processes and all, in its smallest form; nothing here is timed. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const main = fileURLToPath(new URL("../../scripts/bench/main.ts", import.meta.url))

const bench = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly stderr: string; readonly stdout: string }>((resume) => {
    const child = execFile(process.execPath, [main, ...args], (error, stdout, stderr) => {
      resume(
        Effect.succeed({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, stderr, stdout })
      )
    })
    return Effect.sync(() => void child.kill())
  })

interface Document {
  readonly results: ReadonlyArray<{
    readonly job: string
    readonly contender: string
    readonly numbers?: Readonly<Record<string, number>>
  }>
  readonly lines: ReadonlyArray<{ readonly job: string; readonly metric: string; readonly verdict?: string }>
}

describe("npm run bench", () => {
  it.live(
    "measures raw and claw beside each other, and leaves nothing of cancelled tasks",
    () =>
      Effect.gen(function* () {
        const directory = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "bench-test-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true }))
        )
        const file = join(directory, "bench.json")
        const ended = yield* bench("--quick", "--jobs", "tools1,leak", "--contenders", "raw,claw", "--json", file)
        assert.deepStrictEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: "" })
        const { results, lines } = JSON.parse(readFileSync(file, "utf8")) as Document
        assert.deepStrictEqual(
          results.map(({ job, contender }) => `${job} ${contender}`),
          ["tools1 raw", "tools1 claw", "leak claw"]
        )
        for (const { numbers = {} } of results) {
          assert.isNotEmpty(Object.keys(numbers))
          for (const value of Object.values(numbers)) assert.isTrue(Number.isFinite(value))
        }
        const counts = new Set(["fibers", "handles", "descriptors", "children"])
        assert.deepStrictEqual(
          lines.flatMap((line) => (counts.has(line.metric) ? [line.verdict] : [])),
          ["goal", "goal", "goal", "goal"]
        )
      }).pipe(Effect.scoped),
    // Five processes start; a busy machine takes its time over it.
    60_000
  )

  it.live("says what it knows when it is asked for a job that is none", () =>
    Effect.gen(function* () {
      const ended = yield* bench("--jobs", "speed")
      assert.strictEqual(ended.code, 2)
      assert.match(ended.stderr, /no job "speed"; known: text, /)
    })
  )
})
