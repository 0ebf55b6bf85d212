/** Four limits, each of its own (R107–R109, LESSONS 8, SETTLED 19), on a clock that the test moves. */
import { assert, describe, it } from "@effect/vitest"
import { type Cause, Channel, Effect, Fiber, type Pull, Queue, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type DeadlineLimits, type Step, defaults, withDeadlines } from "../../src/provider/Deadlines.ts"

const limits: DeadlineLimits = { connect_ms: 10_000, first_chunk_ms: 60_000, idle_ms: 30_000, total_ms: Infinity }

const streamOf = <A, E>(pull: Effect.Effect<Pull.Pull<readonly [A, ...Array<A>], E>, never, Scope.Scope>) =>
  Stream.fromChannel(Channel.fromTransformBracket((_, __, scope) => Scope.provide(pull, scope)))

/** A producer the test feeds, and a consumer that collects: what came, and the code it failed with. */
const run = Effect.fnUntraced(function* (given: DeadlineLimits = limits, consume: Effect.Effect<void> = Effect.void) {
  const steps = yield* Queue.unbounded<Step<string>, Cause.Done>()
  const got: Array<string> = []
  const pull = withDeadlines(given, Queue.take(steps), () => Queue.endUnsafe(steps))
  const fiber = yield* streamOf(pull).pipe(
    Stream.runForEach((text) =>
      Effect.andThen(
        consume,
        Effect.sync(() => void got.push(text))
      )
    ),
    Effect.as("ended"),
    Effect.catch((error) => Effect.succeed(error.code as string)),
    Effect.forkChild
  )
  yield* TestClock.adjust(0)
  const feed = (...some: ReadonlyArray<Step<string>>) =>
    Effect.andThen(Queue.offerAll(steps, some), TestClock.adjust(0))
  const result = () => fiber.pollUnsafe()
  return { feed, got, result, join: Fiber.join(fiber) }
})

describe("withDeadlines", () => {
  it.effect("no connection in time", () =>
    Effect.gen(function* () {
      const { result, join } = yield* run()
      yield* TestClock.adjust(9999)
      assert.isUndefined(result())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* join, "provider_timeout_connect")
    })
  )
  it.effect("connected, but no first chunk", () =>
    Effect.gen(function* () {
      const { feed, result, join } = yield* run()
      yield* TestClock.adjust(9000)
      yield* feed("connected")
      yield* TestClock.adjust(59_999)
      assert.isUndefined(result())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* join, "provider_timeout_first_token")
    })
  )
  it.effect("any chunk is progress, also one with nothing to show; then the gaps are watched", () =>
    Effect.gen(function* () {
      const { feed, got, result, join } = yield* run()
      yield* feed("connected")
      yield* TestClock.adjust(50_000)
      yield* feed([])
      yield* TestClock.adjust(29_999)
      yield* feed(["a", "b"])
      yield* TestClock.adjust(29_999)
      yield* feed([])
      yield* TestClock.adjust(29_999)
      assert.deepStrictEqual([got, result()], [["a", "b"], undefined])
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* join, "provider_timeout_idle")
    })
  )
  it.effect("a gap is noticed at once, also one that begins while a longer limit was watched", () =>
    Effect.gen(function* () {
      const { feed, result, join } = yield* run()
      yield* feed("connected")
      yield* TestClock.adjust(20_000)
      yield* feed([])
      yield* TestClock.adjust(29_999)
      assert.isUndefined(result())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* join, "provider_timeout_idle")
    })
  )
  it.effect("a long healthy answer has no limit by default", () =>
    Effect.gen(function* () {
      assert.strictEqual(defaults.total_ms, Infinity)
      const { feed, got, result } = yield* run(defaults)
      yield* feed("connected", ["0"])
      for (let i = 1; i <= 200; i++) {
        yield* TestClock.adjust(29_000)
        yield* feed([`${i}`])
      }
      assert.deepStrictEqual([got.length, result()], [201, undefined])
    })
  )
  it.effect("a total limit ends it all the same", () =>
    Effect.gen(function* () {
      const { feed, got, join } = yield* run({ ...limits, total_ms: 100_000 })
      yield* feed("connected", ["a"])
      for (let i = 0; i < 5; i++) {
        yield* TestClock.adjust(20_000)
        yield* feed(["b"])
      }
      assert.strictEqual(yield* join, "provider_timeout_total")
      assert.deepStrictEqual(got, ["a", "b", "b", "b", "b"])
    })
  )
  it.effect("the consumer's own time is not the model's silence", () =>
    Effect.gen(function* () {
      const { feed, got, result } = yield* run(limits, Effect.sleep("10 minutes"))
      yield* feed("connected", ["a"], ["b"])
      yield* TestClock.adjust("10 minutes")
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual([got, result()], [["a", "b"], undefined])
    })
  )
  it.effect("interrupting the consumer interrupts the producer, and leaves no watch", () =>
    Effect.gen(function* () {
      let [interrupted, stopped] = [0, 0]
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
      const stream = streamOf(withDeadlines(limits, never, () => void stopped++))
      const fiber = yield* Effect.forkChild(Stream.runDrain(stream))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([interrupted, stopped], [1, 0])
    })
  )
  it.effect("a limit that passes stops the producer, once, and what it failed with then is not shown", () =>
    Effect.gen(function* () {
      let stopped = 0
      let end: (effect: Effect.Effect<never, string>) => void = () => undefined
      const pull = Effect.callback<never, string>((resume) => void (end = resume))
      const stop = () => {
        stopped++
        end(Effect.fail("closed"))
      }
      const fiber = yield* Effect.forkChild(Effect.flip(Stream.runDrain(streamOf(withDeadlines(limits, pull, stop)))))
      yield* TestClock.adjust(10_000)
      const error = yield* Fiber.join(fiber)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([stopped, typeof error === "string" ? error : error.code], [1, "provider_timeout_connect"])
    })
  )
  it.effect("a limit that passes while the consumer works ends the next pull, and stops nobody", () =>
    Effect.gen(function* () {
      let stopped = 0
      const pull = Effect.succeed(["a"])
      const stream = streamOf(withDeadlines({ ...limits, total_ms: 1000 }, pull, () => void stopped++))
      const slow = Stream.runForEach(stream, () => Effect.sleep(400))
      const fiber = yield* Effect.forkChild(Effect.flip(slow))
      yield* TestClock.adjust(1200)
      assert.strictEqual((yield* Fiber.join(fiber)).code, "provider_timeout_total")
      assert.strictEqual(stopped, 0)
    })
  )
})
