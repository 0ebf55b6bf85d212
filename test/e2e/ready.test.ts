/** `/readyz` of the built program: the model server's state is that of the last call, the store's that of a write (R270). */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { refusal, text } from "../support/fakeModelScript.ts"
import { canMount, smallDisk } from "../support/smallDisk.ts"

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

  const unstored = [503, { ready: false, reasons: ["storage_unavailable"] }] as const
  const becomes = (url: string, expected: readonly [number, object]) =>
    Effect.retry(
      Effect.flatMap(readiness(url), (found) =>
        JSON.stringify(found) === JSON.stringify(expected) ? Effect.void : Effect.fail(found)
      ),
      Schedule.spaced(50)
    )

  it.live("until its store is taken away, and again when it is back", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const { ready } = yield* served(at)
      const { url } = ready.http
      assert.deepStrictEqual(yield* readiness(url), [200, { ready: true }])
      const file = join(at.state, "claw.db")
      renameSync(file, `${file}.away`)
      yield* becomes(url, unstored)
      const socket = yield* nodeSocket(url)
      socket.send({ type: "prompt", content: "hi" })
      assert.deepInclude((yield* socket.event("error"))["error"], { code: "storage_unavailable", retryable: true })
      renameSync(`${file}.away`, file)
      yield* becomes(url, [200, { ready: true }])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!canMount)("until its store takes no write, and again when it does", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const disk = yield* smallDisk
      const { ready, running } = yield* served({ ...at, env: { ...at.env, CLAW_STATE_DIR: disk.directory } })
      const { url } = ready.http
      assert.deepStrictEqual(yield* readiness(url), [200, { ready: true }])
      yield* disk.fill(0)
      yield* becomes(url, unstored)
      yield* disk.free
      yield* becomes(url, [200, { ready: true }])
      running.signal("SIGTERM")
      yield* running.ended
    }).pipe(Effect.scoped)
  )
})
