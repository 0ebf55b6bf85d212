/** A reader of `claw run` may be slow, stop, or go away: memory is bounded, no fact is lost, nothing is said twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import * as fc from "fast-check"
import { follow, MAX_WAITING } from "../../src/cli/follow.ts"
import { Output } from "../../src/cli/Output.ts"
import { run } from "../../src/cli/Run.ts"
import type { DurableBody, LiveBody, SessionEvent } from "../../src/domain/Event.ts"
import type { CallId, StreamId } from "../../src/domain/Ids.ts"
import { captured } from "../support/capturedOutput.ts"
import { fakeSession, task_id, usage } from "../support/fakeSession.ts"

const turn = { task_id, turn: 1 }
const stream_id = "s1" as StreamId
const result = (n: number, size: number): DurableBody => ({
  type: "tool_result",
  ...turn,
  call_id: `c${n}` as CallId,
  tool_name: "bash",
  result: "x".repeat(size),
  status: "ok",
  is_error: false,
  duration_ms: 1
})
const delta = (offset: number, content: string): LiveBody => ({
  type: "text_delta",
  task_id,
  stream_id,
  offset,
  content
})
const done: DurableBody = { type: "task_completed", task_id, usage }

const charactersOf = (events: ReadonlyArray<SessionEvent>): number =>
  events.reduce((sum, event) => sum + (event.type === "tool_result" ? event.result.length : 0), 0)

/** Pieces of an answer, and whether the reader gets a turn behind each. */
const cuts = fc.array(fc.tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), fc.boolean()), {
  maxLength: 20
})

const wholeAndOnce = (pieces: ReadonlyArray<readonly [string, boolean]>) =>
  Effect.gen(function* () {
    const session = fakeSession()
    const output = captured({ gate: Effect.yieldNow })
    const running = run(session.runtime, { content: "hi", json: true, locale: "en" })
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Output, output.service), {
      startImmediately: true
    })
    let offset = 0
    for (const [text, pause] of pieces) {
      session.tell(delta(offset, text))
      offset += text.length
      if (pause) yield* Effect.yieldNow
    }
    session.tell(done)
    session.end()
    yield* Fiber.join(fiber)
    const events = output
      .out()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionEvent)
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event] : []))
    assert.strictEqual(deltas.map(({ content }) => content).join(""), pieces.map(([text]) => text).join(""))
    assert.deepStrictEqual(events.at(-1), session.facts.at(-1))
  })

describe("a slow reader", () => {
  it.effect("lets a bounded number of characters wait, and gets every fact once, in order", () =>
    Effect.gen(function* () {
      const session = fakeSession()
      const gate = yield* Latch.make(false)
      const batches: Array<ReadonlyArray<SessionEvent>> = []
      const { reading, end } = yield* follow(session.runtime, (events) =>
        Effect.as(gate.whenOpen(Effect.sync(() => void batches.push(events))), true)
      )
      session.tell(result(0, 1))
      yield* Effect.yieldNow
      for (let n = 1; n <= 500; n++) session.tell(result(n, 10_000))
      session.tell(done)
      yield* gate.open
      end()
      assert.strictEqual(yield* Fiber.join(reading), true)
      assert.deepStrictEqual(batches.flat(), session.facts)
      assert.isAtMost(Math.max(...batches.map(charactersOf)), MAX_WAITING + 10_000)
      assert.isAbove(session.watched().ever, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("reads the answer whole and once, wherever it was cut and whenever it was read", () =>
    Effect.forEach(fc.sample(cuts, 100), wholeAndOnce)
  )
})

describe("a reader that goes away (EPIPE)", () => {
  it.effect("ends the command quietly and takes the task along", () =>
    Effect.gen(function* () {
      const session = fakeSession()
      const output = captured({ reader: 1 })
      const running = run(session.runtime, { content: "hi", json: true, locale: "en" })
      const fiber = yield* Effect.forkChild(Effect.provideService(running, Output, output.service), {
        startImmediately: true
      })
      session.tell(delta(0, "a"))
      yield* Effect.yieldNow
      session.tell(delta(1, "b"))
      assert.deepStrictEqual([yield* Fiber.join(fiber), output.err()], [130, ""])
      assert.deepStrictEqual(JSON.parse(output.out()).content, "a")
      assert.strictEqual(session.watched().now, 0)
    })
  )
})
