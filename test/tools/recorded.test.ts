/** Which calls stand between two looks, and that the look behind follows every end of a call (issue 5; R083). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { RiskAssessment } from "../../src/domain/Approval.ts"
import type { CallId, TaskId } from "../../src/domain/Ids.ts"
import type { ChangingCall, Checkpoints } from "../../src/sandbox/Checkpoints.ts"
import { makeRecorded } from "../../src/tools/recorded.ts"
import type { Tool, ToolContext } from "../../src/tools/Tool.ts"
import { ToolError } from "../../src/tools/ToolError.ts"
import { probe } from "../support/tools.ts"

const spy = (skipped?: "home") => {
  const log: Array<unknown> = []
  const service = {
    begin: ({ touch }: ChangingCall) =>
      Effect.sync(() => {
        log.push(touch)
        const end = Effect.sync(() => (log.push("end"), { step: { step: "s" } }))
        return skipped === undefined ? { end } : { skipped, end: Effect.succeed({}) }
      })
  }
  return { log, record: makeRecorded(service as unknown as Checkpoints["Service"]) }
}

const context = (told: Array<unknown> = []): ToolContext => ({
  task_id: "t1" as TaskId,
  call_id: "c1" as CallId,
  emit: () => {},
  processStarted: () => Effect.void,
  recorded: (what) => void told.push(what)
})
const nothing = Effect.succeed({ content: "" })
const tool = (effect: Tool["effect"], found: Partial<RiskAssessment>): Tool => ({
  ...probe({ effect }).tool,
  assess: () => Effect.succeed({ risk: "mutating", reason: "", paths: ["/w/a"], opaque: false, ...found })
})

describe("a call", () => {
  it.effect("that only reads costs no look; one that names its files is looked at there, any other everywhere", () =>
    Effect.gen(function* () {
      const { log, record } = spy()
      for (const [effect, found] of [
        ["pure", {}],
        ["once", { risk: "safe" }],
        ["once", { risk: "safe", opaque: true }],
        ["probe", {}],
        ["once", { opaque: true }]
      ] as const) {
        yield* record(tool(effect, found), {}, context(), nothing)
      }
      assert.deepStrictEqual(log, [{ kind: "paths", paths: ["/w/a"] }, "end", { kind: "anything" }, "end"])
    })
  )

  it.effect("that fails, dies or is interrupted is looked at all the same, before that is told", () =>
    Effect.gen(function* () {
      const { log, record } = spy()
      const told: Array<unknown> = []
      const changing = tool("once", { opaque: true })
      const failing = Effect.fail(new ToolError({ code: "tool_failed", detail: "" }))
      yield* Effect.exit(record(changing, {}, context(told), failing))
      yield* Effect.exit(record(changing, {}, context(told), Effect.die("bug")))
      const begun = Deferred.makeUnsafe<void>()
      const forever = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const fiber = yield* Effect.forkChild(record(changing, {}, context(told), forever))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(log.filter((entry) => entry === "end").length, 3)
      assert.deepStrictEqual(told, [{ step: "s" }, { step: "s" }, { step: "s" }])
    })
  )

  it.effect("that is not kept says why, once for each reason", () =>
    Effect.gen(function* () {
      const { record } = spy("home")
      const told: Array<unknown> = []
      for (let i = 0; i < 3; i++) yield* record(tool("once", { opaque: true }), {}, context(told), nothing)
      assert.deepStrictEqual(told, [{ skipped: "home" }])
    })
  )
})
