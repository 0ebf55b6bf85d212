/** The registry of sessions: an id is absent, being made, present or ending, and never two of these. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { SessionKey } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { Journal } from "../../src/store/Journal.ts"
import { answer, turns } from "../support/engineKit.ts"
import { create, layer } from "../support/runtimeKit.ts"

const quick = layer({ script: () => turns(answer("ok")) })
const id = (name: string) => name as SessionId & SessionKey

describe("RuntimeManager", () => {
  it.effect("creates, lists, counts, gets and destroys (R060–R062, R293)", () =>
    Effect.gen(function* () {
      const manager = yield* RuntimeManager
      yield* Effect.forEach(Array.from({ length: 50 }), (_, i) => create(`s${i}`), { concurrency: "unbounded" })
      assert.strictEqual(yield* manager.count, 50)
      assert.strictEqual((yield* manager.get(id("s7"))).session_id, "s7")
      yield* Effect.forEach(yield* manager.list, manager.destroy, { concurrency: "unbounded" })
      assert.deepStrictEqual([yield* manager.count, yield* manager.list], [0, []])
      assert.strictEqual((yield* Effect.flip(manager.get(id("s7")))).code, "session_not_found")
      assert.strictEqual((yield* Effect.flip(manager.destroy(id("s7")))).code, "session_not_found")
    }).pipe(Effect.scoped, Effect.provide(quick))
  )

  it.effect("lets one of many concurrent creations of an id win (R063)", () =>
    Effect.gen(function* () {
      const tries = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.match(create("s1"), { onFailure: (error) => error.code, onSuccess: () => "made" }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(tries.filter((one) => one === "made").length, 1)
      assert.isTrue(tries.every((one) => ["made", "session_creating", "session_exists"].includes(one)))
    }).pipe(Effect.scoped, Effect.provide(quick))
  )

  it.effect("gives an id back when building fails, and refuses a stored one (R063)", () =>
    Effect.gen(function* () {
      const manager = yield* RuntimeManager
      assert.strictEqual((yield* Effect.flip(manager.open(id("gone")))).code, "session_not_found")
      yield* create("gone")
      yield* manager.destroy(id("gone"))
      assert.strictEqual((yield* Effect.flip(create("gone"))).code, "session_exists")
      assert.strictEqual((yield* manager.open(id("gone"))).session_id, "gone")
    }).pipe(Effect.scoped, Effect.provide(quick))
  )

  it.effect("awaits a task's end before the id can be built again (LESSONS 35)", () => {
    const [asked, ending, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slow = Effect.andThen(Deferred.succeed(ending, undefined), Deferred.await(go))
    const held = Stream.fromEffect(
      Effect.onInterrupt(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never), () => slow)
    )
    return Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const session = yield* create("s1")
      yield* session.prompt({ content: "go" })
      yield* Deferred.await(asked)
      const destroying = yield* Effect.forkChild(manager.destroy(id("s1")))
      yield* Deferred.await(ending)
      assert.deepStrictEqual(yield* manager.list, [])
      assert.strictEqual((yield* Effect.flip(manager.open(id("s1")))).code, "session_creating")
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(destroying)
      assert.strictEqual((yield* manager.open(id("s1"))).session_id, "s1")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(held) })))
  })

  it.effect("closes what ran when a process died: uncertain, and free for the next prompt (R049, R051, case H05)", () =>
    Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const journal = yield* Journal
      const session = yield* create("s1")
      yield* (yield* session.prompt({ content: "first" })).task!.await
      yield* manager.destroy(id("s1"))
      const tail = yield* journal.claim(id("s1"), "another process")
      const at = { task_id: "t" as never, turn: 1 }
      const bodies = [
        { type: "task_started", task_id: at.task_id, prompt_id: "p" as never, content: "check the build" },
        { type: "thinking", ...at, stream_id: "x" as never, reasoning_stream_id: "y" as never },
        {
          type: "text_completed",
          ...at,
          stream_id: "x" as never,
          content: "I will check.",
          finish_reason: "tool_calls"
        },
        { type: "tool_call", ...at, call_id: "call_k1" as never, tool_name: "bash", content: "{}", risk: "mutating" },
        { type: "tool_started", ...at, call_id: "call_k1" as never, attempt: 1 }
      ] as const
      const records = bodies.map((body, i) => ({
        pos: tail.pos + i + 1,
        seq: tail.seq + i + 1,
        event_id: `e${i}` as never,
        ts: "2026-01-01T00:00:00.000Z",
        body
      }))
      yield* journal.append(id("s1"), tail.epoch, records)
      const back = yield* manager.open(id("s1"))
      const state = yield* back.state
      assert.deepStrictEqual(
        [state.task, state.last?.status, state.last?.error?.code],
        [undefined, "failed", "interrupted_by_restart"]
      )
      const last = state.history.at(-1)
      assert.strictEqual(last?.kind === "answer" ? last.calls[0]?.result?.status : undefined, "uncertain")
      assert.strictEqual((yield* (yield* back.prompt({ content: "go on" })).task!.await).status, "completed")
    }).pipe(Effect.scoped, Effect.provide(quick))
  )
})
