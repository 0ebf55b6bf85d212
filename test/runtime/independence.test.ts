/** Sessions of one process share a model and nothing else: history, grants, approvals, tasks are each one's own. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Grant } from "../../src/domain/Approval.ts"
import { messages } from "../../src/domain/History.ts"
import type { GrantId, SessionId } from "../../src/domain/Ids.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { answer, turns } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"

describe("sessions", () => {
  it.effect("run side by side; each model request holds its own history only (R054, R067–R069, R133)", () => {
    const asked = new Map<string, Array<ModelRequest>>()
    const script = (id: string) => (request: ModelRequest) => {
      asked.set(id, [...(asked.get(id) ?? []), request])
      return answer(`answer of ${id}`)
    }
    return Effect.gen(function* () {
      const ids = ["a", "b", "c"]
      const sessions = yield* Effect.forEach(ids, create)
      const prompts = sessions.flatMap((session) => [1, 2].map((n) => ({ session, n })))
      for (const n of [1, 2]) {
        yield* Effect.forEach(
          prompts.filter((prompt) => prompt.n === n),
          ({ session }) =>
            Effect.flatMap(session.prompt({ content: `${session.session_id} ${n}` }), ({ task }) => task!.await),
          { concurrency: "unbounded" }
        )
      }
      for (const id of ids) {
        const texts = asked
          .get(id)
          ?.at(-1)
          ?.messages.slice(1)
          .map((message) => message.content)
        assert.deepStrictEqual(texts, [`${id} 1`, `answer of ${id}`, `${id} 2`])
      }
    }).pipe(Effect.scoped, Effect.provide(layer({ script })))
  })

  it.effect("an interrupt in one leaves the other's task and text alone (R059, R064, R133, R134, R328, R329)", () => {
    const [hung, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const held = Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(hung, undefined), Effect.never))
    const waits = Stream.concat(Stream.fromEffectDrain(Deferred.await(go)), answer("B"))
    return Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const [a, b] = [yield* create("a"), yield* create("b")]
      const seen = yield* watch(b)
      const first = yield* a.prompt({ content: "a" })
      const second = yield* b.prompt({ content: "b" })
      yield* Deferred.await(hung)
      yield* manager.destroy("a" as SessionId)
      assert.strictEqual((yield* first.task!.await).status, "canceled")
      assert.strictEqual(yield* second.task!.status, "running")
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* second.task!.await).status, "completed")
      assert.deepStrictEqual(
        messages(yield* b.state).map((message) => message.content),
        ["b", "B"]
      )
      assert.isTrue(seen.events.every((event) => event.session_id === "b"))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: (id) => turns(id === "a" ? held : waits) })))
  })

  it.effect("say what they are doing, in the words every layer uses (R041, R043)", () => {
    const [hung, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const waits = Effect.andThen(Deferred.succeed(hung, undefined), Deferred.await(go))
    return Effect.gen(function* () {
      const session = yield* create("s1")
      assert.deepStrictEqual([(yield* session.status).state, (yield* session.status).task], ["idle", undefined])
      const { task } = yield* session.prompt({ content: "A title\nand more" })
      yield* Deferred.await(hung)
      yield* TestClock.adjust("50 millis")
      const running = yield* session.status
      assert.deepStrictEqual(
        [running.state, running.task, running.meta.title, running.model, running.mode],
        ["waiting_response", { task_id: task!.task_id, turn: 1 }, "A title", "scripted", "ask"]
      )
      assert.strictEqual(yield* task!.status, "running")
      yield* Deferred.succeed(go, undefined)
      const end = yield* task!.await
      const state = yield* session.state
      assert.deepStrictEqual(
        [end.status, yield* task!.status, state.last?.status],
        ["completed", "completed", "completed"]
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(Stream.concat(Stream.fromEffectDrain(waits), answer("ok"))) }))
    )
  })

  it.effect("a grant of one is never another's, and ends at its time (R155, R161)", () =>
    Effect.gen(function* () {
      const store = yield* GrantStore
      const grant = (id: string, expires_at: string): Grant => ({
        grant_id: id as GrantId,
        tool_name: "bash",
        matcher: { kind: "exact", digest: "d" },
        workspace: "/",
        created_at: "1970-01-01T00:00:00.000Z",
        expires_at
      })
      const [a, b] = ["a" as SessionId, "b" as SessionId]
      yield* store.save(a, grant("lasting", "1970-01-02T00:00:00.000Z"))
      yield* store.save(a, grant("over", "1970-01-01T00:00:00.000Z"))
      const found = (session: SessionId) =>
        Effect.map(store.active(session, "bash"), (all) => all.map((one) => one.grant_id))
      assert.deepStrictEqual([yield* found(a), yield* found(b)], [["lasting"], []])
      assert.isFalse(yield* store.revoke(b, "lasting" as GrantId))
      assert.isTrue(yield* store.revoke(a, "lasting" as GrantId))
      assert.deepStrictEqual(yield* found(a), [])
    }).pipe(Effect.provide(layerMemory))
  )
})
