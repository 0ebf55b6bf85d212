/** Subagents whose process stops, in order or by a kill: none begins again by itself, and the model is told (LESSONS 33, R315). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { DurableEvent } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import { initial, pendingApprovals, type SessionState } from "../../src/domain/Session.ts"
import type { CallId } from "../../src/domain/Ids.ts"
import { hasFinished } from "../../src/domain/SubagentReport.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { defaults } from "../../src/engine/EngineLimits.ts"
import * as Recovering from "../../src/engine/recovering.ts"
import * as Suspension from "../../src/engine/Suspension.ts"
import { maskKnown } from "../../src/observability/Redact.ts"
import { found, recover } from "../../src/runtime/recover.ts"
import { makeSubagent } from "../../src/tools/builtin/subagent.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { answer, call } from "../support/engineKit.ts"
import { go, over, resultOf, script, sub } from "../support/subagentKit.ts"
import { probe } from "../support/tools.ts"

describe("a subagent whose process stops in order (SETTLED 1)", () => {
  it.effect("is closed with what its task stores, and one in the background is named to the model", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const hanging = Stream.fromEffect(
        Effect.gen(function* () {
          yield* Deferred.succeed((yield* Deferred.isDone(one)) ? two : one, undefined)
          return yield* Effect.never
        })
      )
      const { layer, seen } = over({
        script: script([answer("", [sub("a"), sub("b", "b", { background: true })])], [hanging])
      })
      yield* Effect.gen(function* () {
        const suspension = Suspension.make()
        const engine = yield* Engine
        const fiber = yield* Effect.forkChild(engine.prompt({ content: "go", suspension }))
        yield* Effect.andThen(Deferred.await(one), Deferred.await(two))
        suspension.ask()
        // Neither is an effect that is waited for: each of its calls would be.
        yield* suspension.quiet
        yield* Fiber.interrupt(fiber)
        const state = seen.events.reduce((folded, event) => fold(folded, event), initial)
        assert.deepStrictEqual([state.subagents.size, state.task === undefined], [0, false])
        assert.include(resultOf(seen.events, "a")?.result, "claw was shutting down")
        assert.deepStrictEqual(
          state.queue.map(({ content }) => content.includes('The subagent "b" was cut off')),
          [true]
        )
        const ends = seen.events.flatMap((event) => (event.type === "subagent_ended" ? [event.status] : []))
        assert.deepStrictEqual(ends, ["canceled", "canceled"])
      }).pipe(Effect.provide(layer))
    })
  )
})

describe("a subagent that a crash cut off", () => {
  const { tool } = probe({ risk: "mutating" })
  const below = [answer("", [call("c", "probe", { n: 1 })]), answer("done")]
  const above = [answer("", [sub("a"), sub("b", "b", { background: true })]), answer("ok")]

  it.effect(
    "is never begun again by itself, wherever the kill was, and of one in the background the model is told",
    () => {
      const { layer, seen } = over({ tools: [tool], script: script(above, below) })
      return Effect.gen(function* () {
        yield* go
        const cut = seen.events.findIndex((event) => event.type === "tool_started" && event.call_id === "c")
        assert.isAbove(cut, 0)
        let state: SessionState = initial
        for (const event of seen.events.slice(0, -1)) {
          state = fold(state, event)
          const isCut = state.subagents.size > 0
          const facts = found(state, new Map([["a", { kind: "unknown" }]] as never), true)
          const after = facts.reduce((folded, fact) => fold(folded, fact as DurableEvent), state)
          assert.strictEqual(after.subagents.size, 0)
          const recovery = recover(after, { looks: new Map(), broken: new Set() })
          const steps = recovery.kind === "resume" && recovery.place.kind === "calls" ? recovery.place.steps : []
          for (const step of steps)
            if (step.call.started > 0) assert.strictEqual(step.do, "ask", `${state.seq} ${step.call.call_id}`)
          assert.isTrue(pendingApprovals(after).every(({ kind }) => kind === "recovery"))
          if (isCut) assert.isAbove(facts.length, 0)
          const behind = Array.from(state.subagents.values()).filter((one) => one.background)
          const words = after.queue.slice(state.queue.length).map(({ content }) => content)
          for (const [i, { state: inside }] of behind.entries())
            assert.include(words[i], hasFinished(inside) ? "reports:\ndone" : "was cut off before it could report")
          assert.strictEqual(words.length, behind.length)
        }
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("and had given its last answer is asked about nobody: what it said is its call's result", () => {
    const { layer, seen } = over({ tools: [tool], script: script([answer("", [sub("a")]), answer("ok")], below) })
    return Effect.gen(function* () {
      yield* go
      const bounds = { mask: maskKnown([]), limits: defaults }
      const asked = { call_id: "a" as CallId, tool_name: "subagent", arguments: "{}" }
      const mark = { announced: false }
      let state: SessionState = initial
      const kinds: Array<string> = []
      for (const event of seen.events) {
        state = fold(state, event)
        const inside = state.subagents.get(asked.call_id)?.state
        if (inside === undefined) continue
        const look = yield* Recovering.look(ToolRegistry.make([makeSubagent()]), bounds, asked, mark, inside)
        kinds.push(look.kind)
        if (look.kind !== "done") continue
        assert.deepStrictEqual([look.status, look.result], ["ok", "done"])
        const facts = found(state, new Map([[asked.call_id, look]]), true)
        assert.deepStrictEqual(
          facts.flatMap((fact) => (fact.type === "subagent_ended" ? [fact.status] : [fact.type])),
          ["completed", "tool_result"]
        )
      }
      // Nothing is known until its last answer is stored; its end comes in one append with its result.
      assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["unknown", "done"])
      const types = seen.events.map(({ type }) => type)
      assert.strictEqual(types[types.indexOf("subagent_ended") + 1], "tool_result")
    }).pipe(Effect.provide(layer))
  })
})
