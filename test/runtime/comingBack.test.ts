/** Whoever asks for a session while it is brought back for somebody else waits for it (R063, RELIABILITY 3.5). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SessionId } from "../../src/domain/Ids.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { answer } from "../support/engineKit.ts"
import { begin } from "../support/restarts.ts"
import { byHistory } from "../support/runtimeKit.ts"
import { endless } from "../support/streams.ts"

const s1 = "s1" as SessionId

interface Gate {
  asked: Deferred.Deferred<void> | undefined
  readonly go: Deferred.Deferred<void>
}

/** A store that takes its time to give a session away, once somebody waits for it. */
const layerSlow = (gate: Gate) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (journal) =>
      Journal.of({
        ...journal,
        claim: (...args) =>
          Effect.suspend(() => {
            const claim = journal.claim(...args)
            if (gate.asked === undefined) return claim
            Deferred.doneUnsafe(gate.asked, Effect.void)
            return Effect.andThen(Deferred.await(gate.go), claim)
          })
      })
    )
  ).pipe(Layer.provideMerge(layerMemory))

const stopped = Effect.fnUntraced(function* (gate: Gate) {
  const first = yield* begin({ script: () => () => endless("a") })
  const session = yield* first.manager.create(s1, { workspace: "/" })
  yield* session.prompt({ content: "go" })
  yield* first.leave(0)
  gate.asked = Deferred.makeUnsafe()
  const second = yield* begin({ script: () => byHistory(answer("ok")) })
  const resuming = yield* Effect.forkChild(second.manager.resumeAll(), { startImmediately: true })
  yield* Deferred.await(gate.asked)
  return { ...second, resuming }
})

const gated = (use: (gate: Gate) => Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof stopped>>>) => {
  const gate: Gate = { asked: undefined, go: Deferred.makeUnsafe() }
  return use(gate).pipe(Effect.scoped, Effect.provide(layerSlow(gate)))
}

describe("a session that is being brought back", () => {
  it.effect("is waited for, and is one", () =>
    gated((gate) =>
      Effect.gen(function* () {
        const { manager, resuming, leave } = yield* stopped(gate)
        const coming = [yield* Effect.forkChild(manager.open(s1, { recover: true }), { startImmediately: true })]
        coming.push(yield* Effect.forkChild(manager.open(s1), { startImmediately: true }))
        yield* Deferred.succeed(gate.go, undefined)
        assert.strictEqual(yield* Fiber.join(resuming), 1)
        const there = yield* manager.get(s1)
        for (const one of coming) assert.strictEqual(yield* Fiber.join(one), there)
        yield* leave(0)
      })
    )
  )

  it.effect("is not waited for without end", () =>
    gated((gate) =>
      Effect.gen(function* () {
        const { manager, resuming } = yield* stopped(gate)
        const coming = yield* Effect.forkChild(Effect.flip(manager.open(s1)), { startImmediately: true })
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual((yield* Fiber.join(coming)).code, "session_creating")
        yield* Fiber.interrupt(resuming)
      })
    )
  )
})
