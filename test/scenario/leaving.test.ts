/** Who ends a task when a connection ends, and what stays (SETTLED 1, 2; R173, R175, R184, R240, R294; R183). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { endless, held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

const count = Effect.flatMap(RuntimeManager, (manager) => manager.count)
const emptied = Effect.flatMap(RuntimeManager, (manager) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, manager.count), { until: (left) => left === 0 })
)
/** Over TCP a peer that went and one that ended its input look alike until something is written to it. */
const beating = { heartbeat_ms: 20, dead_ms: 60_000 }
/** The server has seen that nobody is at session `a` any more. */
const left = Effect.flatMap(Channels, ({ attached }) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, attached(localOwner, "a" as SessionId)), {
    until: (here) => here === 0
  })
)
const begin = Effect.fnUntraced(function* (one: Client, session_id: string, more: object = {}) {
  yield* one.say({ type: "hello", session_id, ...more })
  yield* one.say({ type: "prompt", content: "go" })
  return yield* one.next("text_delta")
})
/** How the stored session's last task ended. */
const stored = (id: string) =>
  Effect.flatMap(RuntimeManager, (manager) =>
    Effect.flatMap(manager.open(id as SessionId), ({ state }) => Effect.map(state, ({ last }) => last?.status))
  )

describe.each(transports)("leaving over $name", (transport) => {
  it.live("close tells the task's end first; A's end leaves B untouched (R173, R175, R193, R294)", () => {
    const b = held("b", "!")
    const script = (id: string) => () => (id === "b" ? b.stream : endless("a"))
    return Effect.gen(function* () {
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* begin(one, "a")
      yield* begin(two, "b")
      assert.strictEqual(yield* count, 2)
      yield* one.say({ type: "close" })
      yield* one.next("task_canceled")
      yield* one.closed
      yield* one.say({ type: "close" })
      yield* one.hangUp
      yield* b.go
      yield* two.next("task_completed")
      assert.strictEqual(yield* count, 1)
      yield* two.hangUp
      yield* emptied
      assert.deepStrictEqual([yield* stored("a"), yield* stored("b")], ["canceled", "completed"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("a peer that hangs up cancels its task and leaves memory (R175, R240)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a")
      yield* one.hangUp
      yield* emptied
      assert.strictEqual(yield* stored("a"), "canceled")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a"), limit: beating })))
  )

  it.live("a peer that is cut off by its own system cancels its task, too (SETTLED 2, LESSONS 40)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a")
      yield* one.cut
      yield* emptied
      assert.strictEqual(yield* stored("a"), "canceled")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a") })))
  )

  it.live("detached, it is waited for no longer than the detach time", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a", { detach: true })
      yield* one.cut
      yield* left
      assert.strictEqual(yield* count, 1)
      yield* emptied
      assert.strictEqual(yield* stored("a"), "canceled")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => endless("a"), limit: { detach_ms: 200 } }))
    )
  )

  it.live("a peer of which nothing is heard any more cancels nothing: the task runs to its end (SETTLED 1)", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a")
      yield* left
      yield* a.go
      yield* emptied
      assert.strictEqual(yield* stored("a"), "completed")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => a.stream, limit: { heartbeat_ms: 20, dead_ms: 60 } }))
    )
  })

  it.live("detached work goes on, its question waits, and who returns answers it (SETTLED 2)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const script = () => turns(answer("x", [call("c1", "probe", { n: 1 })]), answer("ok"))
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a", { detach: true })
      const asked = yield* one.next("approval_request")
      const { seq } = one.facts().at(-1)!
      yield* one.hangUp
      yield* one.closed
      const two = yield* client(transport)
      yield* two.say({ type: "hello", session_id: "a", after: { seq } })
      const { pending_approvals } = yield* two.next("status")
      assert.deepStrictEqual(
        pending_approvals.map((request) => request.request_id),
        [asked.request_id]
      )
      yield* two.say({ type: "approval_response", request_id: asked.request_id, decision: "allow_once" })
      yield* two.next("task_completed")
      assert.deepStrictEqual(log, ["+1", "-1"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })

  it.live("who does not return in time finds the task cancelled, and why", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a", { detach: true })
      yield* one.hangUp
      yield* emptied
      assert.strictEqual(yield* stored("a"), "canceled")
      const back = yield* client(transport)
      yield* back.say({ type: "resume", session_id: "a" })
      assert.strictEqual((yield* back.next("task_canceled")).reason, "nobody came back within 0.03 seconds")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => endless("a"), limit: { ...beating, detach_ms: 30 } }))
    )
  )

  it.live.each([
    [true, () => endless("a"), "canceled"],
    ["until_done", () => answer("ok"), "completed"]
  ] as const)(
    "who leaves with detach %s leaves a question its own time, whatever the detach time (SETTLED 2)",
    ([detach, then, status]) => {
      const { tool } = probe({ risk: "mutating" })
      const script = () => turns(answer("x", [call("c1", "probe", { n: 1 })]), then())
      return Effect.gen(function* () {
        const one = yield* client(transport)
        yield* one.say({ type: "hello", session_id: "a", detach })
        yield* one.say({ type: "prompt", content: "go" })
        yield* one.next("approval_request")
        yield* one.cut
        yield* emptied
        assert.strictEqual(yield* stored("a"), status)
        const back = yield* client(transport)
        yield* back.say({ type: "resume", session_id: "a" })
        const resolved = yield* back.next("approval_resolved")
        assert.deepStrictEqual([resolved.decision, resolved.via], ["deny", "timeout"])
      }).pipe(
        Effect.scoped,
        Effect.provide(channelLayer({ script, tools: [tool], expiresInMs: 150, limit: { detach_ms: 10 } }))
      )
    }
  )

  it.live("the policy counts when the last goes, not before", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* begin(one, "a")
      yield* two.say({ type: "resume", session_id: "a" })
      yield* two.next("status", ({ counters }) => counters.attached === 2)
      yield* one.say({ type: "close" })
      yield* one.closed
      yield* a.go
      yield* two.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => a.stream })))
  })
})

describe.each(transports.filter(({ halves }) => halves))("half leaving over $name", (transport) => {
  it.live("input that ends lets the task finish and be read, then closes (SETTLED 2)", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.halfClose
      yield* one.next("text_delta")
      yield* a.go
      yield* one.next("task_completed")
      yield* one.closed
      yield* emptied
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => a.stream })))
  })

  it.live("input that ended owes no heartbeat: it is written to however long the task takes", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* begin(one, "a")
      yield* one.halfClose
      for (let beats = 0; beats < 6; beats++) yield* one.next("ping")
      yield* a.go
      yield* one.next("task_completed")
      yield* one.closed
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => a.stream, limit: { heartbeat_ms: 20, dead_ms: 40 } }))
    )
  })

  it.live("that then goes altogether is found, though it said no hello and nothing is said to it (LESSONS 40)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.next("text_delta")
      yield* one.halfClose
      yield* one.next("ping")
      yield* one.cut
      yield* Effect.flatMap(Channels, (channels) =>
        Effect.repeat(Effect.andThen(Effect.yieldNow, channels.count), { until: (here) => here === 0 })
      )
      yield* emptied
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a"), limit: beating })))
  )

  it.live("a whole close that looked like the end of input, too", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.next("text_delta")
      yield* one.hangUp
      yield* emptied
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a"), limit: beating })))
  )
})

tellTheSame()
