/** A task that stops without an end, and what everyone who holds it is told (SETTLED 1, C23; RELIABILITY 3.7). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { isTerminal } from "../../src/domain/Event.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { answer, call, text } from "../support/engineKit.ts"
import { begin, stored } from "../support/restarts.ts"
import { byHistory, type RuntimeKitOptions, watch } from "../support/runtimeKit.ts"
import { probe, waiting } from "../support/tools.ts"

const s1 = "s1" as SessionId

/** Shows a text and stays silent the first time, answers the second. */
const hangOnce = (shown: Deferred.Deferred<void>) => {
  let asked = 0
  return Stream.suspend((): Stream.Stream<ModelPart> => {
    asked += 1
    if (asked > 1) return answer("Whole answer.")
    const silent = Effect.andThen(Deferred.succeed(shown, undefined), Effect.never)
    return Stream.concat(Stream.fromArray<ModelPart>(text("Half an ")), Stream.fromEffectDrain(silent))
  })
}

/** A session with a running task in a process of its own. */
const running = Effect.fnUntraced(function* (options: RuntimeKitOptions) {
  const first = yield* begin(options)
  const session = yield* first.manager.create(s1, { workspace: "/" })
  const seen = yield* watch(session, { answers: true })
  const { task } = yield* session.prompt({ content: "go" })
  return { first, session, seen, task: task! }
})

const next = Effect.fnUntraced(function* (options: RuntimeKitOptions) {
  const second = yield* begin(options)
  const went = yield* second.manager.resumeAll()
  const session = yield* second.manager.get(s1)
  const seen = yield* watch(session, { after: { seq: 0 }, answers: true })
  return { second, session, seen, went }
})

const terminals = Effect.map(stored(s1), (events) => events.filter(isTerminal).map(({ type }) => type))

describe("suspending a task", () => {
  it.effect("in the middle of an answer keeps none of it and asks again in new streams (C23)", () => {
    const shown = Deferred.makeUnsafe<void>()
    const model = byHistory(hangOnce(shown))
    const options = { script: () => model }
    return Effect.gen(function* () {
      const { first, session, seen, task } = yield* running(options)
      yield* Deferred.await(shown)
      yield* first.leave()
      assert.deepStrictEqual(seen.types(), ["task_started", "thinking"])
      assert.deepStrictEqual((yield* session.status).state, "suspended")
      const end = yield* task.await
      assert.deepStrictEqual([end.status, end.error?.code, end.error?.retryable], ["failed", "server_draining", true])
      assert.strictEqual(yield* task.status, "running")
      const { second, seen: again, went } = yield* next(options)
      assert.strictEqual(went, 1)
      yield* again.until("task_completed")
      const reset = yield* again.until("stream_reset")
      const opened = yield* again.until("thinking")
      const done = yield* again.until("text_completed")
      assert.deepStrictEqual(
        [reset.reason, reset.stream_id, reset.next_stream_id, done.content],
        ["resumed", opened.stream_id, done.stream_id, "Whole answer."]
      )
      yield* second.leave()
      assert.deepStrictEqual(yield* terminals, ["task_completed"])
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("keeps a question open: the same one is answered after the restart (SETTLED 1)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const options = { tools: [tool], script: () => byHistory(answer("", [call("c1", "probe")]), answer("ok")) }
    return Effect.gen(function* () {
      const { first, session, seen } = yield* running(options)
      const { request_id } = yield* seen.until("approval_request")
      yield* first.leave()
      const late = yield* Effect.flip(session.answer({ request_id, decision: "allow_once" }))
      assert.strictEqual(late.code, "server_draining")
      const { session: back, seen: again, second } = yield* next(options)
      const status = yield* back.status
      assert.deepStrictEqual(
        status.pending_approvals.map((request) => request.request_id),
        [request_id]
      )
      assert.deepStrictEqual(log, [])
      yield* back.answer({ request_id, decision: "allow_once" })
      const twice = yield* Effect.flip(back.answer({ request_id, decision: "deny" }))
      assert.strictEqual(twice.code, "approval_already_resolved")
      yield* again.until("task_completed")
      assert.deepStrictEqual(log, ["+0", "-0"])
      const asked = again.facts().filter((event) => event.type === "approval_request")
      assert.deepStrictEqual([asked.length, yield* terminals], [1, ["task_completed"]])
      yield* second.leave()
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("an open question that expired meanwhile is a refusal, and the task goes on (R162)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const options = {
      tools: [tool],
      expiresInMs: 5_000,
      script: () => byHistory(answer("", [call("c1", "probe")]), answer("ok"))
    }
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { first, seen } = yield* running(options)
      yield* seen.until("approval_request")
      yield* first.leave()
      yield* TestClock.adjust("1 hour")
      const { seen: again } = yield* next(options)
      const resolved = yield* again.until("approval_resolved")
      yield* again.until("task_completed")
      assert.deepStrictEqual([resolved.decision, resolved.via, log], ["deny", "timeout", []])
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("lets a running tool end in its time, begins no other, and takes the next turn afterwards (C23)", () => {
    const slow = waiting("slow")
    const after = probe({ name: "after", opaque: true })
    const calls = answer("", [call("c1", "slow"), call("c2", "after")])
    const options = { tools: [slow.tool, after.tool], script: () => byHistory(calls, answer("ok")) }
    return Effect.gen(function* () {
      const { first, seen } = yield* running(options)
      yield* slow.begun
      const leaving = yield* Effect.forkChild(first.leave(30_000), { startImmediately: true })
      yield* slow.go
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(seen.types().slice(-2), ["tool_started", "tool_result"])
      assert.deepStrictEqual(after.log, [])
      const { seen: again } = yield* next(options)
      yield* again.until("task_completed")
      assert.deepStrictEqual(
        [slow.log, after.log],
        [
          ["+0", "-0"],
          ["+0", "-0"]
        ]
      )
      const results = again.facts().flatMap((event) => (event.type === "tool_result" ? [event.result] : []))
      assert.deepStrictEqual(results, ["went on", "ran 0"])
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("begins no call that waited for room while others have their time (C23)", () => {
    const [first, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const hold = probe({ run: ({ n }) => Effect.as(Deferred.await(n === 0 ? first : go), { content: "ok" }) })
    // Eight of a session run at a time: the ninth waits.
    const calls = Array.from({ length: 9 }, (_, n) => call(`c${n}`, "probe", { n }))
    const options = { tools: [hold.tool], script: () => byHistory(answer("", calls), answer("ok")) }
    return Effect.gen(function* () {
      const { first: process, seen } = yield* running(options)
      while (hold.log.length < 8) yield* Effect.yieldNow
      const leaving = yield* Effect.forkChild(process.leave(30_000), { startImmediately: true })
      yield* Deferred.succeed(first, undefined)
      yield* seen.until("tool_result")
      for (let i = 0; i < 50; i++) yield* Effect.yieldNow
      assert.notInclude(hold.log, "+8")
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(leaving)
      assert.notInclude(hold.log, "+8")
      const { seen: again } = yield* next(options)
      yield* again.until("task_completed")
      assert.deepStrictEqual(
        hold.log.toSorted(),
        Array.from({ length: 9 }, (_, n) => [`+${n}`, `-${n}`])
          .flat()
          .toSorted()
      )
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("stops a tool that takes longer, once, and stores that; it is not run again (C23)", () => {
    const slow = waiting("slow")
    const options = { tools: [slow.tool], script: () => byHistory(answer("", [call("c1", "slow")]), answer("ok")) }
    return Effect.gen(function* () {
      const { first, seen } = yield* running(options)
      yield* slow.begun
      const leaving = yield* Effect.forkChild(first.leave(30_000), { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(slow.log, ["+0"])
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(leaving)
      const result = yield* seen.until("tool_result")
      assert.deepStrictEqual(
        [result.status, result.result],
        [
          "cancelled",
          "Stopped while it ran, since claw was shutting down. Its effects may be partial; check before repeating it."
        ]
      )
      const { seen: again } = yield* next(options)
      yield* again.until("task_completed")
      assert.deepStrictEqual([slow.log, yield* terminals], [["+0", "-0"], ["task_completed"]])
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("leaves a person's interrupt theirs: it ends the task also while tools have their time", () => {
    const slow = waiting("slow")
    const options = { tools: [slow.tool], script: () => byHistory(answer("", [call("c1", "slow")]), answer("ok")) }
    return Effect.gen(function* () {
      const { first, session, task } = yield* running(options)
      yield* slow.begun
      const leaving = yield* Effect.forkChild(first.leave(30_000), { startImmediately: true })
      yield* session.interrupt()
      yield* Fiber.join(leaving)
      assert.deepStrictEqual([(yield* task.await).status, yield* terminals], ["canceled", ["task_canceled"]])
      const second = yield* begin(options)
      assert.strictEqual(yield* second.manager.resumeAll(), 0)
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("refuses everything new with server_draining, can be read on, and gives the session up (C23)", () => {
    const shown = Deferred.makeUnsafe<void>()
    const model = byHistory(hangOnce(shown))
    const options = { script: () => model }
    return Effect.gen(function* () {
      const { first, session } = yield* running(options)
      yield* Deferred.await(shown)
      const idle = yield* first.manager.create("idle" as SessionId, { workspace: "/" })
      yield* first.manager.suspendAll(0)
      const refused = [
        yield* Effect.flip(session.prompt({ content: "more", when_busy: "queue" })),
        yield* Effect.flip(idle.prompt({ content: "go" })),
        yield* Effect.flip(session.interrupt()),
        yield* Effect.flip(idle.clear),
        yield* Effect.flip(first.manager.create("s2" as SessionId, { workspace: "/" }))
      ]
      assert.deepStrictEqual(new Set(refused.map(({ code }) => code)), new Set(["server_draining"]))
      assert.isTrue(refused.every(({ isRetryable }) => isRetryable))
      const late = yield* watch(session, { after: { seq: 0 } })
      assert.deepStrictEqual(late.types(), ["task_started", "thinking"])
      const journal = yield* Journal
      const other = yield* journal.claim(sessionKey(localOwner, s1), "another process", () => false)
      assert.strictEqual(other.seq, 2)
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("keeps prompts that wait, and takes one that was next to the other side", () => {
    const slow = waiting("slow")
    const options = {
      tools: [slow.tool],
      script: () => byHistory(answer("", [call("c1", "slow")]), answer("one"), answer("two"))
    }
    return Effect.gen(function* () {
      const { first, session } = yield* running(options)
      yield* slow.begun
      yield* session.prompt({ content: "second", when_busy: "queue" })
      yield* first.leave(0)
      const { session: back, seen } = yield* next(options)
      while (seen.types().filter((type) => type === "task_completed").length < 2) yield* Effect.yieldNow
      assert.deepStrictEqual([(yield* back.status).tasks, yield* terminals], [2, ["task_completed", "task_completed"]])
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("goes on with the sessions of every owner, each in its owner's scope (R273)", () => {
    const shown = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()] as const
    const models = shown.map((one) => byHistory(hangOnce(one)))
    const owners = [localOwner, { tenant: "acme", project: "p", user: "ada" }] as const
    let built = 0
    const options: RuntimeKitOptions = { script: () => models[built++ % 2]! }
    return Effect.gen(function* () {
      const first = yield* begin(options)
      for (const [i, owner] of owners.entries()) {
        const session = yield* first.manager.for(owner).create(s1, { workspace: "/" })
        yield* session.prompt({ content: `go ${i}` })
        yield* Deferred.await(shown[i]!)
      }
      yield* first.leave()
      const second = yield* begin(options)
      assert.strictEqual(yield* second.manager.resumeAll(), 2)
      for (const owner of owners) {
        const seen = yield* watch(yield* second.manager.for(owner).get(s1), { after: { seq: 0 } })
        yield* seen.until("task_completed")
      }
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.effect("without recover a suspended task is closed, as a person at the terminal finds it today", () => {
    const shown = Deferred.makeUnsafe<void>()
    const model = byHistory(hangOnce(shown))
    const options = { script: () => model }
    return Effect.gen(function* () {
      const { first } = yield* running(options)
      yield* Deferred.await(shown)
      yield* first.leave()
      const second = yield* begin(options)
      const session = yield* second.manager.open(s1)
      assert.strictEqual((yield* session.state).last?.error?.code, "interrupted_by_restart")
      assert.strictEqual(yield* second.manager.resumeAll(), 0)
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })
})
