/** Latencies and outcomes are told by the events alone (R262, R266, R267, R268, R269). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { type Measurement, initial, measure, observer } from "../../src/observability/Measure.ts"
import * as Metrics from "../../src/observability/Metrics.ts"
import * as Telemetry from "../../src/observability/Telemetry.ts"

/** An event `ms` after the start of the epoch; only what measuring looks at. */
const at = (ms: number, body: Readonly<Record<string, unknown>>): SessionEvent =>
  ({ v: 1, session_id: "s", ts: new Date(ms).toISOString(), ...body }) as unknown as SessionEvent

const run: ReadonlyArray<SessionEvent> = [
  at(0, { type: "task_started" }),
  at(10, { type: "thinking" }),
  at(60, { type: "thinking_delta" }),
  at(70, { type: "text_delta" }),
  at(110, { type: "text_completed", finish_reason: "tool_calls" }),
  at(120, { type: "approval_request", request_id: "r" }),
  at(130, { type: "approval_resolved", via: "policy", decision: "allow_once" }),
  at(2120, { type: "approval_resolved", request_id: "r", via: "user", decision: "deny" }),
  at(2200, { type: "tool_result", tool_name: "bash", status: "error", duration_ms: 40 }),
  at(2300, { type: "task_failed", error: { code: "max_turns" } })
]

const expected: ReadonlyArray<Measurement> = [
  { name: "first_token", ms: 50, attributes: {} },
  { name: "model_latency", ms: 100, attributes: { finish_reason: "tool_calls" } },
  { name: "approval_wait", ms: 2000, attributes: { via: "user", decision: "deny" } },
  { name: "tool_latency", ms: 40, attributes: { tool_name: "bash", status: "error" } },
  { name: "task_latency", ms: 2300, attributes: { outcome: "failed" } },
  { name: "task", attributes: { outcome: "failed", code: "max_turns" } }
]

const measured = (events: ReadonlyArray<SessionEvent>) => {
  const all: Array<Measurement> = []
  observer((measurements) => all.push(...measurements))(events)
  return all
}

describe("measure", () => {
  it("tells each latency once", () => {
    assert.deepStrictEqual(measured(run), expected)
  })

  it("keeps nothing of a task that ended, and joins a session in its middle", () => {
    const last = run.reduce((state, event) => measure(state, event).state, initial)
    assert.deepStrictEqual(last, initial)
    assert.deepStrictEqual(
      measured(run.slice(3)).map((m) => m.name),
      ["approval_wait", "tool_latency", "task"]
    )
  })

  it("a clock that steps back makes no negative duration", () => {
    const back = [at(100, { type: "thinking" }), at(40, { type: "text_delta" })]
    assert.deepStrictEqual(measured(back), [{ name: "first_token", ms: 0, attributes: {} }])
  })
})

describe("metrics", () => {
  it.effect("arrive in the registry under their pinned names, in seconds", () =>
    Effect.gen(function* () {
      observer(yield* Metrics.recorder)(run)
      const snapshot = yield* Metric.snapshot
      const mine = snapshot.filter((metric) => metric.id.startsWith("claw_"))
      assert.deepStrictEqual(mine.map((metric) => metric.id).toSorted(), [
        "claw_approval_wait_seconds",
        "claw_model_first_token_seconds",
        "claw_model_latency_seconds",
        "claw_task_latency_seconds",
        "claw_tasks_total",
        "claw_tool_latency_seconds"
      ])
      const wait = mine.find((metric) => metric.id === "claw_approval_wait_seconds")
      assert.deepStrictEqual(
        [wait?.attributes, (wait?.state as { sum: number } | undefined)?.sum],
        [{ via: "user", decision: "deny" }, 2]
      )
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("a name that no tool has is `unknown`, whatever a model made up", () =>
    Effect.gen(function* () {
      const result = (tool_name: string) => at(0, { type: "tool_result", tool_name, status: "error", duration_ms: 1 })
      const observe = observer(yield* Metrics.recorder, new Set(["bash"]))
      observe(["bash", "bash2", "rm -rf", "__proto__"].map(result))
      const latencies = (yield* Metric.snapshot).filter((metric) => metric.id === "claw_tool_latency_seconds")
      assert.deepStrictEqual(
        latencies.map(({ attributes, state }) => [attributes?.["tool_name"], (state as { count: number }).count]),
        [
          ["bash", 1],
          ["unknown", 3]
        ]
      )
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("invented tool names do not grow the registry without end", () =>
    Effect.gen(function* () {
      const result = (i: number) => at(i, { type: "tool_result", tool_name: `t${i}`, status: "error", duration_ms: 1 })
      // Every session has a recorder of its own.
      for (let i = 0; i < 1000; i++) observer(yield* Metrics.recorder)([result(i)])
      const names = (yield* Metric.snapshot).filter((metric) => metric.id === "claw_tool_latency_seconds")
      assert.strictEqual(names.length, 201)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("names", () => {
  it("of spans are pinned", () => {
    assert.deepStrictEqual(Object.values(Telemetry.spans), [
      "claw.task",
      "claw.turn",
      "claw.model",
      "claw.approval",
      "claw.tool",
      "claw.subagent",
      "claw.journal.append"
    ])
  })
})
