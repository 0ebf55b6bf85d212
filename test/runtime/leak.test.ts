/** Cancelled tasks leave nothing: no watcher, no handle, no question, no slot (R132, R321, LESSONS 36). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { answer, call, text, turns } from "../support/engineKit.ts"
import { create, layer } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const TASKS = 900

/** One kind of task for each place to be cancelled in; `reached` completes when it is there. */
const kinds = () => {
  let reached = Deferred.makeUnsafe<void>()
  const there = Effect.suspend(() => Deferred.succeed(reached, undefined))
  const streaming = Stream.concat(
    Stream.fromArray<ModelPart>(text("so far")),
    Stream.fromEffect(Effect.andThen(there, Effect.never))
  )
  const hold = probe({ name: "hold", run: () => Effect.andThen(there, Effect.never) })
  const asks = probe({ name: "asks", risk: "mutating" })
  const scripts = {
    stream: streaming,
    tool: answer("", [call("c", "hold")]),
    approval: answer("", [call("c", "asks")])
  }
  const next = () => {
    reached = Deferred.makeUnsafe<void>()
    return Deferred.await(reached)
  }
  return { scripts, tools: [hold.tool, asks.tool], next, there: () => Deferred.doneUnsafe(reached, Effect.void) }
}

/** Handles, timers and what is to run next, once the loop is at rest. */
const resources = Effect.map(Effect.sleep("30 millis"), () => process.getActiveResourcesInfo().length)

describe("cancelling", () => {
  it.live(`${TASKS} tasks while streaming, asking and running leaves every session as it was`, () => {
    const { scripts, tools, next, there } = kinds()
    const names = ["stream", "tool", "approval"] as const
    const cancelOne = Effect.fnUntraced(function* (session: SessionRuntime) {
      const at = next()
      yield* session.prompt({ content: "go" })
      yield* at
      yield* session.interrupt()
    })
    return Effect.gen(function* () {
      const sessions = yield* Effect.forEach(names, (name) => create(name))
      for (const session of sessions) {
        const sink = (events: ReadonlyArray<{ readonly type: string }>) => {
          if (events.some((event) => event.type === "approval_request")) there()
        }
        yield* session.subscribe({ answers: true, sink })
      }
      const rounds = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.forEach(sessions, cancelOne))
      yield* rounds(20)
      const before = yield* resources
      yield* rounds(TASKS / names.length)
      assert.isAtMost(yield* resources, before)
      for (const session of sessions) {
        const [state, status] = [yield* session.state, yield* session.status]
        assert.deepStrictEqual([state.task, status.state, status.pending_approvals], [undefined, "idle", []])
        assert.strictEqual(state.last?.status, "canceled")
      }
    }).pipe(Effect.scoped, Effect.provide(layer({ tools, script: (id) => turns(scripts[id as keyof typeof scripts]) })))
  })

  it.live("ends what runs, and waits for its end, when the program's scope closes (R125, R136, LESSONS 43)", () => {
    const [asked, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const slowly = Effect.andThen(Effect.sleep("50 millis"), Deferred.succeed(ended, undefined))
    const held = Stream.fromEffect(
      Effect.onInterrupt(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never), () => slowly)
    )
    const program = Effect.gen(function* () {
      const session = yield* create("s1")
      yield* session.prompt({ content: "go" })
      yield* Effect.never
    }).pipe(Effect.provide(layer({ script: () => turns(held) })))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(program)
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.isDone(ended))
    })
  })
})
