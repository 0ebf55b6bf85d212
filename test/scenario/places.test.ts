/** Whoever signs in by its first message is counted as its principal, on every transport (R180, R233). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { channelLayer, client } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { signing } from "../support/signing.ts"
import { transports } from "../support/transports.ts"

/** The token names the user. */
const named = signing({ who: (user) => ({ ...localPrincipal, user, name: user }) })

describe.each(transports)("places over $name", (transport) => {
  it.live("one too many of a principal is told so; others, and the next after one has left, are not", () =>
    Effect.gen(function* () {
      const signIn = (token: string) => Effect.tap(client(transport), (one) => one.say({ type: "hello", token }))
      const first = yield* signIn("ann")
      yield* first.next("hello")
      yield* (yield* signIn("ann")).next("hello")
      const third = yield* signIn("ann")
      assert.strictEqual((yield* third.next("error")).error.code, "too_many_connections")
      yield* third.closed
      yield* (yield* signIn("bob")).next("hello")
      yield* first.say({ type: "close" })
      yield* first.closed
      yield* (yield* signIn("ann")).next("hello")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        channelLayer({
          script: () => turns(answer("ok")),
          authenticator: named,
          limit: { connections_per_principal: 2 }
        })
      )
    )
  )

  it.live("a connection takes one, however often it signs in, and is nobody else's from then on", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      const hello = { type: "hello", session_id: "s", token: "ann" }
      yield* one.say({ ...hello, after: null })
      assert.strictEqual((yield* one.next("error")).error.code, "bad_message")
      yield* one.say({ ...hello, token: "bob" })
      assert.strictEqual((yield* one.next("error")).error.code, "forbidden")
      yield* one.say(hello)
      assert.strictEqual((yield* one.next("hello")).principal?.user, "ann")
      const other = yield* client(transport)
      yield* other.say({ type: "hello", token: "bob" })
      yield* other.next("hello")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        channelLayer({
          script: () => turns(answer("ok")),
          authenticator: named,
          limit: { connections_per_principal: 1 }
        })
      )
    )
  )
})

tellTheSame()
