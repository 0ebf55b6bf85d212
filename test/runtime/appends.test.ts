/** What is committed together, and what is not seen before: each append reaches a watcher as one array. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { messages } from "../../src/domain/History.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { answer, call, completed, text, turns } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const isShown = (event: SessionEvent) => "seq" in event || event.type === "text_delta"

/** The types of each array that a watcher is given, states left out. */
const appends = Effect.fnUntraced(function* (session: SessionRuntime) {
  const seen: Array<string> = []
  const sink = (events: ReadonlyArray<SessionEvent>) => {
    const types = events.filter(isShown).map((event) => event.type)
    if (types.length > 0) seen.push(types.join(" "))
  }
  yield* session.subscribe({ sink })
  return seen
})

const toolTurn = answer("", [call("c1", "probe")])

describe("appends of a task", () => {
  it.effect("a tool turn without a person costs two, and its intent is in the first (DESIGN idea 5)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* appends(session)
      yield* (yield* session.prompt({ content: "go" })).task!.await
      assert.deepStrictEqual(seen, [
        "task_started",
        "thinking text_completed usage tool_call approval_resolved tool_started",
        "tool_result",
        "thinking",
        "text_delta",
        "text_completed usage",
        "task_completed"
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ tools: [probe().tool], script: () => turns(toolTurn, answer("done")) }))
    )
  )

  it.effect("a turn that only looks costs one: nothing happens that its intent would have to come before", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* appends(session)
      yield* (yield* session.prompt({ content: "go" })).task!.await
      assert.deepStrictEqual(seen.slice(0, 3), [
        "task_started",
        "thinking text_completed usage tool_call approval_resolved tool_started tool_result",
        "thinking"
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ tools: [probe({ effect: "pure" }).tool], script: () => turns(toolTurn, answer("done")) }))
    )
  )

  it.effect(
    "a look that takes its time is seen to begin, and what it prints comes behind that (PROTOCOL ordering 2)",
    () => {
      const [looking, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const run: NonNullable<Parameters<typeof probe>[0]>["run"] = (_, { emit }) =>
        Effect.gen(function* () {
          emit("so far")
          yield* Deferred.succeed(looking, undefined)
          yield* Deferred.await(go)
          emit(" and more")
          return { content: "found" }
        })
      return Effect.gen(function* () {
        const session = yield* create("s1")
        const watched = yield* watch(session)
        const { task } = yield* session.prompt({ content: "go" })
        yield* Deferred.await(looking)
        const isOfCall = ({ type }: SessionEvent) => type.startsWith("tool_")
        assert.deepStrictEqual(watched.events.filter(isOfCall), [])
        yield* TestClock.adjust("50 millis")
        yield* watched.until("tool_output_delta")
        yield* Deferred.succeed(go, undefined)
        yield* task!.await
        assert.deepStrictEqual(
          watched.events
            .filter(isOfCall)
            .map((event) => (event.type === "tool_output_delta" ? event.content : event.type)),
          ["tool_call", "tool_started", "so far", " and more", "tool_result"]
        )
      }).pipe(
        Effect.scoped,
        Effect.provide(
          layer({ tools: [probe({ effect: "pure", run }).tool], script: () => turns(toolTurn, answer("done")) })
        )
      )
    }
  )

  it.effect(
    "a model that lets wait is announced; the fact keeps the time at which the turn began (PROTOCOL ordering 2)",
    () => {
      const [asked, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const silent = Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(go)))
      return Effect.gen(function* () {
        const session = yield* create("s1")
        const seen = yield* appends(session)
        const watched = yield* watch(session)
        const { task } = yield* session.prompt({ content: "go" })
        yield* Deferred.await(asked)
        const before = Date.now()
        while (Date.now() === before) yield* Effect.yieldNow
        assert.deepStrictEqual(seen, ["task_started"])
        yield* TestClock.adjust("50 millis")
        assert.deepStrictEqual(seen, ["task_started", "thinking"])
        assert.isAtMost(Date.parse((yield* watched.until("thinking")).ts), before)
        yield* Deferred.succeed(go, undefined)
        yield* task!.await
        assert.deepStrictEqual(seen.slice(2), ["text_delta", "text_completed usage", "task_completed"])
      }).pipe(
        Effect.scoped,
        Effect.provide(
          layer({ script: () => turns(Stream.concat(silent, Stream.fromArray([...text("a"), completed("a")]))) })
        )
      )
    }
  )

  it.effect("an interrupt while calls are checked keeps the answer, each call with one result (R029, R040)", () => {
    const checking = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* appends(session)
      const { task } = yield* session.prompt({ content: "go" })
      yield* Deferred.await(checking)
      yield* session.interrupt()
      assert.strictEqual((yield* task!.await).status, "canceled")
      assert.deepStrictEqual(seen, [
        "task_started",
        "thinking text_completed usage tool_call tool_result task_canceled"
      ])
      assert.deepStrictEqual(violations(messages(yield* session.state)), [])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layer({
          tools: [probe().tool],
          script: () => turns(toolTurn),
          checking: Effect.andThen(Deferred.succeed(checking, undefined), Effect.never)
        })
      )
    )
  })

  it.effect("a question is asked of calls that are stored, in one append with them (PROTOCOL ordering 3)", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* appends(session)
      const watched = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      const { request_id } = yield* watched.until("approval_request")
      yield* session.answer({ request_id, decision: "allow_once" })
      yield* task!.await
      assert.deepStrictEqual(seen.slice(1, 4), [
        "thinking text_completed usage tool_call approval_request",
        "approval_resolved",
        "tool_started"
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layer({ tools: [probe({ risk: "mutating" }).tool], script: () => turns(toolTurn, answer("done")) })
      )
    )
  )
})
