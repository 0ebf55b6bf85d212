/** What becomes of a person's answer (R143–R148, R150, R157, R163; LESSONS 30, 31, 33). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApprovalGate } from "../../src/approval/ApprovalGate.ts"
import { ApprovalRequired, type Question, type Reply } from "../../src/approval/Approver.ts"
import { GrantError, GrantStore } from "../../src/approval/GrantStore.ts"
import * as MemoryGrants from "../../src/approval/MemoryGrants.ts"
import { answer, bash, guarded, layerGate, write, WORKSPACE } from "../support/approvalGate.ts"

const permitOf = (verdict: { readonly permit?: { readonly spend: () => boolean } }) => verdict.permit?.spend()

describe("answers", () => {
  it.effect.each([
    ["ask", "fails"],
    ["plan", "mode: plan"]
  ] as const)("in mode %s a command that nobody can be asked about %s (SETTLED 5)", ([mode, outcome]) => {
    const answering = ({ request }: Question) => Effect.fail(new ApprovalRequired(request))
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      // A command that only reads: mode plan asks about it.
      const exit = yield* Effect.exit(gate.check(bash("git status")))
      const got = Exit.isSuccess(exit) ? exit.value : undefined
      assert.deepStrictEqual(
        [got?.decision ?? "fails", got?.rule],
        outcome === "fails" ? ["fails", undefined] : ["deny", outcome]
      )
      assert.isUndefined(got?.permit)
    }).pipe(Effect.provide(layerGate({ mode, answering })))
  })

  it.effect("the request says what will run, of which risk and why (R147, R148)", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const check = bash("npm test && curl x")
      yield* gate.check(check)
      yield* gate.check(bash("npm test && curl x"))
      const [first, second] = questions.map(({ request }) => request)
      const { request_id, expires_at, grant_options, explanation, content_digest, ...rest } = first!
      // The manifests, the lock of what npm would run: bound to the answer (SECURITY P12).
      assert.match(content_digest ?? "", /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(
        explanation?.parts.map(({ words, state }) => [words.join(" "), state]),
        [
          ["npm test", "uncovered"],
          ["curl x", "uncovered"]
        ]
      )
      assert.deepStrictEqual(rest, {
        kind: "tool",
        call_id: check.call.call_id,
        tool_name: "bash",
        content: '{"command":"npm test && curl x"}',
        risk: "dangerous",
        reason: "runs a shell command",
        shown: "npm test && curl x"
      })
      assert.match(request_id, /^req_[0-9a-f]{32}$/)
      assert.strictEqual(expires_at, "1970-01-01T00:01:00.000Z")
      assert.deepStrictEqual(
        grant_options.map(({ id }) => id),
        ["exact"]
      )
      assert.notStrictEqual(request_id, second!.request_id)
    }).pipe(Effect.provide(layerGate({ questions, approvalTimeoutMs: 60_000 })))
  })

  it.effect("allow_once runs this call and is forgotten (R143)", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const verdict = yield* gate.check(write())
      yield* gate.check(write())
      assert.strictEqual(verdict.decision, "allow_once")
      assert.deepStrictEqual([permitOf(verdict), permitOf(verdict)], [true, false])
      assert.isUndefined(verdict.grant)
      assert.strictEqual(questions.length, 2)
    }).pipe(Effect.provide(layerGate({ questions, answering: answer("allow_once") })))
  })

  it.effect("allow_session keeps a grant, by whom and until when, and asks no more (R144, R155, R157)", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const check = write()
      const verdict = yield* gate.check(check)
      const again = yield* gate.check(write())
      const { grant_id, ...grant } = verdict.grant!
      assert.deepStrictEqual(grant, {
        tool_name: "write_file",
        matcher: { kind: "exact", digest: check.digest },
        workspace: WORKSPACE,
        created_at: "1970-01-01T00:00:00.000Z",
        expires_at: "1970-01-01T08:00:00.000Z",
        request_id: questions[0]!.request.request_id,
        by: "ada",
        shown: "src/a.ts"
      })
      assert.deepStrictEqual(
        [verdict.decision, verdict.by, again.via, again.grant_id],
        ["allow_session", "ada", "grant", grant_id]
      )
      assert.strictEqual(questions.length, 1)
      assert.deepStrictEqual(
        (yield* (yield* GrantStore).list(check.session_id)).map((one) => one.grant_id),
        [grant_id]
      )
    }).pipe(Effect.provide(layerGate({ questions, answering: answer("allow_session", { by: "ada" }) })))
  })

  it.effect("deny gives no permit (R145)", () =>
    Effect.gen(function* () {
      const verdict = yield* (yield* ApprovalGate).check(write())
      assert.deepStrictEqual(
        [verdict.decision, verdict.via, verdict.reason, verdict.permit],
        ["deny", "user", "not now", undefined]
      )
    }).pipe(Effect.provide(layerGate({ answering: answer("deny", { reason: "not now" }) })))
  )

  it.effect.each([
    ["an unknown word", { decision: "yes" as Reply["decision"], via: "user" }],
    ["an allow word in capitals", { decision: "ALLOW_ONCE" as Reply["decision"], via: "user" }],
    ["nothing", { decision: undefined as unknown as Reply["decision"], via: "user" }],
    ["a recovery answer", { decision: "retry" as Reply["decision"], via: "user" }],
    ["a grant that was not offered", { decision: "allow_session", via: "user", grant_option: "everything" }],
    ["an allow by time-out", { decision: "allow_once", via: "timeout" }],
    ["an allow from nowhere", { decision: "allow_once", via: "model" as Reply["via"] }]
  ] as ReadonlyArray<readonly [string, Reply]>)("%s denies (R146, LESSONS 30)", ([, reply]) =>
    Effect.gen(function* () {
      const verdict = yield* (yield* ApprovalGate).check(write())
      assert.deepStrictEqual([verdict.decision, verdict.permit, verdict.grant], ["deny", undefined, undefined])
    }).pipe(Effect.provide(layerGate({ answering: () => Effect.succeed(reply) })))
  )

  it.effect("a grant that cannot be saved counts once, and says so (LESSONS 31)", () => {
    const { store } = MemoryGrants.make()
    const failing = GrantStore.of({
      ...store,
      active: () => Effect.fail(new GrantError({ operation: "active" })),
      save: () => Effect.fail(new GrantError({ operation: "save" }))
    })
    return Effect.gen(function* () {
      const verdict = yield* (yield* ApprovalGate).check(write())
      assert.deepStrictEqual([verdict.decision, verdict.grant, permitOf(verdict)], ["allow_once", undefined, true])
      assert.strictEqual(verdict.reason, "the grant could not be saved, so it counts only this once")
    }).pipe(
      Effect.provide(layerGate({ answering: answer("allow_session"), store: Layer.succeed(GrantStore, failing) }))
    )
  })

  it.effect("what is asked about every time leaves no grant (P11)", () =>
    Effect.gen(function* () {
      const check = guarded()
      const verdict = yield* (yield* ApprovalGate).check(check)
      assert.deepStrictEqual([verdict.decision, verdict.grant], ["allow_once", undefined])
      assert.deepStrictEqual(yield* (yield* GrantStore).list(check.session_id), [])
    }).pipe(Effect.provide(layerGate({ answering: answer("allow_session") })))
  )
})

describe("no answer", () => {
  it.effect("ends as a refusal by time-out, and the question is withdrawn (SETTLED 5)", () => {
    let withdrawn = 0
    const answering = () => Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => void (withdrawn += 1))))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild((yield* ApprovalGate).check(write()))
      yield* TestClock.adjust("1 minute")
      const verdict = yield* Fiber.join(fiber)
      assert.deepStrictEqual([verdict.decision, verdict.via, withdrawn], ["deny", "timeout", 1])
    }).pipe(Effect.provide(layerGate({ answering, approvalTimeoutMs: 60_000 })))
  })

  it.effect("of those who may answer no more is a refusal by nobody, with its reason (R241)", () => {
    const reply: Reply = { decision: "deny", via: "cancel", reason: "nobody may answer" }
    return Effect.gen(function* () {
      const { by, decision, reason, via } = yield* (yield* ApprovalGate).check(write())
      assert.deepStrictEqual([decision, via, reason, by], ["deny", "cancel", "nobody may answer", undefined])
    }).pipe(Effect.provide(layerGate({ answering: () => Effect.succeed(reply) })))
  })

  it.effect("nobody to ask ends with approval_required", () => {
    const nobody = () => Effect.fail(new ApprovalRequired({ tool_name: "write_file", reason: "nobody" }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip((yield* ApprovalGate).check(write()))
      assert.strictEqual(error.code, "approval_required")
    }).pipe(Effect.provide(layerGate({ answering: nobody })))
  })

  it.effect("cancelling while it waits withdraws it and leaves nothing (R163, LESSONS 33)", () => {
    let withdrawn = 0
    return Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const answering = () =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => void (withdrawn += 1)))
        )
      yield* Effect.gen(function* () {
        const check = write()
        const fiber = yield* Effect.forkChild((yield* ApprovalGate).check(check))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.strictEqual(withdrawn, 1)
        assert.deepStrictEqual(yield* (yield* GrantStore).list(check.session_id), [])
      }).pipe(Effect.provide(layerGate({ answering })))
    })
  })
})
