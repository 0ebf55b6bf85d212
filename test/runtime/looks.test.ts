/** Looks whose beginning is put off: what watchers are shown of them, and when (PROTOCOL ordering 2). */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const short = probe({
  name: "short",
  effect: "pure",
  run: (_, { emit }) => Effect.sync(() => (emit("all of it"), { content: "all of it" }))
})

it.effect("what a look printed that is over comes never behind its result, though another still looks", () => {
  const go = Deferred.makeUnsafe<void>()
  const long = probe({
    name: "long",
    effect: "pure",
    run: (_, { emit }) =>
      Effect.sync(() => emit("so far")).pipe(Effect.andThen(Deferred.await(go)), Effect.as({ content: "found" }))
  })
  const script = () => turns(answer("", [call("c1", "short"), call("c2", "long")]), answer("done"))
  return Effect.gen(function* () {
    const session = yield* create("s1")
    const watched = yield* watch(session)
    const { task } = yield* session.prompt({ content: "go" })
    yield* watched.until("tool_result")
    yield* TestClock.adjust("50 millis")
    yield* watched.until("tool_output_delta")
    yield* Deferred.succeed(go, undefined)
    yield* task!.await
    const toolEvent = (event: SessionEvent) =>
      event.type === "tool_started" || event.type === "tool_output_delta" || event.type === "tool_result"
        ? [`${event.type} ${event.call_id}`]
        : []
    assert.deepStrictEqual(watched.events.flatMap(toolEvent), [
      "tool_started c1",
      "tool_result c1",
      "tool_started c2",
      "tool_output_delta c2",
      "tool_result c2"
    ])
  }).pipe(Effect.scoped, Effect.provide(layer({ tools: [short.tool, long.tool], script })))
})
