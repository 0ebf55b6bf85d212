/** A hello that is wrong beside its token is told what is wrong, and nobody else is (R176, R241, PROTOCOL §1). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { channelLayer, client } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { signing } from "../support/signing.ts"
import { transports } from "../support/transports.ts"

const layer = () => channelLayer({ script: () => turns(answer("ok")), authenticator: signing() })

const wrong: ReadonlyArray<readonly [fields: object, code: string]> = [
  [{ after: { seq: -1 } }, "bad_message"],
  [{ after: { seq: 1.5 } }, "bad_message"],
  [{ after: { seq: "3" } }, "bad_message"],
  [{ after: null }, "bad_message"],
  [{ after: { seq: 0, offset: -1 } }, "bad_message"],
  [{ session_id: "a b" }, "bad_message"],
  [{ detach: "yes" }, "bad_message"],
  [{ client: "me" }, "bad_message"],
  [{ create: { mode: "plann" } }, "bad_message"],
  [{ x: "\ud800" }, "bad_message"],
  [{ v: 2 }, "unsupported_version"]
]

describe.each(transports)("a wrong hello over $name", (transport) => {
  for (const [fields, code] of wrong) {
    it.live(`with a good token is told what is wrong and may be said again: ${JSON.stringify(fields)}`, () =>
      Effect.gen(function* () {
        const one = yield* client(transport)
        yield* one.say({ type: "hello", token: "good", session_id: "mine", ...fields })
        yield* one.say({ type: "prompt", content: "go" })
        assert.strictEqual((yield* one.next("error")).error.code, code)
        assert.strictEqual((yield* one.next("error")).error.code, code)
        assert.strictEqual(yield* Effect.flatMap(RuntimeManager, (manager) => manager.count), 0)
        yield* one.say({ type: "hello", token: "good", session_id: "mine" })
        yield* one.say({ type: "prompt", content: "go" })
        assert.strictEqual((yield* one.next("task_completed")).session_id, "mine")
      }).pipe(Effect.scoped, Effect.provide(layer()))
    )

    it.live(`without one says no more than that it needs one: ${JSON.stringify(fields)}`, () =>
      Effect.gen(function* () {
        for (const token of ["bad", "", 7, null, undefined, "x".repeat(16_385)]) {
          const one = yield* client(transport)
          yield* one.say({ type: "hello", token, session_id: "mine", ...fields })
          yield* one.next("error")
          yield* one.closed
          assert.deepStrictEqual(
            one.events.map((event) => (event.type === "error" ? event.error.code : event.type)),
            ["unauthenticated"],
            String(token)
          )
        }
      }).pipe(Effect.scoped, Effect.provide(layer()))
    )
  }

  it.live("is no other message with a token in it, nor one that is not read", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(40)}${"]".repeat(40)}`
      for (const text of [
        '{"type":"prompt","token":"good","content":""}',
        '{"type":"helo","token":"good"}',
        '{"token":"good"}',
        '{"type":"hello","token":"good"',
        `{"type":"hello","token":"good","x":${deep}}`
      ]) {
        const one = yield* client(transport)
        yield* one.raw(text)
        assert.strictEqual((yield* one.next("error")).error.code, "unauthenticated", text)
        yield* one.closed
      }
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )
})

tellTheSame()
