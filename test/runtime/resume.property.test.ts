/**
 * A task that is stopped at any points and goes on each time is the task that was never stopped: same facts, same
 * effects, one end (DESIGN §7; RELIABILITY 3.7).
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Schema, Scope, Stream } from "effect"
import type { GrantStore } from "../../src/approval/GrantStore.ts"
import { isTerminal } from "../../src/domain/Event.ts"
import { messages } from "../../src/domain/History.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ToolCall } from "../../src/domain/Message.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { replay } from "../../src/eval/Replay.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import type { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { call, completed, text } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { answering, begin, plain, type Process, stored } from "../support/restarts.ts"
import { byHistory } from "../support/runtimeKit.ts"
import { layerTempSqlite } from "../support/tempStore.ts"
import { probe } from "../support/tools.ts"

const s1 = "s1" as SessionId

type Store = Layer.Layer<Journal | SessionIndex | GrantStore, StoreError>

const upTo = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))
const between = (least: number, most: number) => [Schema.isMinLength(least), Schema.isMaxLength(most)] as const

/**
 * `look` is harmless, `once` is not, `ask` is not and a person is asked, `none` does not exist, `torn` has arguments that
 * do not parse (three such turns in a row end the task).
 */
const Name = Schema.Literals(["look", "once", "ask", "none", "torn"])

const Plan = Schema.Struct({
  /** The calls of each turn. */
  turns: Schema.Array(Schema.Array(Name).check(...between(1, 3))).check(...between(1, 3)),
  /** Turns behind them that are all alike: the third is named to the model, the sixth ends the task. */
  alike: upTo(7),
  yields: upTo(4),
  /** Steps of the scheduler after which the process leaves, one after another. */
  stops: Schema.Array(upTo(60)).check(...between(0, 6))
})
type Plan = typeof Plan.Type

const pause = (yields: number) =>
  Effect.forEach(Array.from({ length: yields }), () => Effect.yieldNow, { discard: true })

/** The model and the tools of a plan, and what the tools did. */
const world = ({ turns, alike, yields }: Plan) => {
  const run = () => Effect.as(pause(yields), { content: "done" })
  const tools = [
    probe({ name: "look", effect: "pure", run }),
    probe({ name: "once", risk: "safe", opaque: true, run }),
    probe({ name: "ask", risk: "mutating", run }),
    probe({ name: "torn", run })
  ]
  const said = (content: string, calls: ReadonlyArray<ToolCall> = []) => {
    const torn = calls.filter(({ tool_name }) => tool_name === "torn")
    const bad_calls = torn.map(({ call_id }) => ({ call_id, complaint: "they did not parse", raw: "{" }))
    const end = { ...completed(`${content}!`, calls), bad_calls } as ModelPart
    const parts = Stream.fromArray<ModelPart>([...text(content), ...text("!"), end])
    return Stream.mapEffect(parts, (part) => Effect.as(pause(yields), part))
  }
  const answers = turns.map((names, turn) =>
    said(
      `turn ${turn}`,
      names.map((name, i) => call(`c${turn}.${i}`, name, name === "torn" ? {} : { n: turn * 10 + i }))
    )
  )
  const same = Array.from({ length: alike }, (_, i) => said("same", [call(`same.${i}`, "look", { n: 1 })]))
  const script = byHistory(...answers, ...same, said("the end"))
  return { options: { tools: tools.map(({ tool }) => tool), script: () => script }, tools }
}

const atEnd = Effect.map(stored(s1), (events) => events.some(isTerminal))

/** Runs to the end, or for so many steps; the processes of a plan without stops are one. */
const live = (process: Process, steps: number) =>
  Effect.gen(function* () {
    const session = yield* process.manager.get(s1)
    yield* answering(session)
    for (let i = 0; i < steps; i++) {
      if (yield* atEnd) break
      yield* Effect.yieldNow
    }
  }).pipe(Effect.scoped)

const lived = (given: Plan, store: Store) => {
  const { options, tools } = world(given)
  return Effect.gen(function* () {
    const first = yield* begin(options)
    const session = yield* first.manager.create(s1, { workspace: "/" })
    // Somebody is there before anything is asked.
    const watching = yield* Scope.make()
    yield* Effect.provideService(session.subscribe({ answers: true, sink: () => {} }), Scope.Scope, watching)
    yield* session.prompt({ content: "go" })
    let process = first
    for (const steps of given.stops) {
      yield* live(process, steps)
      yield* process.leave()
      process = yield* begin(options)
      yield* process.manager.resumeAll()
      if (yield* atEnd) yield* process.manager.open(s1)
    }
    yield* live(process, Number.POSITIVE_INFINITY)
    const state = yield* Effect.flatMap(process.manager.get(s1), (last) => last.state)
    yield* Scope.close(watching, Exit.void)
    yield* process.leave()
    const events = yield* stored(s1)
    const { difference, requests } = yield* replay(sessionKey(localOwner, s1))
    assert.strictEqual(difference, undefined)
    assert.isAbove(requests, 0)
    return {
      facts: plain(events),
      terminals: events.filter(isTerminal).length,
      effects: tools.map(({ log }) => log),
      state
    }
  }).pipe(Effect.scoped, Effect.provide(store))
}

const same = (name: string, store: Store, runs: number) =>
  it.effect.prop(
    `stopped at any points, it has the facts, the effects and the one end of a task that was not: ${name} (R297)`,
    [Plan],
    ([given]) =>
      Effect.gen(function* () {
        const whole = yield* lived({ ...given, stops: [] }, store)
        const cut = yield* lived(given, store)
        assert.deepStrictEqual(cut.facts, whole.facts)
        assert.deepStrictEqual([whole.terminals, cut.terminals], [1, 1])
        assert.deepStrictEqual(cut.effects, whole.effects)
        assert.deepStrictEqual(violations(messages(cut.state)), [])
        assert.deepStrictEqual(cut.state.usage, whole.state.usage)
      }),
    { timeout: 60_000, arbitrary: { runs, size: 6 } }
  )

same("memory", layerMemory, 120)
same("SQLite", layerTempSqlite, 15)
