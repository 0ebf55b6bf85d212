/** A call that was asked about, or allowed, before a restart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApprovalGate } from "../../src/approval/ApprovalGate.ts"
import type { Question } from "../../src/approval/Approver.ts"
import { answer, forbidden, layerGate, read, write } from "../support/approvalGate.ts"

describe("the gate after a restart", () => {
  it.effect("asks an open question on under its own id, also where policy would not ask by now", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      yield* gate.check(write())
      const open = questions[0]!.request
      const verdict = yield* gate.check({ ...write(), open })
      yield* gate.check({ ...read(), open })
      assert.deepStrictEqual(
        questions.map(({ request }) => request),
        [open, open, open]
      )
      assert.strictEqual(verdict.request_id, open.request_id)
      assert.isTrue(verdict.permit?.spend())
    }).pipe(Effect.provide(layerGate({ questions, answering: answer("allow_once") })))
  })

  it.effect("gives what was allowed a permit again without asking: one, for this call", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const check = write()
      const verdict = yield* gate.check({ ...check, allowed: true })
      assert.deepStrictEqual([verdict.permit?.call_id, verdict.permit?.digest], [check.call.call_id, check.digest])
      assert.deepStrictEqual([verdict.permit?.spend(), verdict.permit?.spend()], [true, false])
      assert.deepStrictEqual(questions, [])
    }).pipe(Effect.provide(layerGate({ questions })))
  })

  it.effect("denies what policy denies by now, allowed or asked before (R142)", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      yield* gate.check(write())
      const open = questions[0]!.request
      const allowed = yield* gate.check({ ...forbidden(), allowed: true })
      const asked = yield* gate.check({ ...forbidden(), open })
      assert.deepStrictEqual([allowed.decision, allowed.permit, questions.length], ["deny", undefined, 1])
      assert.deepStrictEqual([asked.decision, asked.request_id], ["deny", open.request_id])
    }).pipe(Effect.provide(layerGate({ questions })))
  })
})
