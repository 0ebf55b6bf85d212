/** What words are worth after a restart, and when they are heard (SETTLED 5, 14; SECURITY P12; RELIABILITY 3.3 C9, 3.7). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import type { CallId } from "../../src/domain/Ids.ts"
import * as TaskSlots from "../../src/runtime/TaskSlots.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import type { Verdict } from "../../src/approval/ApprovalGate.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import type { CallStep } from "../../src/engine/Resumption.ts"
import { cutOff, cutSession, OLD_TASK } from "../support/cutOff.ts"
import { allow, answer, call, kit, turns } from "../support/engineKit.ts"
import { begin } from "../support/restarts.ts"
import { byHistory, create, layer, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const DAY_MS = 86_400_000
const script = () => () => answer("so be it")

/** Goes on with one call of a stored task, whose gate says `verdict` by now. */
const resumed = (attempt: number, how: "run" | "check", verdict: "allow" | "deny") => {
  const { tool, log } = probe({ name: "once", risk: "mutating" })
  const asked: Array<boolean> = []
  const denied: Verdict = { decision: "deny", via: "policy", rule: "mode: plan", reason: "the mode is plan" }
  const { layer: engineLayer, seen } = kit({
    tools: [tool],
    script: turns(answer("done")),
    gate: (check) =>
      Effect.sync(() => {
        asked.push(check.allowed === true)
        return verdict === "allow" ? allow(check) : denied
      })
  })
  const at = { task_id: OLD_TASK, turn: 1 }
  const { call_id, tool_name, arguments: content } = call("c1", "once")
  return Effect.gen(function* () {
    const [engine, reporter] = [yield* Engine, yield* Reporter]
    yield* reporter.report([
      { type: "task_started", task_id: OLD_TASK, prompt_id: "p" as never, content: "go" },
      { type: "text_completed", ...at, stream_id: "s" as never, content: "", finish_reason: "tool_calls" },
      { type: "tool_call", ...at, call_id, tool_name, content, risk: "mutating" },
      { type: "approval_resolved", ...at, call_id, decision: "allow_once", via: how === "run" ? "user" : "policy" },
      ...(attempt === 1 ? [] : [{ type: "tool_started", ...at, call_id, attempt: attempt - 1 } as const])
    ])
    const answered = (yield* reporter.state).history.at(-1)
    const stored = answered?.kind === "answer" ? answered.calls[0]! : assert.fail("no call")
    const step: CallStep = { do: how, call: stored, attempt }
    const place = { kind: "calls", steps: [step] } as const
    yield* engine.resume({ session_id: cutSession, task_id: OLD_TASK }, { place, broken: new Set<CallId>() })
    const results = seen.events.flatMap((event) => (event.type === "tool_result" ? [event] : []))
    const resolutions = seen.events.filter(({ type }) => type === "approval_resolved")
    return { result: results[0], asked, ran: log.length / 2, decisions: resolutions.length }
  }).pipe(Effect.provide(engineLayer))
}

const EARLIER = /not executed\. That is about this attempt\. An earlier one began .* its outcome is unknown/

describe("a word of before a restart", () => {
  it.effect.each([
    { who: "of a rule is not passed on to the gate", how: "check", attempt: 1, says: false },
    { who: "of a rule, for what may be begun again, neither", how: "check", attempt: 2, says: false },
    { who: "of a person is", how: "run", attempt: 1, says: true }
  ] as const)("$who", ({ how, attempt, says }) =>
    Effect.gen(function* () {
      const { asked, decisions, ran, result } = yield* resumed(attempt, how, "allow")
      assert.deepStrictEqual([asked, ran, result?.status], [[says], 1, "ok"])
      // The same decision is not told a second time.
      assert.strictEqual(decisions, 1)
    })
  )

  it.effect.each([
    { attempt: 1, how: "check", status: "denied", text: /The call was not executed\.$/ },
    { attempt: 2, how: "check", status: "uncertain", text: EARLIER },
    { attempt: 2, how: "run", status: "uncertain", text: EARLIER }
  ] as const)("that holds no more, at attempt $attempt ($how): $status", ({ attempt, how, status, text }) =>
    Effect.gen(function* () {
      const { ran, result } = yield* resumed(attempt, how, "deny")
      assert.deepStrictEqual([ran, result?.status], [0, status])
      assert.match(result?.result ?? "", text)
    })
  )
})

/** A store whose next append of an approval's answer waits. */
const slow = (held: { answer: Deferred.Deferred<void> | undefined }) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (journal) =>
      Journal.of({
        ...journal,
        append: (session, epoch, records) => {
          const isAnswer = records.some(({ body }) => body.type === "approval_resolved")
          const first = held.answer !== undefined && isAnswer ? Deferred.await(held.answer) : Effect.void
          return Effect.andThen(first, journal.append(session, epoch, records))
        }
      })
    )
  ).pipe(Layer.provideMerge(layerMemory))

describe("a question about what a crash cut off", () => {
  it.effect("whose answer is on its way: a prompt is told that the session is busy, at once", () => {
    const held: { answer: Deferred.Deferred<void> | undefined } = { answer: undefined }
    const { tool, log } = probe({ name: "once" })
    return Effect.gen(function* () {
      yield* cutOff({ calls: ["once"] })
      held.answer = Deferred.makeUnsafe<void>()
      const { manager: sessions } = yield* begin({ script, tools: [tool] })
      yield* sessions.resumeAll()
      const session = yield* sessions.get(cutSession)
      const seen = yield* watch(session, { after: { seq: 0 }, answers: true })
      const { request_id } = yield* seen.until("approval_request")
      const answered = yield* Effect.forkChild(session.answer({ request_id, decision: "retry" }), {
        startImmediately: true
      })
      const { code } = yield* Effect.flip(session.prompt({ content: "something else" }))
      assert.deepStrictEqual([code, log.length], ["session_busy", 0])
      yield* Deferred.succeed(held.answer, undefined)
      yield* Fiber.join(answered)
      yield* seen.until("task_completed")
      assert.strictEqual(log.length, 2)
    }).pipe(Effect.scoped, Effect.provide(slow(held)))
  })

  const full = TaskSlots.make({ running: 0, waiting: 9 })
  const noSlot = Effect.fnUntraced(function* (tool: ReturnType<typeof probe>["tool"]) {
    yield* cutOff({ calls: ["once"] })
    const { manager: sessions } = yield* begin({ script, tools: [tool] })
    yield* sessions.resumeAll()
    const session = yield* sessions.get(cutSession)
    const seen = yield* watch(session, { after: { seq: 0 }, answers: true })
    const { request_id } = yield* seen.until("approval_request")
    return { session, seen, request_id }
  })
  const without = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.scoped, Effect.provide(layerMemory), Effect.provideService(TaskSlots.TaskSlots, full))

  it.effect("is answered without a place to run, and the task waits for one then", () => {
    const { tool, log } = probe({ name: "once" })
    return without(
      Effect.gen(function* () {
        const { session, seen, request_id } = yield* noSlot(tool)
        yield* session.answer({ request_id, decision: "retry" })
        assert.strictEqual(seen.types().at(-1), "approval_resolved")
        yield* seen.until("task_waiting")
        assert.deepStrictEqual(log, [])
        assert.strictEqual((yield* session.status).state, "preparing")
        yield* session.interrupt()
        assert.strictEqual(seen.types().at(-1), "task_canceled")
      })
    )
  })

  it.effect("skipped without a place has its result; a new prompt ends the task without one, too", () => {
    const { tool } = probe({ name: "once" })
    return without(
      Effect.gen(function* () {
        const { session, seen, request_id } = yield* noSlot(tool)
        yield* session.answer({ request_id, decision: "skip" })
        assert.strictEqual(seen.types().at(-1), "tool_result")
      })
    )
  })

  it.effect("gives way to a prompt although its task has no place", () => {
    const { tool } = probe({ name: "once" })
    return without(
      Effect.gen(function* () {
        const { session, seen } = yield* noSlot(tool)
        yield* session.prompt({ content: "something else" })
        const end = yield* seen.until("task_failed")
        assert.strictEqual(end.error.code, "interrupted_by_restart")
        assert.strictEqual(seen.types().at(-1), "task_started")
      })
    )
  })
})

describe("the expiry of a question", () => {
  const ask = probe({ name: "ask", risk: "mutating" })
  const asking = () => byHistory(answer("", [call("c1", "ask")]), answer("done"))
  const tomorrow = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.provideService(effect, Clock.Clock, {
        ...clock,
        currentTimeMillis: Effect.sync(() => Date.now() + DAY_MS),
        currentTimeMillisUnsafe: () => Date.now() + DAY_MS
      })
    )

  it.live("is its timer's while the process runs: a clock that was set ends nothing", () =>
    Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      yield* session.prompt({ content: "go" })
      const { request_id } = yield* seen.until("approval_request")
      yield* tomorrow(session.answer({ request_id, decision: "allow_once" }))
      yield* seen.until("task_completed")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: asking, tools: [ask.tool] })))
  )
})
