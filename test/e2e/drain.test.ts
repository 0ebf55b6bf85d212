/** The end of `claw serve` by signal (R240, R295, SETTLED 1): told, suspended, gone on with; a second signal. (R274) */
import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { calls, delta, HEAD, stream, text } from "../support/fakeModelScript.ts"
import { rawTcp } from "../support/rawTcp.ts"

const refusedAt = (port: number) =>
  Effect.callback<string>((resume) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.destroy()
      resume(Effect.succeed("connected"))
    })
    socket.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? "")))
  })

const waitFor = Effect.fnUntraced(function* (next: Effect.Effect<string>, type: string) {
  for (;;) {
    const event = JSON.parse(yield* next) as { readonly type: string; readonly [field: string]: unknown }
    if (event.type === type) return event
  }
})

/** Whether a process with this argument lives. */
const runs = (argument: string) =>
  Effect.gen(function* () {
    yield* Effect.sleep("20 millis")
    return readdirSync("/proc").some((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").includes(argument)
      } catch {
        return false
      }
    })
  })

const SLEEP = { id: "c1", name: "bash", arguments: JSON.stringify({ command: "sleep 60" }) }

describe("a signal to claw serve", SIDE_BY_SIDE, () => {
  it.live("tells every client, lets nobody in, and ends with 0; the task goes on at the next start", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(stream(HEAD, delta({ content: "on and on" }), "hang"), text("and done", 3))
      const { ready, running } = yield* served(at, ["--no-auth"], { CLAW_LIMIT_DRAIN_MS: "2000" })
      const tcp = yield* rawTcp(ready.tcp.port)
      yield* tcp.write('{"type":"prompt","content":"go"}\n')
      const { session_id } = yield* waitFor(tcp.line, "text_delta")
      const ws = yield* nodeSocket(ready.http.url)
      ws.send({ type: "resume", session_id })
      yield* ws.event("status")
      const accept = { accept: "text/event-stream" }
      const events = `${ready.http.url}/api/sessions/${String(session_id)}/events`
      const sse = yield* Effect.promise(() => fetch(events, { headers: accept }))
      const began = Date.now()
      running.signal("SIGTERM")
      const told = [yield* waitFor(tcp.line, "draining"), yield* ws.event("draining")]
      for (const { deadline } of told) assert.isBelow(Math.abs(Date.parse(String(deadline)) - began - 2000), 1500)
      assert.strictEqual(yield* refusedAt(ready.tcp.port), "ECONNREFUSED")
      assert.strictEqual(yield* refusedAt(Number(new URL(ready.http.url).port)), "ECONNREFUSED")
      assert.strictEqual((yield* ws.closed).code, 1001)
      assert.include(yield* Effect.promise(() => sse.text()), `"deadline":"${String(told[0]?.["deadline"])}"`)
      assert.strictEqual(yield* tcp.ended, "end")
      assert.strictEqual((yield* running.ended).code, 0)
      assert.isBelow(Date.now() - began, 7000)
      for (const type of ["task_canceled", "task_failed", "task_completed"]) {
        assert.notInclude(yield* tcp.rest, `"type":"${type}"`)
      }
      const again = yield* served(at)
      const back = yield* nodeSocket(again.ready.http.url)
      back.send({ type: "resume", session_id })
      yield* back.event("task_completed")
      const seqs = back.events.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []))
      assert.deepStrictEqual(
        seqs,
        seqs.map((_, i) => i + 1)
      )
      assert.deepStrictEqual(at.model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("ends it at once the second time, and what a tool had started with it", () =>
    Effect.gen(function* () {
      const at = yield* world()
      // Told from everybody else's by its argument, in whatever namespace it runs.
      const seconds = `60.${process.pid}${Date.now()}`
      at.model.script(calls([{ ...SLEEP, arguments: JSON.stringify({ command: `sleep ${seconds}` }) }]))
      const { ready, running } = yield* served(at, ["--no-auth", "--mode", "bypass"])
      const tcp = yield* rawTcp(ready.tcp.port)
      yield* tcp.write('{"type":"prompt","content":"go"}\n')
      yield* waitFor(tcp.line, "tool_started")
      yield* Effect.repeat(runs(seconds), { until: (is) => is })
      running.signal("SIGTERM")
      yield* waitFor(tcp.line, "draining")
      const began = Date.now()
      running.signal("SIGTERM")
      assert.strictEqual((yield* running.ended).code, 143)
      assert.isBelow(Date.now() - began, 2000)
      yield* Effect.repeat(runs(seconds), { until: (is) => !is })
      assert.isBelow(Date.now() - began, 10_000)
    }).pipe(Effect.scoped)
  )

  it.live("ends an idle server at once, whoever does not read", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const { ready, running } = yield* served(at)
      const tcp = yield* rawTcp(ready.tcp.port)
      yield* tcp.write('{"type":"ping"}\n')
      yield* waitFor(tcp.line, "pong")
      tcp.socket.pause()
      const began = Date.now()
      running.signal("SIGINT")
      assert.strictEqual((yield* running.ended).code, 0)
      assert.isBelow(Date.now() - began, 5000)
    }).pipe(Effect.scoped)
  )
})
