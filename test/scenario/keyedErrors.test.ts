/** Whatever refuses a prompt with a key names the key, so that who sends several at once knows which one is meant (R190, R215). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { held } from "../support/streams.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

const keyed = (idempotency_key: string, more: object = {}) => ({
  type: "prompt",
  content: "go",
  idempotency_key,
  ...more
})
const error = (one: Client) =>
  Effect.map(one.next("error"), ({ error: { code, idempotency_key } }) => [code, idempotency_key])

describe.each(transports)("an error over $name", (transport) => {
  it.live("names the key of each of many prompts on the way, whatever each is refused for", () => {
    const stream = held("a", "b")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say(keyed("k1"))
      yield* one.next("text_delta")
      for (const message of [
        keyed("k2"),
        keyed("k1", { content: "other" }),
        keyed("k3", { content: " " }),
        keyed("k4", { when_busy: "wait" }),
        keyed("k5", { v: 2 }),
        { type: "prompt", content: "go" },
        keyed("", {}),
        keyed("x".repeat(257))
      ]) {
        yield* one.say(message)
      }
      const told = []
      for (let n = 0; n < 8; n++) told.push(yield* error(one))
      assert.deepStrictEqual(told, [
        ["session_busy", "k2"],
        ["idempotency_conflict", "k1"],
        ["bad_message", "k3"],
        ["bad_message", "k4"],
        ["unsupported_version", "k5"],
        ["session_busy", undefined],
        ["bad_message", undefined],
        ["bad_message", undefined]
      ])
      yield* (yield* Channels).drain(Date.now() + 60_000)
      yield* one.say(keyed("k6"))
      assert.deepStrictEqual(yield* error(one), ["server_draining", "k6"])
      yield* stream.go
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => stream.stream })))
  })

  it.live("names it where the prompt is not theirs to say, has no session, or comes too often", () =>
    Effect.gen(function* () {
      const viewer = yield* client(transport, { ...localPrincipal, role: "viewer", name: "v" })
      yield* viewer.say(keyed("k1"))
      assert.deepStrictEqual(yield* error(viewer), ["forbidden", "k1"])
      const one = yield* client(transport)
      yield* one.say({ type: "resume", session_id: "none" })
      yield* one.say(keyed("k2"))
      assert.deepStrictEqual(yield* error(one), ["session_not_found", undefined])
      assert.deepStrictEqual(yield* error(one), ["session_not_found", "k2"])
      yield* one.say({ type: "hello", session_id: "mine" })
      yield* one.say(keyed("k3"))
      yield* one.next("task_completed")
      yield* one.say(keyed("k4"))
      assert.deepStrictEqual(yield* error(one), ["rate_limited", "k4"])
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => turns(answer("ok")), limit: { prompts_per_minute: 1 } }))
    )
  )
})

tellTheSame()
