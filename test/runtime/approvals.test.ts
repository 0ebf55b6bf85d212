/** Questions of a session: asked of whoever can answer, answered once, withdrawn with the task. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "../../src/domain/Ids.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { create, layer, type RuntimeKitOptions, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const kit = (more: Partial<RuntimeKitOptions> = {}) => {
  const { tool, log } = probe({ risk: "mutating" })
  const script = () => turns(answer("", [call("c1", "probe", { n: 1 })]), answer("ok"))
  return { log, layer: layer({ tools: [tool], script, ...more }) }
}

describe("approval of a running session", () => {
  it.effect("waits for an answer and runs what was allowed (R143, R148)", () => {
    const { log, layer } = kit()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      const request = yield* seen.until("approval_request")
      assert.deepStrictEqual(log, [])
      const status = yield* session.status
      assert.deepStrictEqual([status.state, status.pending_approvals.length], ["waiting_approval", 1])
      yield* session.answer({ request_id: request.request_id, decision: "allow_once" })
      assert.strictEqual((yield* task!.await).status, "completed")
      assert.deepStrictEqual(log, ["+1", "-1"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("the first of a thousand answers wins, the others are told (R150, LESSONS 30)", () => {
    const { log, layer } = kit()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      const { request_id } = yield* seen.until("approval_request")
      const answers = yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, i) => i),
        (i) =>
          Effect.match(session.answer({ request_id, decision: i === 0 ? "deny" : "allow_once" }), {
            onFailure: (error) => error.code,
            onSuccess: () => "counts" as const
          }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.slice(0, 2), ["counts", "approval_already_resolved"])
      assert.strictEqual(answers.filter((one) => one === "counts").length, 1)
      yield* task!.await
      assert.deepStrictEqual(log, [])
      const foreign = session.answer({ request_id: "req_0" as RequestId, decision: "allow_once" })
      assert.strictEqual((yield* Effect.flip(foreign)).code, "approval_not_found")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("fails with approval_required where nobody can answer, and the audit says why (SETTLED 5, R168)", () => {
    const { log, layer } = kit()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session)
      const { task } = yield* session.prompt({ content: "go" })
      const end = yield* task!.await
      assert.deepStrictEqual([end.status, end.error?.code], ["failed", "approval_required"])
      assert.deepStrictEqual(log, [])
      assert.isFalse(seen.types().includes("approval_request"))
      const decided = seen.facts().flatMap((fact) => (fact.type === "approval_resolved" ? [fact] : []))
      assert.deepStrictEqual(
        decided.map(({ decision, via, reason, shown }) => [decision, via, reason?.split(":")[0], shown]),
        [["deny", "policy", "nobody was there to be asked", "what it is about"]]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("expires as a refusal and goes on; a late answer is told so (R162)", () => {
    const { log, layer } = kit({ expiresInMs: 5_000 })
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      const { request_id } = yield* seen.until("approval_request")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* task!.await).status, "completed")
      const resolved = yield* seen.until("approval_resolved")
      assert.deepStrictEqual([resolved.decision, resolved.via, log], ["deny", "timeout", []])
      const late = yield* Effect.flip(session.answer({ request_id, decision: "allow_once" }))
      assert.strictEqual(late.code, "approval_expired")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("is withdrawn by a cancel, with one resolution and nothing run (R163, R028)", () => {
    const { log, layer } = kit()
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      yield* session.prompt({ content: "go" })
      const { request_id } = yield* seen.until("approval_request")
      yield* session.interrupt()
      assert.deepStrictEqual(
        seen.facts().flatMap((event) => (event.type === "approval_resolved" ? [[event.decision, event.via]] : [])),
        [["deny", "cancel"]]
      )
      assert.deepStrictEqual([log, (yield* session.status).state], [[], "idle"])
      const late = yield* Effect.flip(session.answer({ request_id, decision: "allow_once" }))
      assert.strictEqual(late.code, "approval_already_resolved")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("a question of one session is not found in another (R148, R161)", () => {
    const { layer } = kit()
    return Effect.gen(function* () {
      const [a, b] = [yield* create("a"), yield* create("b")]
      const seen = yield* watch(a, { answers: true })
      yield* a.prompt({ content: "go" })
      const { request_id } = yield* seen.until("approval_request")
      assert.strictEqual(
        (yield* Effect.flip(b.answer({ request_id, decision: "allow_once" }))).code,
        "approval_not_found"
      )
      assert.strictEqual((yield* a.status).pending_approvals.length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
