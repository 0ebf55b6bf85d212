/**
 * A subagent is a run of the model inside a call: a history of its own, its caller's gate, budget and cancel, never more
 * than its caller may (LESSONS 32, 33; SECURITY T20; SETTLED 13; R121, R313–R315).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Check } from "../../src/approval/ApprovalGate.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { allow, answer, call, text } from "../support/engineKit.ts"
import { checkPrefixes, go, isBelow, over, resultOf, script, sub, types } from "../support/subagentKit.ts"
import { probe } from "../support/tools.ts"

describe("a subagent", () => {
  it.effect("with a tool that there is not, does not begin: its caller reads the names that there are", () => {
    const above = [answer("", [sub("a", "count", { tools: ["probe", "nosuch"] })]), answer("I see.")]
    const { layer, seen } = over({ tools: [probe().tool], script: script(above, [answer("")]) })
    return Effect.gen(function* () {
      yield* go
      const { result = "", status } = resultOf(seen.events, "a") ?? {}
      assert.deepStrictEqual([status, result], ["error", 'There is no tool "nosuch". The tools are: subagent, probe.'])
    }).pipe(Effect.provide(layer))
  })

  it.effect("has a fresh history and the tools it was given, and its last words are the call's result", () => {
    const seen: Array<ModelRequest> = []
    const { tool, log } = probe()
    const below = [answer("", [call("c", "probe", { n: 1 })]), answer("It is 42.")]
    const { layer, seen: told } = over({
      tools: [tool],
      script: script([answer("", [sub("a", "count", { tools: ["probe"] })]), answer("So it is 42.")], below, seen)
    })
    return Effect.gen(function* () {
      const end = yield* go
      assert.deepStrictEqual(
        [end.status, log, resultOf(told.events, "a")?.result],
        ["completed", ["+1", "-1"], "It is 42."]
      )
      const first = seen.find(isBelow)
      assert.deepStrictEqual(first?.messages.slice(1), [{ role: "user", content: "do count" }])
      assert.deepStrictEqual(
        first?.tools.map(({ name }) => name),
        ["probe"]
      )
      const inside =
        "subagent_started thinking text_completed usage tool_call approval_resolved tool_started tool_result"
      const expected = [
        ..."task_started thinking text_completed usage tool_call approval_resolved tool_started".split(" "),
        ...`${inside} thinking text_completed usage subagent_ended`.split(" ").map((type) => `a:${type}`),
        ..."tool_result thinking text_completed usage task_completed".split(" ")
      ]
      assert.deepStrictEqual(types(told.events), expected)
      // Four answers, and all of them are the task's.
      assert.deepStrictEqual(end.usage, { input_tokens: 40, output_tokens: 20 })
      const shown = told.live.flatMap((body) => (body.type === "tool_output_delta" ? [body.content] : []))
      assert.include(shown.join(""), "→ probe")
      checkPrefixes(told.events)
    }).pipe(Effect.provide(layer))
  })

  it.effect("passes the same gate under its name, and may only look where it was told so", () => {
    const checked: Array<Check> = []
    const gate = (check: Check) => Effect.sync(() => (checked.push(check), allow(check)))
    const { tool, log } = probe({ risk: "mutating" })
    const below = [answer("", [call("c", "probe", { n: 1 })]), answer("done")]
    const above = [answer("", [sub("a"), sub("b", "b", { read_only: true })]), answer("ok")]
    const { layer, seen } = over({ tools: [tool], gate, script: script(above, below) })
    return Effect.gen(function* () {
      yield* go
      assert.deepStrictEqual(
        checked.map(({ call: { tool_name }, subagent }) => [tool_name, subagent?.title]),
        [
          ["subagent", undefined],
          ["subagent", undefined],
          ["probe", "a"]
        ]
      )
      assert.deepStrictEqual(log, ["+1", "-1"])
      const denied = seen.events.find((event) => event.type === "approval_resolved" && event.decision === "deny")
      assert.deepInclude<object | undefined>(denied, { rule: "subagent: read_only", parent_call_id: "b" })
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["depth", {}, "", [answer("", [sub("deep")]), answer("no")], "There is no tool"],
    ["count", { task_subagents: 0 }, "The task's budget of 0 subagents is used up", [answer("")], ""],
    ["turns", { subagent_turns: 1 }, "[max_turns]", [answer("", [call("c", "probe")]), answer("never")], ""]
  ] as const)("has a limit of %s (R121)", ([, limits, own, below, inner]) => {
    const seen: Array<ModelRequest> = []
    const { layer, seen: told } = over({
      tools: [probe().tool],
      limits,
      script: script([answer("", [sub("a")]), answer("ok")], below, seen)
    })
    return Effect.gen(function* () {
      assert.strictEqual((yield* go).status, "completed")
      assert.include(resultOf(told.events, "a")?.result, own)
      assert.include(JSON.stringify(seen.findLast(isBelow)?.messages ?? ""), inner)
      checkPrefixes(told.events)
    }).pipe(Effect.provide(layer))
  })

  it.effect("fifty at once never pass the task's cap, and each tells how it ended (R118, R121)", () => {
    const ids = Array.from({ length: 50 }, (_, i) => `s${i}`)
    // Forty fit, and are asked at once; nobody is answered before.
    const all = Deferred.makeUnsafe<void>()
    let asked = 0
    const working = Stream.unwrap(
      Effect.suspend(() => {
        asked += 1
        if (asked === 40) Deferred.doneUnsafe(all, Effect.void)
        return Effect.as(Deferred.await(all), answer("found it"))
      })
    )
    const cap = 620
    const budget = { estimate: () => 10 }
    const { layer, seen } = over({
      budget,
      limits: { task_tokens: cap, max_output_tokens: 5, subagents_at_once: 50, tool_concurrency: 4 },
      script: script(
        [
          answer(
            "",
            ids.map((id) => sub(id))
          ),
          answer("all done")
        ],
        [working]
      )
    })
    return Effect.gen(function* () {
      const end = yield* go
      const { input_tokens, output_tokens } = end.usage
      assert.isAtMost(input_tokens + output_tokens, cap)
      assert.strictEqual(end.error?.budget?.limit, cap)
      const results = ids.map((id) => resultOf(seen.events, id))
      const done = results.filter((result) => result?.status === "ok")
      assert.deepStrictEqual([done.length, asked], [40, 40])
      for (const result of results.filter((one) => one?.status !== "ok"))
        assert.include(result?.result, "budget_exceeded")
      for (const event of seen.events) {
        if (event.type === "usage") assert.isAtMost(event.usage.input_tokens + event.usage.output_tokens, cap)
      }
      checkPrefixes(seen.events)
    }).pipe(Effect.provide(layer))
  })

  it.effect("shares its task's time of tools (R120)", () => {
    const { tool } = probe({ run: () => Effect.as(TestClock.adjust("40 seconds"), { content: "x" }) })
    const below = [answer("", [call("c", "probe")]), answer("done")]
    const above = [answer("", [sub("a")]), answer("", [sub("b")]), answer("ok")]
    const { layer } = over({ tools: [tool], limits: { tool_time_ms: 60_000 }, script: script(above, below) })
    return Effect.gen(function* () {
      const { error } = yield* go
      const use = { budget: "task", unit: "tool_ms", used: 80_000, limit: 60_000 }
      assert.deepStrictEqual<object | undefined>(error?.budget, use)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is cancelled with its task, on one path, and leaves nothing open (LESSONS 33, R315)", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const hanging = Stream.concat(
        Stream.fromArray<ModelPart>(text("so far")),
        Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      const { layer, seen } = over({ script: script([answer("", [sub("a")])], [hanging]) })
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(go)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(types(seen.events).slice(-4), [
          "a:text_completed",
          "a:subagent_ended",
          "tool_result",
          "task_canceled"
        ])
        assert.strictEqual(resultOf(seen.events, "a")?.status, "cancelled")
        checkPrefixes(seen.events)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("in the background reports as a prompt that steers, before the task ends", () => {
    const above = [answer("", [sub("a", "slow", { background: true })]), answer("I wait."), answer("Thanks.")]
    const seen: Array<ModelRequest> = []
    const { layer, seen: told } = over({ script: script(above, [answer("Found it.")], seen) })
    return Effect.gen(function* () {
      assert.strictEqual((yield* go).status, "completed")
      assert.include(resultOf(told.events, "a")?.result, "in the background")
      const last = seen.at(-1)?.messages.at(-1)
      assert.include(last?.content, 'The subagent "slow" reports:\nFound it.')
      const order = types(told.events)
      assert.isBelow(order.indexOf("a:subagent_ended"), order.indexOf("prompt_steered"))
      assert.strictEqual(order.at(-1), "task_completed")
      checkPrefixes(told.events)
    }).pipe(Effect.provide(layer))
  })
})
