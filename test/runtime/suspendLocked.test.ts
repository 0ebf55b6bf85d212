/** A suspension that a command keeps waiting is one all the same: nothing is cancelled by it (SETTLED 1, RELIABILITY 3.7). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { isTerminal } from "../../src/domain/Event.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { answer, call } from "../support/engineKit.ts"
import { layerHeld } from "../support/heldJournal.ts"
import { begin, stored } from "../support/restarts.ts"
import { byHistory, watch } from "../support/runtimeKit.ts"
import { waiting } from "../support/tools.ts"

const s1 = "s1" as SessionId

const ends = Effect.map(stored(s1), (events) => events.filter(isTerminal).map(({ type }) => type))

describe("suspending while a command has the session", () => {
  it.live("stops the task before that command has ended, and the end of the process cancels nothing", () => {
    const [held, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slow = waiting("slow")
    const options = { tools: [slow.tool], script: () => byHistory(answer("", [call("c1", "slow")]), answer("ok")) }
    return Effect.gen(function* () {
      const first = yield* begin(options)
      const session = yield* first.manager.create(s1, { workspace: "/" })
      yield* watch(session, { answers: true })
      yield* session.prompt({ content: "go" })
      yield* slow.begun
      const queued = yield* Effect.forkChild(Effect.exit(session.prompt({ content: "more", when_busy: "queue" })))
      yield* Deferred.await(held)
      // Its patience is over before the store goes on.
      assert.strictEqual((yield* Effect.timeoutOption(first.manager.suspendAll(1), 50))._tag, "None")
      const closing = yield* Effect.forkChild(Scope.close(first.scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      yield* Fiber.join(queued)
      assert.deepStrictEqual(yield* ends, [])
      const cancelled = (yield* stored(s1)).some(
        (event) => event.type === "tool_result" && /by the user/.test(event.result)
      )
      assert.isFalse(cancelled)
      const second = yield* begin(options)
      assert.strictEqual(yield* second.manager.resumeAll(), 1)
      yield* second.leave(0)
    }).pipe(Effect.scoped, Effect.provide(layerHeld({ type: "prompt_queued", held, go })))
  })

  it.live("asks a task that begins meanwhile to stop, too", () => {
    const [held, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const options = { script: () => byHistory(answer("ok")) }
    return Effect.gen(function* () {
      const first = yield* begin(options)
      const session = yield* first.manager.create(s1, { workspace: "/" })
      const prompted = yield* Effect.forkChild(Effect.exit(session.prompt({ content: "go" })))
      yield* Deferred.await(held)
      const leaving = yield* Effect.forkChild(first.leave(0), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(leaving)
      yield* Fiber.join(prompted)
      assert.deepStrictEqual(
        (yield* stored(s1)).map(({ type }) => type),
        ["task_started"]
      )
      const second = yield* begin(options)
      assert.strictEqual(yield* second.manager.resumeAll(), 1)
      yield* second.leave(0)
    }).pipe(Effect.scoped, Effect.provide(layerHeld({ type: "task_started", held, go })))
  })
})
