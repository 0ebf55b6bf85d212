/** Whatever way somebody comes, its connections are counted together: TCP, WebSocket, event stream (R233, R237). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { makeSession, newToken, type Way, wayIn, welcome } from "../support/waysIn.ts"

const FULL = "too_many_connections"

describe("connections of one principal", SIDE_BY_SIDE, () => {
  const orders: ReadonlyArray<readonly [Way, Way, Way]> = [
    ["tcp", "ws", "sse"],
    ["sse", "tcp", "ws"],
    ["ws", "sse", "tcp"]
  ]
  for (const order of orders) {
    it.live(`have two places, whichever they are: ${order.join(", ")}`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        const [ann, bob] = [yield* newToken(at, "ann"), yield* newToken(at, "bob")]
        const { ready } = yield* served(at, [], { CLAW_LIMIT_CONNECTIONS_PER_PRINCIPAL: "2" })
        yield* makeSession(ready, ann.token)
        const said = (way: Way, who: string) => Effect.promise(() => wayIn(way, ready, who).said)
        const [first, second, third] = order
        assert.strictEqual(yield* said(first, ann.token), welcome[first])
        assert.strictEqual(yield* said(second, ann.token), welcome[second])
        for (const way of order) assert.strictEqual(yield* said(way, ann.token), FULL, way)
        if (third !== "sse") assert.strictEqual(yield* said(third, bob.token), welcome[third])
      }).pipe(Effect.scoped)
    )
  }
})
