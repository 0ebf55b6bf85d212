/** One message that waits makes its connection deaf to none of those behind it (R183, R188). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { layerHeld } from "../support/heldJournal.ts"
import { endless } from "../support/streams.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { probe } from "../support/tools.ts"
import { transports } from "../support/transports.ts"

const gate = (type: string) => ({ type, held: Deferred.makeUnsafe<void>(), go: Deferred.makeUnsafe<void>() })

describe.each(transports)("a message that waits, over $name", (transport) => {
  it.live(
    "is a prompt: heartbeats, questions about the state and an interrupt are heard; prompts keep their order",
    () => {
      const hold = gate("prompt_queued")
      return Effect.gen(function* () {
        const one = yield* client(transport)
        yield* one.say({ type: "hello", session_id: "s" })
        yield* one.say({ type: "prompt", content: "go" })
        yield* one.next("text_delta")
        for (const content of ["first", "second", "third"]) {
          yield* one.say({ type: "prompt", content, when_busy: "queue", idempotency_key: content })
        }
        yield* Deferred.await(hold.held)
        yield* one.say({ type: "ping", nonce: "n" })
        yield* one.next("pong", ({ nonce }) => nonce === "n")
        yield* one.say({ type: "status" })
        yield* one.next("status", ({ queue }) => queue.length === 0)
        yield* one.say({ type: "interrupt" })
        yield* one.next("state", ({ state }) => state === "cancelling")
        yield* Deferred.succeed(hold.go, undefined)
        yield* one.next("accepted", ({ idempotency_key }) => idempotency_key === "third")
        const said = one.events.flatMap((event) => (event.type === "accepted" ? [event.idempotency_key] : []))
        assert.deepStrictEqual(said, ["first", "second", "third"])
      }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a"), store: layerHeld(hold) })))
    }
  )

  it.live("is an answer: another one is heard, and a prompt", () => {
    const hold = gate("approval_resolved")
    const { tool } = probe({ risk: "mutating" })
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "s" })
      yield* one.say({ type: "prompt", content: "go" })
      const { request_id } = yield* one.next("approval_request")
      yield* one.say({ type: "approval_response", request_id, decision: "allow_once" })
      yield* Deferred.await(hold.held)
      yield* one.say({ type: "ping", nonce: "n" })
      yield* one.next("pong")
      yield* one.say({ type: "approval_response", request_id: "req_none", decision: "deny" })
      assert.strictEqual((yield* one.next("error")).error.code, "approval_not_found")
      yield* one.say({ type: "approval_response", request_id, decision: "deny" })
      assert.strictEqual((yield* one.next("error")).error.code, "approval_already_resolved")
      yield* one.say({ type: "prompt", content: "more" })
      assert.strictEqual((yield* one.next("error")).error.code, "session_busy")
      yield* Deferred.succeed(hold.go, undefined)
      yield* one.next("task_completed")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        channelLayer({
          tools: [tool],
          script: () => turns(answer("", [call("c1", "probe")]), answer("ok")),
          store: layerHeld(hold)
        })
      )
    )
  })

  it.live("is done before whoever sent it is gone, and few wait at a time", () => {
    const hold = gate("task_started")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "s", detach: true })
      yield* one.next("status")
      yield* one.say({ type: "prompt", content: "go", idempotency_key: "k" })
      yield* Deferred.await(hold.held)
      for (let n = 0; n < 32; n++) yield* one.say({ type: "prompt", content: "x", idempotency_key: `${n}` })
      const { error } = yield* one.next("error")
      assert.deepStrictEqual([error.code, error.retryable, error.retry_after_ms], ["rate_limited", true, 1000])
      assert.strictEqual(error.idempotency_key, "31")
      yield* one.say({ type: "close" })
      yield* Deferred.succeed(hold.go, undefined)
      yield* one.closed
      const two = yield* client(transport)
      yield* two.say({ type: "resume", session_id: "s" })
      const started = yield* two.next("task_started")
      assert.deepStrictEqual([started.content, started.idempotency_key], ["go", "k"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a"), store: layerHeld(hold) })))
  })
})

tellTheSame()
