/**
 * A task that makes its conversation shorter is stopped at any point of that, also between a summary and its fact: it has
 * the old conversation or the new one, never a mixture, runs nothing twice, and replays (RELIABILITY 3.3, C20).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { isTerminal } from "../../src/domain/Event.ts"
import { messages } from "../../src/domain/History.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { replay } from "../../src/eval/Replay.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { answer, call } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { begin, stored } from "../support/restarts.ts"
import { summarising } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const s1 = "s1" as SessionId
const TURNS = 24
const LONG = "a line of output\n".repeat(560)

const world = () => {
  const { log, tool } = probe({ run: ({ n = 0 }) => Effect.as(Effect.yieldNow, { content: `${n} ${LONG}` }) })
  let turn = 0
  // What was done shows in the effects, since older turns are no longer in the request.
  const model = summarising(() => {
    turn = log.filter((line) => line.startsWith("-")).length + 1
    return turn > TURNS ? answer("RULE: done") : answer("", [call(`c${turn}`, "probe", { n: turn })])
  })
  return { log, options: { tools: [tool], script: () => model.script } }
}

const lived = (stops: ReadonlyArray<number>) => {
  const { log, options } = world()
  const live = Effect.fnUntraced(function* (session: SessionRuntime, steps: number) {
    for (let i = 0; i < steps && (yield* session.state).task !== undefined; i++) yield* Effect.yieldNow
  })
  return Effect.gen(function* () {
    let process = yield* begin(options)
    yield* (yield* process.manager.create(s1, { workspace: "/" })).prompt({ content: "RULE: be quick" })
    for (const steps of stops) {
      yield* live(yield* process.manager.get(s1), steps)
      yield* process.leave()
      process = yield* begin(options)
      yield* process.manager.open(s1, { recover: true })
    }
    const session = yield* process.manager.get(s1)
    yield* live(session, Number.POSITIVE_INFINITY)
    const state = yield* session.state
    yield* process.leave()
    const events = yield* stored(s1)
    const { difference } = yield* replay(sessionKey(localOwner, s1))
    assert.strictEqual(difference, undefined)
    assert.deepStrictEqual(violations(messages(state)), [])
    assert.include(JSON.stringify(messages(state)), "be quick")
    return {
      log,
      ended: events.filter(isTerminal).length,
      made: events.filter(({ type }) => type === "compacted").length
    }
  }).pipe(Effect.scoped, Effect.provide([layerMemory, Logger.layer([])]))
}

describe("a task that makes its conversation shorter", () => {
  it.live("goes on wherever it was stopped, with the same effects", () =>
    Effect.gen(function* () {
      const whole = yield* lived([])
      assert.isAtLeast(whole.made, 2)
      for (let steps = 60; steps < 400; steps += 40) {
        const cut = yield* lived([steps, 1, 5])
        assert.deepStrictEqual([cut.log, cut.ended], [whole.log, 1], `stopped after ${steps}`)
        assert.isAtLeast(cut.made, 1)
      }
    })
  )
})
