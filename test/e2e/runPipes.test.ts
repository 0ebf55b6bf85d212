/** Readers of standard output that leave or dawdle (LESSONS 40, 49). */
import { readFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CLAW, type FakeWorld, NODE, SIDE_BY_SIDE, start, world } from "../support/e2eProgram.ts"
import { judged } from "../support/e2eJson.ts"
import { callChunks, delta, DONE, finish, HEAD, stream } from "../support/fakeModelScript.ts"

const MIB = 1024 * 1024

const pieces = (mebibytes: number): ReadonlyArray<string> => {
  const piece = delta({ content: "a line of an answer that is very long\n".repeat(1_680) })
  return Array.from({ length: mebibytes * 16 }, () => piece)
}

/** Under a shell, with the exit codes of both sides of the pipe. */
const piped = ({ env, workspace }: FakeWorld, flags: string, reader: string) =>
  Effect.callback<{ readonly stdout: string; readonly stderr: string }>((resume) => {
    const script = `"${NODE}" "${CLAW}" run ${flags} go | ${reader}; echo "codes \${PIPESTATUS[*]}"`
    const child = spawn("bash", ["-c", script], {
      env,
      cwd: workspace,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    const got = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (got.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (got.stderr += text))
    child.once("close", () => resume(Effect.succeed(got)))
    return Effect.sync(() => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    })
  })

const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Most memory that `claw run --json` took while its output was read at this pace. */
const peakWith = Effect.fnUntraced(function* (mebibytes: number, pause_ms: number) {
  const { env, workspace, model } = yield* world()
  model.script(stream(HEAD, ...pieces(mebibytes), finish("stop"), DONE))
  const running = yield* start(["run", "--json", "go"], { env, cwd: workspace })
  const { stdout, pid } = running.child
  let peak = 0
  stdout.on("data", () => {
    peak = Math.max(peak, peakOf(pid ?? 0))
    if (pause_ms === 0) return
    stdout.pause()
    setTimeout(() => stdout.resume(), pause_ms)
  })
  const ended = yield* running.ended
  assert.strictEqual(ended.code, 0)
  const lines = judged(ended.stdout, { gaps: true })
  assert.isAbove(String(lines.find(({ type }) => type === "text_completed")?.content).length, (mebibytes - 1) * MIB)
  return peak
})

describe("the reader of standard output", SIDE_BY_SIDE, () => {
  it.live.each(["--json", ""])("leaves after one line (%s): claw ends, and says nothing of it", (flags) =>
    Effect.gen(function* () {
      const scene = yield* world()
      // Without the reader it would go on for ever. As text an answer is written when it is whole.
      const whole = callChunks([{ id: "c1", name: "list_dir", arguments: "{}" }])
      if (flags === "--json") scene.model.script(stream(HEAD, ...pieces(4), "hang"))
      else
        scene.model.script(
          stream(HEAD, ...pieces(1).slice(0, 2), ...whole, finish("tool_calls"), DONE),
          stream(HEAD, "hang")
        )
      const { stdout, stderr } = yield* piped(scene, flags, "head -1")
      const [first = "", codes = ""] = stdout.trim().split("\n").slice(0, 2)
      if (flags === "--json") assert.isString((JSON.parse(first) as { readonly type: string }).type)
      assert.match(codes, /^codes 130 0$/)
      assert.strictEqual(stderr.replace(/^. list_dir\n(.*list_dir.*\n)?/, ""), "")
      yield* scene.model.deserted
    })
  )

  it.live("is slow: a huge answer reaches it whole, and memory does not pile up", () =>
    Effect.gen(function* () {
      const quick = yield* peakWith(12, 0)
      const slow = yield* peakWith(12, 4)
      assert.isBelow(slow, quick + 64 * MIB, `quick ${quick / MIB}, slow ${slow / MIB}`)
    })
  )
})
