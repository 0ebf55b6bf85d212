/** A session that is being copied is nobody's until it is whole (issue 3, fork; SETTLED 16). */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { newEventId, type SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import { answer, turns } from "../support/engineKit.ts"
import { manager } from "../support/runtimeKit.ts"

const id = "copy" as SessionId
const now = "2026-01-01T00:00:00.000Z"
const meta = { session_id: id, workspace: "/", title: "t", created_at: now, updated_at: now }
const records = [{ pos: 1, seq: 1, event_id: newEventId(), ts: now, body: { type: "cleared", up_to_seq: 0 } as const }]

/** A store whose copies wait for `go`, and then are written or refused. */
const gated = Effect.map(
  Effect.all({ begun: Deferred.make<void>(), go: Deferred.make<void, StoreError>() }),
  ({ begun, go }) => {
    const journal = Layer.effect(
      Journal,
      Effect.map(Journal, (given) =>
        Journal.of({
          ...given,
          append: (session, epoch, facts, as) =>
            as !== "copy"
              ? given.append(session, epoch, facts)
              : Effect.andThen(
                  Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)),
                  given.append(session, epoch, facts, as)
                )
        })
      )
    )
    const store = Layer.provideMerge(journal, layerMemory)
    const layer = manager({ script: () => turns(answer("ok")) }).pipe(Layer.provideMerge(store))
    return { begun, go, layer }
  }
)

const code = <A, R>(effect: Effect.Effect<A, { readonly code: string }, R>) =>
  Effect.match(effect, { onFailure: (error) => error.code, onSuccess: () => "done" })

it.live("whoever comes meanwhile is told that it is being made; then it is whole", () =>
  Effect.gen(function* () {
    const { begun, go, layer } = yield* gated
    yield* Effect.gen(function* () {
      const sessions = yield* RuntimeManager
      const copying = yield* Effect.forkChild(sessions.copy(meta, records), { startImmediately: true })
      yield* Deferred.await(begun)
      assert.strictEqual(yield* code(sessions.open(id)), "session_creating")
      assert.strictEqual(yield* code(sessions.create(id, { workspace: "/" })), "session_creating")
      assert.strictEqual(yield* code(sessions.copy(meta, records)), "session_creating")
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(copying)
      const session = yield* sessions.open(id)
      assert.strictEqual((yield* session.status).position, 1)
      assert.strictEqual(yield* code(sessions.copy(meta, records)), "session_exists")
      yield* session.prompt({ content: "go" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
)

it.live("one that could not be written is not there, and its id is free", () =>
  Effect.gen(function* () {
    const { go, layer } = yield* gated
    yield* Deferred.fail(go, new StoreError({ code: "storage_unavailable", operation: "append", detail: "full" }))
    yield* Effect.gen(function* () {
      const sessions = yield* RuntimeManager
      assert.strictEqual(yield* code(sessions.copy(meta, records)), "storage_unavailable")
      assert.strictEqual(yield* code(sessions.open(id)), "session_not_found")
      yield* sessions.create(id, { workspace: "/" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
)
