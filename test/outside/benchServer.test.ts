/** The server's bench runs, processes and all, in its smallest form; only what must not be left or lost is judged. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/realSession.ts"
import { OUTSIDE, outsideRun } from "../support/servedProgram.ts"

const MAIN = fileURLToPath(new URL("../../scripts/benchServer/main.ts", import.meta.url))

const bench = (...args: ReadonlyArray<string>) => outsideRun(process.execPath, [MAIN, ...args])

interface Document {
  readonly lines: ReadonlyArray<{ readonly job: string; readonly key: string; readonly verdict?: string }>
}

describe("npm run bench:server", OUTSIDE, () => {
  it.live("connections and cancelled tasks leave nothing, and whoever comes back has lost nothing", () =>
    Effect.gen(function* () {
      const file = join(yield* folder("claw-bench-server-"), "bench.json")
      const { code, stderr } = yield* bench("--quick", "--jobs", "stalled,churn,storm", "--json", file)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const { lines } = JSON.parse(readFileSync(file, "utf8")) as Document
      assert.deepStrictEqual(
        lines.flatMap(({ job, key, verdict }) => (verdict === undefined ? [] : [`${job} ${key}`])),
        ["stalled faults", "churn descriptors", "churn children", "storm missed"]
      )
    })
  )

  it.live("says what it knows when it is asked for a job that is none", () =>
    Effect.gen(function* () {
      const ended = yield* bench("--jobs", "speed")
      assert.strictEqual(ended.code, 2)
      assert.match(ended.stderr, /no job "speed"; known: streams, /)
    })
  )
})
