/**
 * The kill table and the random kills, as `npm run kills` prints them (issue 5; RELIABILITY 3.2, 3.3; R042–R053, R259–
 * R261). A process of claw is killed with SIGKILL at every named point; I1–I12 are checked from outside.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const PROGRAM = fileURLToPath(new URL("../../scripts/kills/main.ts", import.meta.url))

const kills = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | null; readonly lines: ReadonlyArray<string> }>((resume) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => (text += more))
    child.once("close", (code) => resume(Effect.succeed({ code, lines: text.trim().split("\n") })))
    return Effect.sync(() => void child.kill())
  })

/** What a person needs of a failure: its rows, with the way to have them again. */
const shown = (lines: ReadonlyArray<string>) => lines.filter((line) => !/ok /.test(line)).join("\n")

describe("killed with SIGKILL", { timeout: 600_000 }, () => {
  it.live("at every named point: C1–C23 are all met, and each comes to what it must (at least 60 pairs)", () =>
    Effect.gen(function* () {
      const { code, lines } = yield* kills("--quick", "--jobs", "2")
      assert.strictEqual(code, 0, shown(lines))
      const [, count] = /^(\d+) kills, 0 failed, \d+ not reached, C1–C23 all met/.exec(lines.at(-1) ?? "") ?? []
      assert.isAtLeast(Number(count), 60, lines.at(-1))
    })
  )

  it.live("200 times at random points and times", () =>
    Effect.gen(function* () {
      const { code, lines } = yield* kills("--random", "200", "--jobs", "2")
      assert.strictEqual(code, 0, shown(lines))
      assert.match(lines.at(-1) ?? "", /^seed \d+: 2\d\d kills in \d+ runs, 0 failed/)
    })
  )
})
