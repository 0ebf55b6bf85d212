/** A log line is one JSON object with the ids of its task and without a secret; off means nothing (R262, R263, R272). */
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import * as Logs from "../../src/observability/Logs.ts"
import * as Telemetry from "../../src/observability/Telemetry.ts"
import { directoryWith } from "../support/directories.ts"

const secret = "zk-0123456789-abcdef"

/** Runs `work` with logs as `CLAW_LOG` says; the text of the log file, or undefined where there is none. */
const logged = Effect.fnUntraced(function* (log: string, work: Effect.Effect<void>) {
  const state = yield* directoryWith()
  const env = { CLAW_LOG: log, CLAW_STATE_DIR: state, ZHIPU_API_KEY: secret }
  const config = AppConfig.layerWith({}, { env })
  yield* Effect.scoped(Effect.provide(work, Logs.layer)).pipe(Effect.provide(config))
  const path = join(state, "logs", "claw.log")
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? undefined
    : {
        path,
        lines: readFileSync(path, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      }
})

const ids = { session_id: "s-1", task_id: "task_1" }

describe("logs", () => {
  it.live("carry time, level, message, ids and fields, redacted", () =>
    Effect.gen(function* () {
      const result = yield* logged(
        "info",
        Effect.logInfo("call", { request_id: "r-1", api_key: "x" }, `with ${secret}\n{"level":"forged"}`).pipe(
          Effect.andThen(Effect.logDebug("too small")),
          Telemetry.annotate(ids)
        )
      )
      const [line, ...more] = (result?.lines ?? []) as ReadonlyArray<{ readonly ts: string }>
      assert.deepStrictEqual(
        [{ ...line, ts: "" }, more],
        [
          {
            ...ids,
            request_id: "r-1",
            api_key: "[redacted]",
            ts: "",
            level: "info",
            message: 'call with [redacted]\n{"level":"forged"}'
          },
          []
        ]
      )
      assert.match(line?.ts ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(statSync(result?.path ?? "").mode & 0o777, 0o600)
    })
  )

  it.live("keep the cause of a failure", () =>
    Effect.gen(function* () {
      const failing = Effect.die(new Error(`broke with ${secret}`)).pipe(
        Effect.catchCause((cause) => Effect.logError("failed", cause))
      )
      const result = yield* logged("error", failing)
      const [line] = (result?.lines ?? []) as ReadonlyArray<{ readonly cause: string; readonly message: string }>
      assert.strictEqual(line?.message, "failed")
      assert.include(line?.cause, "broke with [redacted]")
    })
  )

  it.live("write nothing when off, which they are unless asked for", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* logged("off", Effect.logFatal("x")), undefined)
      assert.strictEqual(yield* logged("", Effect.logFatal("x")), undefined)
    })
  )

  it.live("never fail: a directory that cannot be made costs the lines only", () =>
    Effect.gen(function* () {
      const state = yield* directoryWith({ logs: "a file where the directory should be" })
      const config = AppConfig.layerWith({}, { env: { CLAW_LOG: "info", CLAW_STATE_DIR: state } })
      yield* Effect.scoped(Effect.provide(Effect.logInfo("x"), Logs.layer)).pipe(Effect.provide(config))
    })
  )

  it.live("begin a new file when the old one is large", () =>
    Effect.gen(function* () {
      const state = yield* directoryWith({ "logs/claw.log": "" })
      const path = join(state, "logs", "claw.log")
      writeFileSync(path, Buffer.alloc(Logs.ROTATE_BYTES + 1, 10))
      chmodSync(path, 0o600)
      const config = AppConfig.layerWith({}, { env: { CLAW_LOG: "info", CLAW_STATE_DIR: state } })
      yield* Effect.scoped(Effect.provide(Effect.logInfo("x"), Logs.layer)).pipe(Effect.provide(config))
      assert.strictEqual(statSync(`${path}.1`).size, Logs.ROTATE_BYTES + 1)
      assert.isBelow(statSync(path).size, 1000)
    })
  )

  it("drop and count lines when nobody takes them, and say so afterwards", () => {
    const written: Array<string> = []
    const stream = { writableLength: 0, write: (chunk: string) => written.push(chunk) > 0 }
    const sink = Logs.boundedSink(stream)
    sink.write("a")
    stream.writableLength = Logs.MAX_PENDING_BYTES + 1
    sink.write("b")
    sink.write("c")
    stream.writableLength = 0
    sink.write("d")
    assert.deepStrictEqual(written, ["a\n", '{"level":"warn","message":"log lines were dropped","dropped":2}\n', "d\n"])
  })
})
