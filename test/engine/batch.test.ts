/** The calls of one turn: checked one by one, run together where that is safe, results stable. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { allow, answer, call, kit, turns } from "../support/engineKit.ts"
import { probe, type ProbeOptions } from "../support/tools.ts"

const run = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))

/** Runs two calls; tells whether the second began before the first was let go. */
const together = (first: ProbeOptions, second: ProbeOptions, paths: readonly [string, string], slots = 8) =>
  Effect.gen(function* () {
    const [begun, go, overtook] = [
      Deferred.makeUnsafe<void>(),
      Deferred.makeUnsafe<void>(),
      Deferred.makeUnsafe<void>()
    ]
    const hold = () =>
      Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), { content: "1" })
    const a = probe({ ...first, name: "a", run: hold })
    const b = probe({
      ...second,
      name: "b",
      run: () => Effect.as(Deferred.succeed(overtook, undefined), { content: "2" })
    })
    const calls = [call("c1", "a", { path: paths[0] }), call("c2", "b", { path: paths[1] })]
    const { layer, seen } = kit({
      tools: [a.tool, b.tool],
      script: turns(answer("", calls), answer("ok")),
      limits: { tool_concurrency: slots }
    })
    return yield* Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(run)
      yield* Deferred.await(begun)
      for (let i = 0; i < 50; i++) yield* Effect.yieldNow
      const early = yield* Deferred.isDone(overtook)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(fiber)
      const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
      return { early, results: messages(state).flatMap((m) => (m.role === "tool" ? [m.content] : [])), seen }
    }).pipe(Effect.provide(layer))
  })

describe("tool batch", () => {
  it.effect("runs reads together and shows results in the model's order (R072, R073, R322)", () =>
    Effect.gen(function* () {
      const { early, results, seen } = yield* together({}, {}, ["x", "x"])
      assert.deepStrictEqual([early, results], [true, ["1", "2"]])
      const committed = seen.events.flatMap((event) => (event.type === "tool_result" ? [event.call_id] : []))
      assert.deepStrictEqual(committed, ["c2", "c1"])
    })
  )

  const cases: ReadonlyArray<readonly [string, ProbeOptions, ProbeOptions, readonly [string, string], boolean]> = [
    ["writes to one path", { risk: "mutating" }, { risk: "mutating" }, ["x", "x"], false],
    ["a read behind a write of its path", { risk: "mutating" }, {}, ["x", "x"], false],
    ["writes to different paths", { risk: "mutating" }, { risk: "mutating" }, ["x", "y"], true],
    ["anything behind what may touch anything", { risk: "mutating", opaque: true }, {}, ["x", "y"], false],
    ["what may touch anything behind anything", {}, { risk: "mutating", opaque: true }, ["x", "y"], false]
  ]
  for (const [name, first, second, paths, expected] of cases) {
    it.effect(`${name}: ${expected ? "together" : "in order"} (LESSONS 23)`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* together(first, second, paths)).early, expected)
      })
    )
  }

  it.effect("keeps to its concurrency limit (R075)", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* together({}, {}, ["x", "y"], 1)).early, false)
    })
  )

  it.effect("checks every call before any runs, one at a time (R071, R074)", () => {
    const order: Array<string> = []
    const { tool } = probe({ run: ({ n }) => Effect.sync(() => (order.push(`run ${n}`), { content: "" })) })
    const calls = [1, 2, 3].map((n) => call(`c${n}`, "probe", { n }))
    const { layer } = kit({
      tools: [tool],
      script: turns(answer("", calls), answer("ok")),
      gate: (check) =>
        Effect.gen(function* () {
          order.push(`ask ${check.call.call_id}`)
          yield* Effect.yieldNow
          order.push(`told ${check.call.call_id}`)
          return allow(check)
        })
    })
    return Effect.gen(function* () {
      yield* run
      assert.deepStrictEqual(order.slice(0, 6), ["ask c1", "told c1", "ask c2", "told c2", "ask c3", "told c3"])
      assert.deepStrictEqual(order.slice(6).toSorted(), ["run 1", "run 2", "run 3"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("stores the start of a call before its effect and the result after (DESIGN idea 5)", () => {
    let storedFirst = false
    const made = kit({
      tools: [
        probe({
          run: () =>
            Effect.sync(() => {
              storedFirst = made.seen.events.some((event) => event.type === "tool_started")
              return { content: "x" }
            })
        }).tool
      ],
      script: turns(answer("", [call("c1", "probe")]), answer("ok"))
    })
    return Effect.gen(function* () {
      yield* run
      assert.isTrue(storedFirst)
    }).pipe(Effect.provide(made.layer))
  })

  it.effect("cuts a huge result in the middle, on whole characters (R079)", () => {
    const { tool } = probe({ run: () => Effect.succeed({ content: "😀".repeat(5_000) }) })
    const { layer, seen } = kit({
      tools: [tool],
      script: turns(answer("", [call("c1", "probe")]), answer("ok")),
      limits: { tool_output_chars: 1_001 }
    })
    return Effect.gen(function* () {
      yield* run
      const result = seen.events.find((event) => event.type === "tool_result")
      assert.isTrue(result?.truncated === true && result.result.isWellFormed())
      assert.isBelow(result?.result.length ?? 0, 1_100)
      assert.match(result?.result ?? "", /9000 characters left out/)
    }).pipe(Effect.provide(layer))
  })
})
