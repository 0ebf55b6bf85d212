/** Prompts while a task runs, and prompts that are sent twice (SETTLED 11, R190). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { held } from "../support/streams.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

describe.each(transports)("prompts over $name", (transport) => {
  it.live("busy is said, queued waits its turn or is taken back (R190)", () => {
    const first = held("a", "b")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("text_delta")
      yield* one.say({ type: "prompt", content: "2" })
      const busy = yield* one.next("error")
      assert.deepStrictEqual([busy.error.code, busy.error.retryable], ["session_busy", true])
      yield* one.say({ type: "prompt", content: "2", when_busy: "queue" })
      const { prompt_id } = yield* one.next("prompt_queued")
      yield* one.say({ type: "unqueue", prompt_id })
      yield* one.next("prompt_unqueued")
      yield* one.say({ type: "unqueue", prompt_id })
      assert.strictEqual((yield* one.next("error")).error.code, "prompt_not_found")
      yield* one.say({ type: "prompt", content: "3", when_busy: "queue" })
      yield* one.next("prompt_queued")
      yield* one.say({ type: "status" })
      const { queue } = yield* one.next("status")
      assert.deepStrictEqual(
        queue.map(({ content, mode }) => [content, mode]),
        [["3", "queue"]]
      )
      yield* first.go
      yield* one.next("task_completed")
      assert.strictEqual((yield* one.next("task_started")).content, "3")
      yield* one.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => turns(first.stream, answer("ok")) })))
  })

  it.live("a key is accepted once and told again, with the first task's id (PROTOCOL §1)", () => {
    const stream = held("a", "b")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      const message = { type: "prompt", content: "1", idempotency_key: "k" }
      yield* one.say(message)
      const first = yield* one.next("accepted")
      assert.deepStrictEqual([first.idempotency_key, first.duplicate], ["k", undefined])
      yield* stream.go
      yield* one.next("task_completed")
      yield* one.say(message)
      const again = yield* one.next("accepted")
      assert.deepStrictEqual([again.task_id, again.duplicate], [first.task_id, true])
      yield* one.say({ ...message, content: "other" })
      assert.strictEqual((yield* one.next("error")).error.code, "idempotency_conflict")
      assert.strictEqual(one.facts().filter(({ type }) => type === "task_started").length, 1)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => stream.stream })))
  })

  it.live("a key whose prompt was taken back is told that there is none, and starts nothing (PROTOCOL §1)", () => {
    const first = held("a", "b")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("text_delta")
      const message = { type: "prompt", content: "2", idempotency_key: "k", when_busy: "queue" }
      yield* one.say(message)
      const { prompt_id } = yield* one.next("accepted")
      yield* one.say({ type: "unqueue", prompt_id })
      yield* one.next("prompt_unqueued")
      for (const busy of [true, false]) {
        if (!busy) {
          yield* first.go
          yield* one.next("task_completed")
        }
        yield* one.say(message)
        const { error } = yield* one.next("error")
        assert.deepStrictEqual([error.code, error.idempotency_key, error.retryable], ["prompt_not_found", "k", false])
      }
      yield* one.say({ type: "prompt", content: "3" })
      yield* one.next("task_completed")
      const started = one.facts().flatMap((event) => (event.type === "task_started" ? [event.content] : []))
      assert.deepStrictEqual(started, ["1", "3"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => turns(first.stream, answer("ok")) })))
  })

  it.live("what cannot be read is answered and the connection lives (LESSONS 39)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      for (const [text, code] of [
        ["nonsense", "bad_json"],
        ['{"type":"prompt"}', "bad_message"],
        ['{"type":"dance"}', "unknown_type"],
        ['{"type":"ping","v":2}', "unsupported_version"],
        ['{"type":"command","name":"compact"}', "nothing_to_compact"],
        ['{"type":"interrupt"}', "no_task"]
      ] as const) {
        yield* one.raw(text)
        assert.strictEqual((yield* one.next("error")).error.code, code, text)
      }
      yield* one.say({ type: "command", name: "rename", title: "new" })
      yield* one.next("status", ({ title }) => title === "new")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => turns(answer("ok")) })))
  )
})

tellTheSame()
