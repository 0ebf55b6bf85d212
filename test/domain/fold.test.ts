/** Any prefix of any event sequence folds to a valid state, and its history is always well formed. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { close } from "../../src/domain/Decide.ts"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold, foldAll as foldWhole } from "../../src/domain/Fold.ts"
import { makeView, type MessageCache, messages } from "../../src/domain/History.ts"
import { initial, pendingApprovals, type SessionState } from "../../src/domain/Session.ts"
import { event } from "../support/events.ts"
import { violations } from "../support/history.ts"

const foldAll = (events: ReadonlyArray<DurableBody>, from: SessionState = initial) => events.reduce(fold, from)
const sequences = fc.array(event, { maxLength: 60 })

describe("Session.fold", () => {
  it("numbers every event and keeps the history well formed, for any sequence (R044–R047, LESSONS 11)", () => {
    fc.assert(
      fc.property(sequences, (events) => {
        const state = foldAll(events)
        assert.strictEqual(state.seq, events.length)
        assert.deepStrictEqual(violations(messages(state)), [])
      }),
      { numRuns: 2_000 }
    )
  })

  it("gives the same state in one go and event by event (R049)", () => {
    fc.assert(
      fc.property(sequences, fc.nat(60), (events, cut) => {
        assert.deepStrictEqual(foldAll(events.slice(cut), foldAll(events.slice(0, cut))), foldAll(events))
      })
    )
  })

  it("gives the same state where many are folded at once, and changes no state that was there before", () => {
    fc.assert(
      fc.property(sequences, fc.nat(60), (events, cut) => {
        const before = foldAll(events.slice(0, cut))
        const seen = structuredClone(before.history)
        const behind = events.slice(cut).map((body, i) => ({ seq: before.seq + i + 1, body }))
        assert.deepStrictEqual(foldWhole(before, behind), foldAll(events))
        assert.deepStrictEqual(before.history, seen)
      }),
      { numRuns: 1_000 }
    )
  })

  it("keeps the messages of an unchanged item as the same objects (LESSONS 15)", () => {
    fc.assert(
      fc.property(sequences, event, (events, next) => {
        const before = foldAll(events)
        const after = fold(before, next)
        const kept = after.history.filter((item) => before.history.includes(item))
        const cache: MessageCache = new WeakMap()
        const known = new Set(messages(before, cache))
        const now = messages({ ...after, history: kept }, cache)
        assert.isTrue(now.every((message) => known.has(message)))
      })
    )
  })
})

describe("a task's view of the history", () => {
  it("is the history behind its head at every turn, whatever happened in between", () => {
    const head = { role: "system", content: "s" } as const
    fc.assert(
      fc.property(sequences, (events) => {
        const view = makeView(head)
        let state: SessionState = initial
        for (const next of events) {
          state = fold(state, next)
          assert.deepStrictEqual(view(state), [head, ...messages(state)])
        }
      })
    )
  })
})

describe("Decide.close", () => {
  it("ends whatever runs with one terminal event, a result for every call and no open approval (R040, R332)", () => {
    const outcomes = fc.constantFrom(
      { status: "completed" } as const,
      { status: "canceled" } as const,
      { status: "failed", error: { code: "internal", message: "", retryable: false } } as const
    )
    fc.assert(
      fc.property(sequences, outcomes, fc.boolean(), (events, outcome, crashed) => {
        const before = foldAll(events)
        const closing = close(before, outcome, { crashed })
        const after = foldAll(closing, before)
        assert.strictEqual(after.task, undefined)
        assert.deepStrictEqual(pendingApprovals(after), [])
        assert.deepStrictEqual(close(after, outcome), [])
        const terminals = closing.filter((body) => body.type.startsWith("task_"))
        assert.strictEqual(terminals.length, before.task === undefined ? 0 : 1)
        if (before.task !== undefined) assert.strictEqual(closing.at(-1), terminals[0])
        const last = before.history.findLast((item) => item.kind === "answer")
        const open = last?.kind === "answer" ? last.calls.filter((call) => call.result === undefined) : []
        const results = closing.filter((body) => body.type === "tool_result")
        assert.deepStrictEqual(
          results.map((body) => [body.call_id, body.status]),
          before.task === undefined
            ? []
            : open.map((call) => [call.call_id, call.started > 0 && crashed ? "uncertain" : "cancelled"])
        )
      }),
      { numRuns: 2_000 }
    )
  })
})
