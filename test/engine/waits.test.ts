/** What a task waits for is told where its state alone would not tell: a summary, hooks (R022, R090). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { LiveBody, StateName } from "../../src/domain/Event.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Hooks, type HooksShape, none } from "../../src/engine/Hooks.ts"
import { answer, call, kit, turns } from "../support/engineKit.ts"
import { honest, said, summarising } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const told = (live: ReadonlyArray<LiveBody>) =>
  live.flatMap((body): ReadonlyArray<readonly [StateName, string | undefined]> =>
    body.type === "state" ? [[body.state, body.on]] : []
  )

/** Long enough for whoever waits at all. */
const later = "5 seconds"
const prompted = (content: string) =>
  Effect.gen(function* () {
    const engine = yield* Engine
    const task = yield* Effect.forkChild(engine.prompt({ content }))
    yield* TestClock.adjust(later)
    yield* TestClock.adjust(later)
    yield* TestClock.adjust(later)
    return yield* Fiber.join(task)
  })

const { tool } = probe({ run: () => Effect.succeed({ content: "fine" }) })
const hooked = (hooks: Partial<HooksShape>) => {
  const { layer, seen } = kit({
    tools: [tool],
    script: turns(answer("", [call("c", "probe", { n: 1 })]), answer("ok"))
  })
  const all = Layer.provideMerge(layer, Layer.succeed(Hooks, { ...none, ...hooks }))
  return Effect.as(Effect.provide(prompted("go"), all), seen)
}

describe("a wait", () => {
  it.effect("for hooks is told while it lasts, and not what is over in a moment", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(Effect.succeed({}), "2 seconds")
      const { live } = yield* hooked({ beforePrompt: () => slow, beforeTool: () => slow })
      assert.deepStrictEqual(told(live), [
        ["preparing", "hooks"],
        ["preparing", undefined],
        ["preparing", undefined],
        ["waiting_response", undefined],
        ["waiting_response", "hooks"],
        ["waiting_response", undefined],
        ["executing_tools", undefined],
        ["appending", undefined],
        ["preparing", undefined],
        ["waiting_response", undefined]
      ])
      const quick = yield* hooked({ beforeTool: () => Effect.delay(Effect.succeed({}), "100 millis") })
      assert.deepStrictEqual(
        told(quick.live).filter(([, on]) => on !== undefined),
        []
      )
    })
  )

  it.effect("for a summary is told, and so is its end", () => {
    const slow = (text: string) => Stream.unwrap(Effect.delay(Effect.succeed(said(honest(text))), "2 seconds"))
    const model = summarising((_request, turn) => said(`GOAL: g\n${"word ".repeat(900)}${turn}`), slow)
    const { layer, seen } = kit({ script: model.script, limits: { context_window: 3_000, max_turns: 9 } })
    return Effect.gen(function* () {
      for (let i = 0; i < 4; i++) yield* prompted(`${i} ${"word ".repeat(200)}`)
      const waits = told(seen.live)
      const at = waits.findIndex(([, on]) => on === "summary")
      assert.deepStrictEqual(waits.slice(at, at + 3), [
        ["preparing", "summary"],
        ["preparing", undefined],
        ["waiting_response", undefined]
      ])
    }).pipe(Effect.provide([layer, Logger.layer([])]))
  })
})
