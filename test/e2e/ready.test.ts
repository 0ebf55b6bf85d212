/** `/readyz` of the built program: the model server's state is that of the last call, the store's that of a write (R270). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { refusal, text } from "../support/fakeModelScript.ts"

const readiness = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/readyz`)
    return [response.status, await response.json()] as const
  })

describe("claw serve is ready", SIDE_BY_SIDE, () => {
  it.live("until a call finds the key refused, and again when one is answered", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const { ready } = yield* served(at)
      const { url } = ready.http
      assert.deepStrictEqual(yield* readiness(url), [200, { ready: true }])
      const socket = yield* nodeSocket(url)
      at.model.script(refusal(401, { message: "no" }), text("hello", 2))
      socket.send({ type: "prompt", content: "hi" })
      yield* socket.event("task_failed")
      assert.deepStrictEqual(yield* readiness(url), [503, { ready: false, reasons: ["provider_auth"] }])
      socket.send({ type: "prompt", content: "hi" })
      yield* socket.event("task_completed")
      assert.deepStrictEqual(yield* readiness(url), [200, { ready: true }])
      assert.strictEqual(at.model.requests().length, 2)
    }).pipe(Effect.scoped)
  )
})
