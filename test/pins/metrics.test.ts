/**
 * What a server measures is a promise to dashboards: every name, type and set of labels (R264–R269). The exposition is
 * judged by Prometheus' own tool.
 */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Metric, Stream } from "effect"
import type { Script } from "../../src/provider/Provider.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { client } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { layer, serve, type Http } from "../support/httpKit.ts"
import { programAt } from "../support/servedProgram.ts"
import { probe } from "../support/tools.ts"
import { memory } from "../support/transports.ts"

/** Name, type, labels; `le` is the histogram's own. */
const pinned = [
  "claw_approval_wait_seconds histogram decision le via",
  "claw_auth_failures_total counter",
  "claw_connections gauge transport",
  "claw_errors_total counter code",
  "claw_event_loop_lag_max_seconds gauge",
  "claw_event_loop_lag_seconds gauge",
  "claw_http_requests_total counter method route status",
  "claw_journal_append_seconds histogram le",
  "claw_messages_total counter direction transport",
  "claw_model_first_token_seconds histogram le",
  "claw_model_latency_seconds histogram finish_reason le",
  "claw_sessions_open gauge",
  "claw_slow_consumers_total counter",
  "claw_task_latency_seconds histogram le outcome",
  "claw_tasks_active gauge",
  "claw_tasks_total counter code outcome",
  "claw_tasks_waiting gauge",
  "claw_tool_latency_seconds histogram le status tool_name"
]

const family = (sample: string): string => sample.replace(/_(?:bucket|sum|count|min|max)$/, "")

/** What an exposition has, in the form of the pins. */
const shapeOf = (text: string): ReadonlyArray<string> => {
  const labels = new Map<string, Set<string>>()
  for (const line of text.split("\n").filter((each) => each.startsWith("claw_"))) {
    const [, sample = "", inside = ""] = /^([a-z_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? assert.fail(line)
    const names = labels.get(family(sample)) ?? new Set()
    for (const [, name = ""] of inside.matchAll(/([a-z_]+)="/g)) names.add(name)
    labels.set(family(sample), names)
  }
  const types = Array.from(text.matchAll(/^# TYPE (claw_\S+) (\S+)$/gm))
  return types
    .map(([, name = "", type]) => [name, type, ...Array.from(labels.get(name) ?? []).toSorted()].join(" "))
    .toSorted()
}

const metricsOf = (http: Http) => Effect.map(http.ask("GET", "/metrics", { as: "admin" }), ({ text }) => text)

const valueOf = (text: string, sample: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length + 1)
  )

const broken = Stream.fail(new ProviderError({ code: "provider_auth", detail: "no" }))

/** Everything that is measured happens at least once; gives the server. */
const eventful = Effect.gen(function* () {
  const http = yield* serve()
  const one = yield* client(memory)
  yield* one.say({ type: "prompt", content: "go" })
  const { request_id } = yield* one.next("approval_request")
  yield* one.say({ type: "approval_response", request_id, decision: "allow_once" })
  yield* one.next("task_completed")
  yield* one.say({ type: "prompt", content: "go" })
  yield* one.next("task_failed")
  yield* one.say({ type: "interrupt" })
  assert.strictEqual((yield* one.next("error")).error.code, "no_task")
  yield* http.ask("GET", "/api/me")
  return http
})

const isolated = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const eventfulLayer = () => {
  const answers = [answer("", [call("c1", "probe")]), answer("ok"), broken]
  const script: Script = (_, turn) => answers[turn] ?? broken
  return layer({ script: () => script, tools: [probe({ risk: "mutating" }).tool] })
}

describe("metrics", () => {
  it.live(
    "have these names, types and labels, and promtool finds nothing to say (R264, R265, R266, R267, R268, R269)",
    () =>
      Effect.gen(function* () {
        const promtool = yield* programAt("promtool")
        const text = yield* metricsOf(yield* eventful)
        assert.deepStrictEqual(shapeOf(text), pinned)
        const { status, stdout, stderr } = spawnSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" })
        assert.deepStrictEqual({ status, said: `${stdout}${stderr}` }, { status: 0, said: "" })
      }).pipe(Effect.scoped, Effect.provide(eventfulLayer()), isolated)
  )

  it.live("count messages each way, errors that were told, and whoever was refused", () =>
    Effect.gen(function* () {
      const http = yield* eventful
      const text = yield* metricsOf(http)
      assert.strictEqual(valueOf(text, 'claw_messages_total{direction="in",transport="memory"}'), 4)
      assert.isAbove(valueOf(text, 'claw_messages_total{direction="out",transport="memory"}'), 10)
      assert.strictEqual(valueOf(text, 'claw_errors_total{code="no_task"}'), 1)
      assert.strictEqual(valueOf(text, 'claw_errors_total{code="unauthenticated"}'), 1)
      assert.strictEqual(valueOf(text, "claw_auth_failures_total"), 1)
      assert.strictEqual(valueOf(text, "claw_slow_consumers_total"), 0)
      assert.strictEqual(valueOf(text, 'claw_tasks_total{outcome="failed",code="provider_auth"}'), 1)
      assert.strictEqual(valueOf(text, 'claw_connections{transport="memory"}'), 1)
    }).pipe(Effect.scoped, Effect.provide(eventfulLayer()), isolated)
  )

  it.live("tell tasks that run from tasks that wait (R265)", () => {
    const go = Deferred.makeUnsafe<void>()
    const script: Script = () => Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(go))), answer("ok"))
    return Effect.gen(function* () {
      const http = yield* serve()
      const [one, two, three] = [yield* client(memory), yield* client(memory), yield* client(memory)]
      for (const each of [one, two, three]) {
        yield* each.say({ type: "prompt", content: "go" })
        yield* each.next("task_started")
      }
      yield* three.next("task_waiting")
      const busy = yield* metricsOf(http)
      assert.strictEqual(valueOf(busy, "claw_tasks_active"), 2)
      assert.strictEqual(valueOf(busy, "claw_tasks_waiting"), 1)
      assert.strictEqual(valueOf(busy, "claw_sessions_open"), 3)
      yield* Deferred.succeed(go, undefined)
      for (const each of [one, two, three]) yield* each.next("task_completed")
      const free = yield* Effect.repeat(metricsOf(http), { until: (text) => valueOf(text, "claw_tasks_active") === 0 })
      assert.strictEqual(valueOf(free, "claw_tasks_waiting"), 0)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })), isolated)
  })

  it.live("count a reader that was cut off, once", () => {
    const piece = "x".repeat(60_000)
    return Effect.gen(function* () {
      const http = yield* serve()
      const [slow, other] = [yield* client(memory), yield* client(memory)]
      yield* slow.say({ type: "hello", session_id: "s" })
      yield* slow.next("hello")
      yield* other.say({ type: "hello", session_id: "s" })
      yield* other.next("hello")
      yield* slow.stall
      yield* other.say({ type: "prompt", content: "go" })
      yield* other.next("task_completed")
      yield* slow.closed
      const text = yield* metricsOf(http)
      assert.strictEqual(valueOf(text, "claw_slow_consumers_total"), 1)
      assert.strictEqual(valueOf(text, 'claw_errors_total{code="slow_consumer"}'), 1)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(answer(piece)) }, { limit: { outbox_bytes: 65_536, write_ms: 200 } })),
      isolated
    )
  })
})
