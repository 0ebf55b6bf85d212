/** Watching a session: replay and live join without gap or overlap; open streams are caught up. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { answer, call, completed, text, turns } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const seqs = (events: ReadonlyArray<{ readonly seq: number }>) => events.map((event) => event.seq)

describe("subscribe", () => {
  it.effect("replays from a position and goes on live, every seq once (R215, R300)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const all = yield* watch(session)
      yield* (yield* session.prompt({ content: "one" })).task!.await
      const late = yield* watch(session, { after: { seq: 2 } })
      yield* (yield* session.prompt({ content: "two" })).task!.await
      assert.deepStrictEqual(
        seqs(all.facts()),
        Array.from({ length: 10 }, (_, i) => i + 1)
      )
      assert.deepStrictEqual(late.facts(), all.facts().slice(2))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )

  it.effect("misses and repeats nothing when it joins at any moment of a task", () =>
    Effect.gen(function* () {
      for (let steps = 0; steps < 60; steps++) {
        const session = yield* create(`s${steps}`)
        const all = yield* watch(session, { after: { seq: 0 } })
        const { task } = yield* session.prompt({ content: "go" })
        for (let i = 0; i < steps; i++) yield* Effect.yieldNow
        const late = yield* watch(session, { after: { seq: 0 } })
        yield* task!.await
        assert.deepStrictEqual(late.facts(), all.facts(), `joined after ${steps} steps`)
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layer({ tools: [probe().tool], script: () => turns(answer("a", [call("c1", "probe")]), answer("b")) })
      )
    )
  )

  it.effect("catches up an open stream from the offset the watcher has (R046)", () => {
    const [shown, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const held = Stream.concat(
      Stream.fromArray<ModelPart>(text("Hello ")),
      Stream.concat(
        Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(shown, undefined), Deferred.await(go))),
        Stream.fromArray<ModelPart>([...text("world"), completed("Hello world")])
      )
    )
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const { task } = yield* session.prompt({ content: "hi" })
      yield* Deferred.await(shown)
      const stream_id = (yield* session.state).task!.stream!.stream_id
      const fresh = yield* watch(session, { after: { seq: 0 } })
      const known = yield* watch(session, { after: { seq: 2, stream_id, offset: 4 } })
      yield* Deferred.succeed(go, undefined)
      yield* task!.await
      const deltas = (events: typeof fresh.events) =>
        events.flatMap((event) => (event.type === "text_delta" ? [[event.offset, event.content]] : []))
      assert.deepStrictEqual(deltas(fresh.events), [
        [0, "Hello "],
        [6, "world"]
      ])
      assert.deepStrictEqual(deltas(known.events), [
        [4, "o "],
        [6, "world"]
      ])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(held) })))
  })

  it.effect("refuses a position that does not exist yet", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const refused = yield* Effect.flip(session.subscribe({ after: { seq: 1 }, sink: () => {} }))
      assert.strictEqual(refused.code, "position_ahead")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )

  it.effect("a session brought back has the same state and history (R044, R045, R316)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      yield* (yield* session.prompt({ content: "My name is Ada." })).task!.await
      yield* (yield* session.prompt({ content: "And now?" })).task!.await
      const state = yield* session.state
      assert.deepStrictEqual(
        state.history.map((item) => (item.kind === "prompt" ? item.content : item.kind)),
        ["My name is Ada.", "answer", "And now?", "answer"]
      )
      yield* session.clear
      assert.deepStrictEqual([(yield* session.state).history, (yield* session.state).usage], [[], state.usage])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )
})
