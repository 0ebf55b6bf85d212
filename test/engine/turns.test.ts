/** The loop: text, tools, denials, limits; every call gets exactly one observation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { allow, answer, call, completed, deny, kit, text, turns } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { probe } from "../support/tools.ts"

const run = (content = "hi") => Effect.flatMap(Engine, (engine) => engine.prompt({ content }))
const history = Effect.map(
  Effect.flatMap(Reporter, (reporter) => reporter.state),
  messages
)

describe("Engine", () => {
  it.effect("streams text and completes; the deltas are the committed text (R025, R046, R070, R317)", () => {
    const { seen, layer } = kit({ script: turns(Stream.fromArray([...text("Hel", "lo"), completed("Hello")])) })
    return Effect.gen(function* () {
      const end = yield* run()
      assert.strictEqual(end.status, "completed")
      assert.deepStrictEqual(
        seen.events.map((event) => event.type),
        ["task_started", "thinking", "text_completed", "usage", "task_completed"]
      )
      assert.deepStrictEqual(
        seen.events.map((event) => event.seq),
        [1, 2, 3, 4, 5]
      )
      const deltas = seen.live.flatMap((body) => (body.type === "text_delta" ? [body] : []))
      assert.strictEqual(deltas.map((delta) => delta.content).join(""), "Hello")
      assert.deepStrictEqual(
        deltas.map((delta) => delta.offset),
        deltas.map((_, i) => deltas.slice(0, i).reduce((sum, delta) => sum + delta.content.length, 0))
      )
      const done = seen.events.find((event) => event.type === "text_completed")
      assert.strictEqual(done?.content, "Hello")
    }).pipe(Effect.provide(layer))
  })

  it.effect("runs a tool, shows the model its result and goes on (R022–R027, R073)", () => {
    const { tool, log } = probe()
    const { seen, layer } = kit({
      tools: [tool],
      script: turns(answer("look", [call("c1", "probe", { n: 7 })]), answer("done"))
    })
    return Effect.gen(function* () {
      assert.strictEqual((yield* run()).status, "completed")
      assert.deepStrictEqual(log, ["+7", "-7"])
      assert.deepStrictEqual(
        seen.events.map((event) => event.type),
        [
          "task_started",
          "thinking",
          "text_completed",
          "usage",
          "tool_call",
          "approval_resolved",
          "tool_started",
          "tool_result",
          "thinking",
          "text_completed",
          "usage",
          "task_completed"
        ]
      )
      const all = yield* history
      assert.deepStrictEqual(
        all.map((message) => message.role),
        ["user", "assistant", "tool", "assistant"]
      )
      assert.strictEqual(all[2]?.content, "ran 7")
      assert.deepStrictEqual(
        seen.live.flatMap((body) => (body.type === "state" ? [body.state] : [])),
        ["preparing", "waiting_response", "executing_tools", "appending", "preparing", "waiting_response"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("falls back to generate where the model cannot stream (R100)", () => {
    const { seen, layer } = kit({ streaming: false, script: turns(answer("plain")) })
    return Effect.gen(function* () {
      assert.strictEqual((yield* run()).status, "completed")
      assert.isTrue(seen.live.every((body) => body.type === "state"))
      assert.strictEqual(seen.events.find((event) => event.type === "text_completed")?.content, "plain")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "tells the model about unknown tools, bad arguments and denials, and asks nobody about the first two (R026, R145, LESSONS 24)",
    () => {
      const { tool, log } = probe({ risk: "mutating" })
      const asked: Array<string> = []
      const calls = [call("c1", "nope"), call("c2", "probe", { n: "x" }), call("c3", "probe", { n: 1 })]
      const { seen, layer } = kit({
        tools: [tool],
        script: turns(answer("", calls), answer("ok")),
        gate: (check) => Effect.sync(() => (asked.push(check.call.call_id), deny(check)))
      })
      return Effect.gen(function* () {
        assert.strictEqual((yield* run()).status, "completed")
        assert.deepStrictEqual([log, asked], [[], ["c3"]])
        const results = seen.events.flatMap((event) =>
          event.type === "tool_result" ? [[event.call_id, event.status]] : []
        )
        assert.deepStrictEqual(results, [
          ["c1", "error"],
          ["c2", "error"],
          ["c3", "denied"]
        ])
        assert.deepStrictEqual(violations(yield* history), [])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a tool that throws is one failed observation (LESSONS 25)", () => {
    const { tool } = probe({ run: () => Effect.die(new Error("inside")) })
    const { seen, layer } = kit({ tools: [tool], script: turns(answer("", [call("c1", "probe")]), answer("ok")) })
    return Effect.gen(function* () {
      assert.strictEqual((yield* run()).status, "completed")
      assert.strictEqual(seen.events.find((event) => event.type === "tool_result")?.status, "error")
    }).pipe(Effect.provide(layer))
  })

  it.effect("gives reused call ids of a later answer ids of their own (LESSONS 4)", () => {
    const { tool, log } = probe()
    const again = answer("", [call("same", "probe", { n: 1 })])
    const { layer } = kit({
      tools: [tool],
      script: turns(again, answer("", [call("same", "probe", { n: 2 })]), answer("ok"))
    })
    return Effect.gen(function* () {
      yield* run()
      assert.deepStrictEqual(log, ["+1", "-1", "+2", "-2"])
      const ids = (yield* history).flatMap((message) => (message.role === "tool" ? [message.call_id] : []))
      assert.strictEqual(new Set(ids).size, 2)
      assert.deepStrictEqual(violations(yield* history), [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stops at its limit of turns and names it", () => {
    const { tool } = probe()
    const script = (_: unknown, turn: number) => answer("", [call(`c${turn}`, "probe", { n: turn })])
    const { layer } = kit({ tools: [tool], script, limits: { max_turns: 3 } })
    return Effect.gen(function* () {
      const end = yield* run()
      assert.strictEqual(end.error?.code, "max_turns")
      assert.include(end.error?.message, "3 turns")
    }).pipe(Effect.provide(layer))
  })

  it.effect("says before the first call that a model cannot call tools (R113)", () => {
    const { tool } = probe()
    const { layer } = kit({ tools: [tool], canCallTools: false, script: turns(answer("never")) })
    return Effect.gen(function* () {
      assert.strictEqual((yield* run()).error?.code, "provider_capability")
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps the session usable after a gate's defect (LESSONS 25)", () => {
    const { tool } = probe()
    let broken = true
    const { layer } = kit({
      tools: [tool],
      script: turns(answer("", [call("c1", "probe")]), answer("ok")),
      gate: (check) => (broken ? ((broken = false), Effect.die(new Error("gate"))) : Effect.succeed(allow(check)))
    })
    return Effect.gen(function* () {
      assert.strictEqual((yield* run()).error?.code, "internal")
      assert.strictEqual((yield* run("again")).status, "completed")
      assert.deepStrictEqual(violations(yield* history), [])
    }).pipe(Effect.provide(layer))
  })
})
