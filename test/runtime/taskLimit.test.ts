/** How many tasks run at once in a process, and what the others are told (R281). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import * as TaskSlots from "../../src/runtime/TaskSlots.ts"
import { answer, turns } from "../support/engineKit.ts"
import { create, layer, watch, type Watching } from "../support/runtimeKit.ts"

/** Each session's model answers when the test opens its door. */
const doors = () => {
  const opened = new Map<string, Deferred.Deferred<void>>()
  const asked: Array<string> = []
  const door = (id: string) => {
    const known = opened.get(id) ?? Deferred.makeUnsafe<void>()
    opened.set(id, known)
    return known
  }
  const held = (id: string) =>
    Stream.suspend((): Stream.Stream<ModelPart> => {
      asked.push(id)
      return Stream.concat(Stream.fromEffectDrain(Deferred.await(door(id))), answer("ok"))
    })
  return {
    asked,
    open: (id: string) => Deferred.succeed(door(id), undefined),
    script: (id: SessionId) => turns(held(id))
  }
}

const limited = (
  limits: { readonly running: number; readonly waiting: number },
  script: ReturnType<typeof doors>["script"]
) => layer({ script }).pipe(Layer.provide(Layer.succeed(TaskSlots.TaskSlots, TaskSlots.make(limits))))

const places = (seen: Watching) =>
  seen.events.flatMap((event) => (event.type === "task_waiting" ? [event.position] : []))

const start = Effect.fnUntraced(function* (id: string) {
  const session = yield* create(id)
  const seen = yield* watch(session)
  const { task } = yield* session.prompt({ content: "go" })
  return { session, seen, task: task! }
})

describe("the limit of tasks of a process", () => {
  it.effect("lets so many run; the others wait in order and are told each change of their place (R281)", () => {
    const { asked, open, script } = doors()
    return Effect.gen(function* () {
      const [a, b, c, d] = [yield* start("a"), yield* start("b"), yield* start("c"), yield* start("d")]
      assert.deepStrictEqual(
        [a, b, c, d].map(({ seen }) => places(seen)),
        [[], [], [1], [2]]
      )
      assert.deepStrictEqual(c.seen.types(), ["task_started"])
      const status = yield* c.session.status
      assert.deepStrictEqual([status.state, status.task?.turn], ["preparing", 0])
      yield* open("b")
      yield* b.task.await
      yield* open("c")
      yield* c.task.await
      yield* open("d")
      yield* d.task.await
      assert.deepStrictEqual(
        [asked, places(d.seen)],
        [
          ["a", "b", "c", "d"],
          [2, 1]
        ]
      )
      assert.deepStrictEqual(d.seen.types().at(-1), "task_completed")
      yield* open("a")
      assert.strictEqual((yield* a.task.await).status, "completed")
    }).pipe(Effect.scoped, Effect.provide(limited({ running: 2, waiting: 9 }, script)))
  })

  it.effect("tells a watcher that comes later where the task stands", () => {
    const { open, script } = doors()
    return Effect.gen(function* () {
      yield* start("a")
      const { session, task } = yield* start("b")
      const late = yield* watch(session)
      assert.deepStrictEqual(places(late), [1])
      yield* open("a")
      yield* open("b")
      yield* task.await
      const after = yield* watch(session)
      assert.deepStrictEqual(places(after), [])
    }).pipe(Effect.scoped, Effect.provide(limited({ running: 1, waiting: 9 }, script)))
  })

  it.effect("ends a waiting task by an interrupt, once, and gives its place to the next (R040, R281)", () => {
    const { asked, open, script } = doors()
    return Effect.gen(function* () {
      const [a, b, c] = [yield* start("a"), yield* start("b"), yield* start("c")]
      yield* b.session.interrupt()
      assert.strictEqual((yield* b.task.await).status, "canceled")
      assert.deepStrictEqual(b.seen.types(), ["task_started", "task_canceled"])
      assert.deepStrictEqual(places(c.seen), [2, 1])
      yield* open("a")
      yield* a.task.await
      yield* open("c")
      yield* c.task.await
      assert.deepStrictEqual([asked, places(b.seen)], [["a", "c"], [1]])
    }).pipe(Effect.scoped, Effect.provide(limited({ running: 1, waiting: 9 }, script)))
  })

  it.effect("refuses a prompt beyond the places with rate_limited, and stores nothing of it (R281)", () => {
    const { open, script } = doors()
    return Effect.gen(function* () {
      const a = yield* start("a")
      const b = yield* start("b")
      const c = yield* create("c")
      const seen = yield* watch(c)
      const refused = yield* Effect.flip(c.prompt({ content: "go", idempotency_key: "k" }))
      assert.deepStrictEqual([refused.code, refused.isRetryable], ["rate_limited", true])
      assert.deepStrictEqual([seen.types(), (yield* c.status).position], [[], 0])
      yield* open("a")
      yield* a.task.await
      const again = yield* c.prompt({ content: "go", idempotency_key: "k" })
      assert.isFalse(again.duplicate)
      yield* open("b")
      yield* b.task.await
      yield* open("c")
      assert.strictEqual((yield* again.task!.await).status, "completed")
    }).pipe(Effect.scoped, Effect.provide(limited({ running: 1, waiting: 1 }, script)))
  })

  it.effect("never refuses a prompt that was accepted while its session was busy", () => {
    const { open, script } = doors()
    return Effect.gen(function* () {
      const a = yield* start("a")
      yield* a.session.prompt({ content: "next", when_busy: "queue" })
      const b = yield* start("b")
      yield* open("a")
      yield* a.task.await
      yield* open("b")
      yield* b.task.await
      while (a.seen.types().filter((type) => type === "task_completed").length < 2) yield* Effect.yieldNow
    }).pipe(Effect.scoped, Effect.provide(limited({ running: 1, waiting: 1 }, script)))
  })
})

it("gives leave in the order of asking, each once, and tells far places in steps of a tenth", () => {
  const slots = TaskSlots.make({ running: 1, waiting: 1_000 })
  const first = slots.enter({ accepted: false })!
  const told: Array<number> = []
  const waiting = Array.from({ length: 1_000 }, () => slots.enter({ accepted: false })!)
  assert.strictEqual(slots.enter({ accepted: false }), undefined)
  waiting[999]!.follow((position) => void told.push(position))
  first.leave()
  first.leave()
  assert.deepStrictEqual([slots.running(), slots.waiting()], [1, 999])
  for (const ticket of waiting.slice(0, 999)) ticket.leave()
  assert.deepStrictEqual([slots.running(), slots.waiting()], [1, 0])
  assert.deepStrictEqual(told.slice(0, 3), [1_000, 900, 810])
  assert.deepStrictEqual(
    told.slice(-32),
    Array.from({ length: 32 }, (_, i) => 32 - i)
  )
  assert.isBelow(told.length, 80)
  waiting[999]!.leave()
  assert.deepStrictEqual([slots.running(), slots.waiting()], [0, 0])
})
