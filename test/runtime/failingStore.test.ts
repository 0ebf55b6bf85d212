/** A task whose store fails it: told, answerable, and consistent once the store is back (R332; RELIABILITY 3.4). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type DurableEvent, isTerminal } from "../../src/domain/Event.ts"
import { messages } from "../../src/domain/History.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { answer, call } from "../support/engineKit.ts"
import { type Disk, type Fault, layerFailing } from "../support/failingJournal.ts"
import { violations } from "../support/history.ts"
import { answering, stored } from "../support/restarts.ts"
import { byHistory, create, manager, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const s1 = "s1" as SessionId

const world = (disk: Disk) => {
  const ask = probe({ name: "ask", risk: "mutating" })
  const look = probe({ name: "look", effect: "pure" })
  const script = () => byHistory(answer("one", [call("c1", "look"), call("c2", "ask")]), answer("done"))
  const layer = manager({ tools: [ask.tool, look.tool], script }).pipe(Layer.provideMerge(layerFailing(disk)))
  return { layer, ask }
}

const begun = ({ log }: { readonly log: ReadonlyArray<string> }) => log.length / 2

const asked = Effect.fnUntraced(function* () {
  const session = yield* create("s1")
  const watched = yield* watch(session, { answers: true })
  yield* session.prompt({ content: "go" })
  const { request_id } = yield* watched.until("approval_request")
  return { session, watched, given: { request_id, decision: "allow_once" } as const }
})

const count = (facts: ReadonlyArray<DurableEvent>, key: (event: DurableEvent) => string | undefined) => {
  const counts = new Map<string, number>()
  for (const fact of facts) {
    const name = key(fact)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Of each stream one text, of each call one result, of each question one answer, of each task one end. */
const contradictions = (facts: ReadonlyArray<DurableEvent>): ReadonlyArray<string> => {
  const calls = count(facts, (event) => (event.type === "tool_call" ? `${event.task_id} ${event.call_id}` : undefined))
  const results = count(facts, (event) =>
    event.type === "tool_result" ? `${event.task_id} ${event.call_id}` : undefined
  )
  const streams = count(facts, (event) => (event.type === "text_completed" ? event.stream_id : undefined))
  const tasks = count(facts, (event) => (event.type === "task_started" ? event.task_id : undefined))
  const ends = count(facts, (event) => (isTerminal(event) ? event.task_id : undefined))
  const answers = count(facts, (event) =>
    event.type === "approval_resolved" ? `${event.task_id} ${event.request_id ?? event.call_id}` : undefined
  )
  return [
    ...[streams, calls, tasks, answers].flatMap((each) =>
      [...each].flatMap(([id, n]) => (n === 1 ? [] : [`${id}: ${n}`]))
    ),
    ...[...calls.keys()].filter((id) => results.get(id) !== 1).map((id) => `${id}: ${results.get(id)} results`),
    ...[...tasks.keys()].filter((id) => ends.get(id) !== 1).map((id) => `${id}: ${ends.get(id)} ends`)
  ]
}

describe("a store that cannot be written", () => {
  it.effect("an answer is refused, its watchers are told, and it counts when the store is back", () => {
    const disk: Disk = { next: () => "none" }
    const { layer, ask } = world(disk)
    return Effect.gen(function* () {
      const { session, watched, given } = yield* asked()
      disk.next = () => "refused"
      assert.strictEqual((yield* Effect.flip(session.answer(given))).code, "storage_unavailable")
      const told = yield* watched.until("retrying")
      assert.deepStrictEqual([told.code, told.attempt, told.delay_ms], ["storage_unavailable", 1, 250])
      const { state, task, pending_approvals } = yield* session.status
      assert.deepStrictEqual([state, task?.task_id, pending_approvals.length], ["suspended", told.task_id, 1])
      assert.strictEqual((yield* Effect.flip(session.prompt({ content: "more" }))).code, "session_busy")
      disk.next = () => "none"
      yield* session.answer(given)
      yield* watched.until("task_completed")
      assert.strictEqual(begun(ask), 1)
      assert.deepStrictEqual(contradictions(yield* stored(s1)), [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("the task goes on by itself when the store is back", () => {
    const disk: Disk = { next: () => "none" }
    const { layer } = world(disk)
    return Effect.gen(function* () {
      const { session, watched, given } = yield* asked()
      disk.next = () => "refused"
      yield* Effect.flip(session.answer(given))
      yield* watched.until("retrying")
      disk.next = () => "none"
      yield* TestClock.adjust("250 millis")
      yield* session.answer(given)
      yield* watched.until("task_completed")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("an interrupt is refused while it cannot be stored, and ends the task when it can (R332)", () => {
    const disk: Disk = { next: () => "none" }
    const { layer, ask } = world(disk)
    return Effect.gen(function* () {
      const { session, watched } = yield* asked()
      disk.next = () => "refused"
      assert.strictEqual((yield* Effect.flip(session.interrupt())).code, "storage_unavailable")
      assert.strictEqual((yield* Effect.flip(session.interrupt())).code, "storage_unavailable")
      disk.next = () => "none"
      yield* session.interrupt()
      yield* watched.until("task_canceled")
      assert.strictEqual(begun(ask), 0)
      assert.deepStrictEqual(contradictions(yield* stored(s1)), [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect.prop(
    "appends that fail at random leave a consistent history with one end for each task (R332)",
    [Schema.Array(Schema.Literals(["none", "none", "refused", "stored"])).check(Schema.isMaxLength(24))],
    ([faults]) => {
      const left: Array<Fault> = [...faults]
      const disk: Disk = { next: () => left.shift() ?? "none" }
      const { layer, ask } = world(disk)
      return Effect.gen(function* () {
        const session = yield* create("s1")
        yield* answering(session)
        yield* Effect.ignore(session.prompt({ content: "go" }))
        for (let i = 0; i < 60; i++) {
          yield* TestClock.adjust("10 seconds")
          const { pending_approvals } = yield* session.status
          for (const { request_id, kind } of pending_approvals) {
            const decision = kind === "recovery" ? "skip" : "allow_once"
            yield* Effect.ignore(session.answer({ request_id, decision }))
          }
          if (left.length === 0 && (yield* session.state).task === undefined) break
          if ((yield* session.state).task === undefined) yield* Effect.ignore(session.prompt({ content: "again" }))
        }
        const state = yield* session.state
        assert.isUndefined(state.task)
        assert.deepStrictEqual(violations(messages(state)), [])
        const facts = yield* stored(s1)
        assert.strictEqual(facts.length, state.seq)
        assert.deepStrictEqual(contradictions(facts), [])
        const effects = count(facts, (event) =>
          event.type === "tool_started" && event.attempt > 1 ? event.call_id : undefined
        )
        assert.isFalse(effects.has("c2"))
        assert.isAtMost(begun(ask), state.tasks)
      }).pipe(Effect.scoped, Effect.provide(layer))
    },
    { arbitrary: { runs: 150 } }
  )
})
