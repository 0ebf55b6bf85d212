/** A token that is taken back lets nobody in any more, and whoever is in is out (R176, R241; attack W013). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { HEAD, stream } from "../support/fakeModelScript.ts"
import { makeSession, newToken, type Way, wayIn, welcome } from "../support/waysIn.ts"

const GONE = "unauthenticated"
const all: ReadonlyArray<Way> = ["tcp", "ws", "sse"]

describe("a revoked token", SIDE_BY_SIDE, () => {
  it.live("ends every connection, stream and detached task of it, and no other's; nothing new is let in", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const [lost, kept] = [yield* newToken(at, "ann"), yield* newToken(at, "ann")]
      at.model.script(stream(HEAD, "hang"))
      // Nothing here ends by waiting for it.
      const { ready } = yield* served(at, [], { CLAW_LIMIT_DETACH_MS: "3600000" })
      yield* makeSession(ready, kept.token)
      const others = all.map((way) => wayIn(way, ready, kept.token, { session_id: "s" }))
      const mine = all.map((way) => wayIn(way, ready, lost.token, { session_id: "s" }))
      for (const opened of [others, mine]) {
        assert.deepStrictEqual(
          yield* Effect.promise(() => Promise.all(opened.map(({ said }) => said))),
          all.map((way) => welcome[way])
        )
      }
      const detached = yield* nodeSocket(ready.http.url)
      detached.send({ type: "hello", token: lost.token, session_id: "d", detach: true })
      detached.send({ type: "prompt", content: "go" })
      yield* at.model.arrived(1)
      detached.send({ type: "close" })
      yield* detached.closed
      const revoked = yield* claw(["token", "revoke", lost.token_id], { env: at.env, cwd: at.workspace })
      assert.strictEqual(revoked.code, 0, revoked.stderr)
      const ends = yield* Effect.promise(() => Promise.all(mine.map(({ over }) => over)))
      assert.deepStrictEqual(ends, [GONE, GONE, undefined])
      yield* at.model.gone(1)
      for (const way of all) {
        assert.strictEqual(yield* Effect.promise(() => wayIn(way, ready, lost.token).said), GONE, way)
        assert.strictEqual(
          yield* Effect.promise(() => wayIn(way, ready, kept.token, { session_id: "s" }).said),
          welcome[way]
        )
      }
      const open = yield* Effect.promise(() =>
        Promise.race([...others.map(({ over }) => over), Promise.resolve("open")])
      )
      assert.strictEqual(open, "open")
    }).pipe(Effect.scoped)
  )
})
