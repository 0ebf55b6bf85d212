/** An engine that goes on from stored facts: limits and the loop guard count what was before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DurableBody } from "../../src/domain/Event.ts"
import type { PromptId, SessionId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { answer, call, kit, type KitOptions, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"

const task_id = "t" as TaskId
const usage = { input_tokens: 10, output_tokens: 5 }

/** One whole turn that called `probe` with the same arguments and got the same. */
const turn = (n: number): ReadonlyArray<DurableBody> => {
  const at = { task_id, turn: n }
  const { call_id, tool_name, arguments: content } = call(`c${n}`, "probe", { n: 1 })
  const stream_id = `s${n}` as StreamId
  const result = { result: "ran 1", status: "ok", is_error: false, duration_ms: 40 } as const
  return [
    { type: "thinking", ...at, stream_id, reasoning_stream_id: stream_id },
    { type: "text_completed", ...at, stream_id, content: "", finish_reason: "tool_calls" },
    { type: "usage", ...at, usage: { input_tokens: 10 * n, output_tokens: 5 * n }, session_usage: usage },
    { type: "tool_call", ...at, call_id, tool_name, content, risk: "safe" },
    { type: "approval_resolved", ...at, call_id, decision: "allow_once", via: "policy" },
    { type: "tool_started", ...at, call_id, attempt: 1 },
    { type: "tool_result", ...at, call_id, tool_name, ...result }
  ]
}

const reminder = "(From claw, not from the person.) The last steps repeat the same calls with the same results."

/** Goes on behind these facts; gives the end and everything that was reported. */
const resumed = (facts: ReadonlyArray<DurableBody>, options: Partial<KitOptions> = {}) => {
  const { layer, seen } = kit({ tools: [probe().tool], script: turns(answer("done")), ...options })
  return Effect.gen(function* () {
    const [engine, reporter] = [yield* Engine, yield* Reporter]
    const started = { type: "task_started", task_id, prompt_id: "p" as PromptId, content: "go" } as const
    yield* reporter.report([started, ...facts])
    const input = { session_id: "local" as SessionId, task_id }
    const end = yield* engine.resume(input, { place: { kind: "turn" }, broken: new Set() })
    const reminders = seen.events.filter(
      (event) => event.type === "prompt_steered" && event.content.startsWith(reminder)
    )
    return {
      end,
      reminders: reminders.length,
      turns: seen.events.flatMap((event) => (event.type === "thinking" ? [event.turn] : []))
    }
  }).pipe(Effect.provide(layer))
}

describe("going on with a task", () => {
  it.effect("numbers the next turn behind the last one", () =>
    Effect.gen(function* () {
      const { end, turns: numbers } = yield* resumed([turn(1), turn(2)].flat())
      assert.deepStrictEqual([end.status, numbers], ["completed", [1, 2, 3]])
      assert.deepStrictEqual(end.usage, { input_tokens: 30, output_tokens: 15 })
    })
  )

  it.effect("names a repetition that was before, and not twice (LESSONS 37)", () =>
    Effect.gen(function* () {
      const three = [turn(1), turn(2), turn(3)].flat()
      assert.strictEqual((yield* resumed(three)).reminders, 1)
      const steered = { type: "prompt_steered", task_id, turn: 3, prompt_id: "r" as PromptId } as const
      const content = `${reminder} Do something different, or say what blocks you.`
      assert.strictEqual((yield* resumed([...three, { ...steered, content }])).reminders, 1)
    })
  )

  it.effect("ends at limits that were reached before (R117, R118)", () =>
    Effect.gen(function* () {
      const circles = yield* resumed([1, 2, 3, 4, 5, 6].flatMap(turn))
      assert.strictEqual(circles.end.error?.code, "doom_loop")
      const many = yield* resumed([turn(1), turn(2)].flat(), { limits: { max_turns: 2 } })
      assert.strictEqual(many.end.error?.code, "max_turns")
      const long = yield* resumed([turn(1), turn(2)].flat(), { limits: { tool_time_ms: 79 } })
      assert.strictEqual(long.end.error?.code, "budget_exceeded")
      const dear = yield* resumed([turn(1), turn(2)].flat(), { limits: { task_tokens: 30 } })
      assert.strictEqual(dear.end.error?.code, "budget_exceeded")
    })
  )
})
