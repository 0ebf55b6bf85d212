/** What a crash cut off and nobody can know is a question, and nothing runs again without its answer (SETTLED 14, C10–C12). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../../src/domain/Approval.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { replay } from "../../src/eval/Replay.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { type CutOptions, cutOff, cutSession, OLD_TASK } from "../support/cutOff.ts"
import { answer } from "../support/engineKit.ts"
import { begin, stored } from "../support/restarts.ts"
import { type RuntimeKitOptions, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const model = { script: () => () => answer("so be it") }

/** A process that finds the session; `seen` has everything that ever happened in it. */
const next = Effect.fnUntraced(function* (options: RuntimeKitOptions) {
  const process = yield* begin(options)
  const went = yield* process.manager.resumeAll()
  const session = yield* process.manager.get(cutSession)
  const seen = yield* watch(session, { after: { seq: 0 }, answers: true })
  return { ...process, session, seen, went }
})

const after = Effect.fnUntraced(function* (cut: CutOptions, options: RuntimeKitOptions) {
  yield* cutOff(cut)
  return yield* next(options)
})

const questions = (events: ReadonlyArray<DurableEvent>) =>
  events.flatMap((event) => (event.type === "approval_request" ? [event] : []))

/** What followed the last `tool_started` of before. */
const told = (events: ReadonlyArray<DurableEvent>) =>
  events.slice(events.findIndex(({ type }) => type === "tool_started")).flatMap((event): ReadonlyArray<string> => {
    switch (event.type) {
      case "approval_request":
        return [`asked about ${event.call_id}`]
      case "approval_resolved":
        return [`${event.call_id} ${event.decision} by ${event.via}`]
      case "tool_started":
        return [`${event.call_id} begun ${event.attempt}`]
      case "tool_result":
        return [`${event.call_id} ${event.status}`]
      case "task_started":
      case "task_completed":
      case "task_canceled":
      case "task_failed":
        return [event.type]
      default:
        return []
    }
  })

const BEFORE = ["c1 begun 1", "asked about c1"]
const one: CutOptions = { calls: ["once"] }
const scoped = <A, E, R>(effect: Effect.Effect<A, E, R>) => effect.pipe(Effect.scoped, Effect.provide(layerMemory))

describe("a call that a crash cut off", () => {
  it.effect.each<readonly [Answer, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["retry", ["c1 retry by user", "c1 begun 2", "c1 ok", "task_completed"], ["+0", "-0"]],
    ["allow_once", ["c1 retry by user", "c1 begun 2", "c1 ok", "task_completed"], ["+0", "-0"]],
    ["skip", ["c1 skip by user", "c1 uncertain", "task_completed"], []],
    ["deny", ["c1 skip by user", "c1 uncertain", "task_completed"], []],
    ["stop", ["c1 stop by user", "c1 uncertain", "task_failed"], []]
  ])("is asked about; the answer %s", ([decision, expected, ran]) => {
    const { tool, log } = probe({ name: "once" })
    return Effect.gen(function* () {
      const { session, seen, went } = yield* after(one, { ...model, tools: [tool] })
      assert.strictEqual(went, 1)
      const request = yield* seen.until("approval_request")
      assert.deepStrictEqual([request.kind, request.expires_at, request.grant_options], ["recovery", undefined, []])
      assert.deepStrictEqual(log, [])
      yield* session.answer({ request_id: request.request_id, decision, by: "user:me" })
      const end = yield* Effect.raceFirst(seen.until("task_completed"), seen.until("task_failed"))
      assert.deepStrictEqual(told(seen.facts()), [...BEFORE, ...expected])
      assert.deepStrictEqual(log, ran)
      if (end.type === "task_failed") assert.strictEqual(end.error.code, "interrupted_by_restart")
      const said = seen.facts().findLast((event) => event.type === "approval_resolved")
      assert.strictEqual(said?.by, "user:me")
      const again = yield* Effect.flip(session.answer({ request_id: request.request_id, decision }))
      assert.strictEqual(again.code, "approval_already_resolved")
      const { difference, events } = yield* replay(sessionKey(localOwner, cutSession))
      assert.deepStrictEqual([difference, events], [undefined, seen.facts().length])
    }).pipe(scoped)
  })

  it.effect.each([
    ["was not announced never began, and runs without a question", false, ["c1 begun 1", "c1 begun 2"], ["+0", "-0"]],
    ["was announced may have begun", true, BEFORE, []]
  ] as const)("that is announced before it begins and %s (C10, C11)", ([_, announced, expected, ran]) => {
    const { tool, log } = probe({ name: "once", announced: true })
    return Effect.gen(function* () {
      const { seen } = yield* after({ ...one, announced }, { ...model, tools: [tool] })
      yield* seen.until(announced ? "approval_request" : "task_completed")
      assert.deepStrictEqual(told(seen.facts()).slice(0, expected.length), expected)
      assert.deepStrictEqual(log, [...ran])
    }).pipe(scoped)
  })

  it.effect("cannot be allowed for a session; what a person says of it reaches the model", () =>
    Effect.gen(function* () {
      const { session, seen } = yield* after(one, { ...model, tools: [probe({ name: "once" }).tool] })
      const { request_id } = yield* seen.until("approval_request")
      const refused = yield* Effect.flip(session.answer({ request_id, decision: "allow_session" }))
      assert.strictEqual(refused.code, "bad_decision")
      yield* session.answer({ request_id, decision: "skip", reason: "it is done" })
      const { result } = yield* seen.until("tool_result")
      assert.match(result, /outcome is unknown.*The user says: it is done$/)
    }).pipe(scoped)
  )

  it.effect("has a question of its own beside others, each answered by itself and in any order", () => {
    const { tool, log } = probe({ name: "once" })
    return Effect.gen(function* () {
      const { session, seen } = yield* after({ calls: ["once", "once"] }, { ...model, tools: [tool] })
      const [first, second] = (yield* session.status).pending_approvals
      yield* session.answer({ request_id: second!.request_id, decision: "skip" })
      assert.strictEqual((yield* session.status).pending_approvals.length, 1)
      yield* session.answer({ request_id: first!.request_id, decision: "retry" })
      yield* seen.until("task_completed")
      assert.deepStrictEqual(told(seen.facts()).slice(4), [
        "c2 skip by user",
        "c2 uncertain",
        "c1 retry by user",
        "c1 begun 2",
        "c1 ok",
        "task_completed"
      ])
      assert.strictEqual(log.length, 2)
    }).pipe(scoped)
  })

  it.effect("is asked about once, under one id, however often the process is killed or drained (C22)", () =>
    Effect.gen(function* () {
      const options = { ...model, tools: [probe({ name: "once" }).tool] }
      yield* cutOff(one)
      const ids: Array<string> = []
      for (let round = 0; round < 10; round++) {
        const { leave, session } = yield* next(options)
        ids.push(...(yield* session.status).pending_approvals.map(({ request_id }) => request_id))
        yield* leave()
      }
      const { session, seen } = yield* next(options)
      assert.deepStrictEqual([ids.length, new Set(ids).size, questions(seen.facts()).length], [10, 1, 1])
      yield* session.answer({ request_id: questions(seen.facts())[0]!.request_id, decision: "retry" })
      yield* seen.until("task_completed")
      const results = (yield* stored(cutSession)).filter(({ type }) => type === "tool_result")
      assert.strictEqual(results.length, 1)
    }).pipe(scoped)
  )

  it.effect("gives way to a new prompt: the old task ends, nothing runs again (SETTLED 14)", () => {
    const { tool, log } = probe({ name: "once" })
    return Effect.gen(function* () {
      const { session, seen } = yield* after({ calls: ["once", "once"] }, { ...model, tools: [tool] })
      yield* seen.until("approval_request")
      const { task } = yield* session.prompt({ content: "something else" })
      assert.strictEqual((yield* task!.await).status, "completed")
      const failed = yield* seen.until("task_failed")
      assert.deepStrictEqual([failed.task_id, failed.error.code], [OLD_TASK, "interrupted_by_restart"])
      assert.deepStrictEqual(told(seen.facts()).slice(4), [
        "c1 skip by recovery",
        "c1 uncertain",
        "c2 skip by recovery",
        "c2 uncertain",
        "task_failed",
        "task_started",
        "task_completed"
      ])
      assert.deepStrictEqual(log, [])
    }).pipe(scoped)
  })

  it.effect("does not give way to the prompt that began it, sent again (I2)", () =>
    Effect.gen(function* () {
      const { session, seen } = yield* after({ ...one, key: "k" }, { ...model, tools: [probe({ name: "once" }).tool] })
      yield* seen.until("approval_request")
      const again = yield* session.prompt({ content: "go", idempotency_key: "k" })
      assert.deepStrictEqual([again.duplicate, again.task?.task_id], [true, OLD_TASK])
      assert.strictEqual((yield* session.status).pending_approvals.length, 1)
    }).pipe(scoped)
  )

  it.effect("is uncertain, too, when a person interrupts instead of answering", () =>
    Effect.gen(function* () {
      const { session, seen } = yield* after(one, { ...model, tools: [probe({ name: "once" }).tool] })
      yield* seen.until("approval_request")
      yield* session.interrupt()
      assert.deepStrictEqual(told(seen.facts()), [...BEFORE, "c1 skip by recovery", "c1 uncertain", "task_canceled"])
    }).pipe(scoped)
  )

  it.effect("is no question where nobody is ever asked: the model learns that nobody knows", () => {
    const { tool, log } = probe({ name: "once" })
    return Effect.gen(function* () {
      const { seen } = yield* after({ ...one, mode: "never-ask" }, { ...model, tools: [tool] })
      yield* seen.until("task_completed")
      assert.deepStrictEqual(told(seen.facts()), ["c1 begun 1", "c1 uncertain", "task_completed"])
      assert.deepStrictEqual(log, [])
    }).pipe(scoped)
  })

  it.effect.each([
    { state: "done", told: ["c1 begun 1", "c1 ok", "task_completed"], ran: 0 },
    { state: "not_done", told: ["c1 begun 1", "c1 begun 2", "c1 ok", "task_completed"], ran: 1 },
    { state: "unknown", told: BEFORE, ran: 0 }
  ] as const)("whose tool can look says itself what became of it: $state", ({ state, told: expected, ran }) => {
    const looked = state === "done" ? { state, output: { content: "it is there" } } : { state }
    const { tool, log } = probe({ name: "once", effect: "probe", probe: looked })
    return Effect.gen(function* () {
      const { seen } = yield* after(one, { ...model, tools: [tool] })
      yield* state === "unknown" ? seen.until("approval_request") : seen.until("task_completed")
      assert.deepStrictEqual(told(seen.facts()), expected)
      assert.strictEqual(log.length, ran * 2)
    }).pipe(scoped)
  })
})
