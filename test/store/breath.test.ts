/** Transactions leave the event loop its turns: newcomers of a port do not wait for as many of them as they are (R308). */
import { createServer, type AddressInfo } from "node:net"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Breath from "../../src/store/sqlite/breath.ts"

/** Blocks as a commit does. */
const block = (ms: number) =>
  Effect.sync(() => {
    for (const end = performance.now() + ms; performance.now() < end;);
  })

const NEWCOMERS = 20

const connecting = `
  const { connect } = require("node:net")
  const { port, connected, count } = require("node:worker_threads").workerData
  for (let i = 0; i < count; i++) connect(port, "127.0.0.1", () => Atomics.add(connected, 0, 1)).on("error", () => {})
`

/** Newcomers that the system has accepted and this process has not; gives what is counted when the last one is. */
const newcomers = Effect.fnUntraced(function* (count: () => number) {
  const connected = new Int32Array(new SharedArrayBuffer(4))
  let left = NEWCOMERS
  let when = (_: number): void => undefined
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((socket) => {
        socket.on("error", () => undefined).destroy()
        left -= 1
        if (left === 0) when(count())
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.close())
  )
  const { port } = server.address() as AddressInfo
  const workerData = { port, connected, count: NEWCOMERS }
  yield* Effect.acquireRelease(
    Effect.sync(() => new Worker(connecting, { eval: true, workerData })),
    (worker) => Effect.promise(() => worker.terminate())
  )
  // Not a turn of this loop until all of them wait.
  while (Atomics.load(connected, 0) < NEWCOMERS);
  return Effect.callback<number>((resume) => {
    when = (value) => resume(Effect.succeed(value))
  })
})

/** Transactions that say in which order they ran, and when the loop turned. */
const recorded = () => {
  const { around } = Breath.make()
  const order: Array<string> = []
  return {
    order,
    around,
    enter: (name: number) => around(Effect.sync(() => void order.push(`${name}`))),
    watchTurn: Effect.acquireRelease(
      Effect.sync(() => setImmediate(() => void order.push("turn"))),
      (watch) => Effect.sync(() => clearImmediate(watch))
    )
  }
}

/** Behind this piece of work, in the same turn of the loop. */
const tick = Effect.promise(() => new Promise<void>((resolve) => process.nextTick(resolve)))

describe("the breath between transactions", () => {
  it.live("lets in far more newcomers than there are transactions", () =>
    Effect.gen(function* () {
      const { around } = Breath.make()
      let begun = 0
      const transaction = around(
        Effect.andThen(
          Effect.sync(() => void begun++),
          block(10)
        )
      )
      const last = yield* newcomers(() => begun)
      const writing = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: NEWCOMERS * 2 }, () => transaction),
          { concurrency: "unbounded" }
        )
      )
      assert.isBelow(yield* last, NEWCOMERS / 2)
      yield* Fiber.join(writing)
      assert.strictEqual(begun, NEWCOMERS * 2)
    }).pipe(Effect.scoped)
  )

  it.live("is waited for in order of arrival, and whoever gives up holds up nobody", () =>
    Effect.gen(function* () {
      const { order, around, enter } = recorded()
      yield* enter(0)
      // More than may be owed.
      yield* around(block(5))
      const fibers = yield* Effect.forEach([1, 2, 3], (n) => Effect.forkChild(enter(n), { startImmediately: true }))
      assert.deepStrictEqual(order, ["0"])
      const [first, second, third] = fibers
      if (first === undefined || second === undefined || third === undefined) return assert.fail("no fibers")
      yield* Fiber.interrupt(second)
      yield* Fiber.join(third)
      assert.deepStrictEqual(order, ["0", "1", "3"])
    })
  )

  it.live("is none between short ones that come in one turn, until they had their share of it", () =>
    Effect.gen(function* () {
      const { order, around, enter, watchTurn } = recorded()
      yield* watchTurn
      yield* enter(0)
      yield* enter(1)
      yield* around(block(5))
      yield* enter(2)
      assert.deepStrictEqual(order, ["0", "1", "turn", "2"])
    }).pipe(Effect.scoped)
  )

  it.live("is due in a piece of work that goes on and on: appends whose submitters append again leave turns", () =>
    Effect.gen(function* () {
      const { order, enter, watchTurn } = recorded()
      yield* watchTurn
      yield* enter(0)
      yield* block(30)
      yield* Effect.promise(() => Promise.resolve())
      yield* enter(1)
      assert.deepStrictEqual(order, ["0", "turn", "1"])
    }).pipe(Effect.scoped)
  )

  it.live("is due in a turn that does not end, whatever calls in it", () =>
    Effect.gen(function* () {
      const { order, around, watchTurn } = recorded()
      yield* watchTurn
      for (let i = 0; i < 40; i++) {
        yield* around(Effect.void)
        yield* tick
        yield* block(5)
      }
      assert.deepStrictEqual(order, ["turn"])
    }).pipe(Effect.scoped)
  )

  it.live("is none for what the loop calls behind it", () =>
    Effect.gen(function* () {
      const { order, enter, watchTurn } = recorded()
      yield* enter(0)
      yield* tick
      yield* block(30)
      yield* watchTurn
      yield* enter(1)
      assert.deepStrictEqual(order, ["0", "1"])
    }).pipe(Effect.scoped)
  )

  it.live("is none for one that comes alone", () =>
    Effect.gen(function* () {
      const { order, enter, watchTurn } = recorded()
      yield* watchTurn
      yield* enter(0)
      assert.deepStrictEqual(order, ["0"])
    }).pipe(Effect.scoped)
  )
})
