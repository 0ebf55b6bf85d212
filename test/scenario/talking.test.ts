/** The smallest conversations: no handshake, a task from prompt to its end, questions about nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

const layer = () => channelLayer({ script: () => turns(answer("Hello")) })

describe.each(transports)("talking over $name", (transport) => {
  it.live("a prompt alone is answered, every event with its session (R188, R189, R210)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "read the README" })
      yield* one.next("task_completed")
      const types = "status task_started state state thinking text_delta text_completed usage task_completed"
      assert.strictEqual(one.events.map(({ type }) => type).join(" "), types)
      assert.deepStrictEqual(Array.from(new Set(one.events.map((event): string | undefined => event.session_id))), [
        `${transport.name}-channel-session-1`
      ])
      assert.deepStrictEqual(
        one.facts().map(({ seq }) => seq),
        [1, 2, 3, 4, 5]
      )
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("ping is answered with its nonce, pong with nothing, close with 1000 (R192, R193)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "pong" })
      yield* one.say({ type: "ping", nonce: "7" })
      yield* one.next("pong", ({ nonce }) => nonce === "7")
      yield* one.say({ type: "close" })
      const { code } = yield* one.closed
      if (code !== undefined) assert.strictEqual(code, 1000)
      assert.deepStrictEqual(
        one.events.map(({ type }) => type),
        ["pong"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )
})

tellTheSame()
