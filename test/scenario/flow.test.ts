/** What flows in and out: bytes in a second, steering, long replays to slow readers, ids somebody took (R190, R233, R235). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { create } from "../support/runtimeKit.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { probe } from "../support/tools.ts"
import { transports } from "../support/transports.ts"

const plain = { script: () => turns(answer("ok")) }

describe.each(transports)("flow over $name", (transport) => {
  it.live("bytes beyond a second's are refused with a time, and the connection lives (R233)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      for (let n = 0; n < 3; n++) yield* one.say({ type: "pong", pad: "x".repeat(900) })
      const { error } = yield* one.next("error")
      assert.deepStrictEqual([error.code, error.retryable], ["rate_limited", true])
      assert.isAtLeast(error.retry_after_ms ?? 0, 1)
      yield* Effect.sleep(error.retry_after_ms ?? 0)
      yield* one.say({ type: "ping" })
      yield* one.next("pong")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ ...plain, limit: { bytes_per_second: 1024, message_bytes: 2000 } }))
    )
  )

  it.live("a prompt that steers reaches the running task at its next turn (R190)", () => {
    const { tool } = probe({ risk: "mutating" })
    const script = () => turns(answer("", [call("c1", "probe", { n: 1 })]), answer("ok"))
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "go" })
      const { request_id, task_id } = yield* one.next("approval_request")
      yield* one.say({ type: "prompt", content: "rather left", when_busy: "steer" })
      const queued = yield* one.next("prompt_queued")
      assert.strictEqual(queued.mode, "steer")
      yield* one.say({ type: "approval_response", request_id, decision: "allow_once" })
      const steered = yield* one.next("prompt_steered")
      assert.deepStrictEqual(
        [steered.prompt_id, steered.content, steered.task_id],
        [queued.prompt_id, "rather left", task_id]
      )
      assert.strictEqual((yield* one.next("task_completed")).task_id, task_id)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })

  it.live("a replay of several pages waits for a reader that stops and goes on, and repeats nothing (R235)", () =>
    Effect.gen(function* () {
      const session = yield* create("long")
      for (let n = 0; n < 2500; n++) yield* session.clear
      const one = yield* client(transport)
      yield* one.stall
      yield* one.say({ type: "resume", session_id: "long", after: { seq: 3 } })
      for (let n = 0; n < 10; n++) {
        yield* Effect.sleep(3)
        yield* one.resume
        yield* Effect.yieldNow
        yield* one.stall
      }
      yield* one.resume
      yield* one.next("status")
      assert.deepStrictEqual(
        one.facts().map(({ seq }) => seq),
        Array.from({ length: 2497 }, (_, n) => n + 4)
      )
      yield* one.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* one.next("task_started")).seq, 2501)
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ ...plain, limit: { outbox_events: 64, outbox_bytes: 65_536 } }))
    )
  )

  it.live("an id that somebody chose by hand is not given out again (R170, R229)", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* one.say({ type: "hello", session_id: `${transport.name}-channel-session-1` })
      yield* one.next("status")
      yield* two.say({ type: "prompt", content: "go" })
      yield* two.next("task_completed")
      assert.deepStrictEqual(Array.from(new Set(two.events.map((event): string | undefined => event.session_id))), [
        `${transport.name}-channel-session-2`
      ])
      assert.strictEqual(one.facts().length, 0)
    }).pipe(Effect.scoped, Effect.provide(channelLayer(plain)))
  )
})

tellTheSame()
