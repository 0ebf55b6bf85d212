/** Two processes on one store: one writer a session, and waits for a lock that end (LESSONS 47; R052; RELIABILITY I11). */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { Journal } from "../../src/store/Journal.ts"
import { layerSqlite, LockWait } from "../../src/store/sqlite/SqliteStore.ts"
import { storeChild } from "../support/childProcess.ts"
import { filled, readAll, run, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

it.live("fences a process when another one claims its session", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", run(0, 2))
      const child = yield* storeChild("claim", file, "s")
      assert.strictEqual(yield* child.line, `epoch ${epoch + 1} after 2`)
      const fenced = yield* Effect.flip(journal.append(session, epoch, run(2, 1)))
      assert.strictEqual(fenced.code, "fenced")
      assert.include(fenced.detail, "the child")

      const { epoch: newest } = yield* journal.claim(session, "parent")
      yield* child.endInput
      assert.strictEqual(yield* child.line, "fenced")
      yield* journal.append(session, newest, run(2, 1))
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 3))
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.live("fails in time with a sentence where the lock stays, reads on meanwhile, and works again when it is free", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const impatient = layerSqlite(file).pipe(Layer.provide(Layer.succeed(LockWait, Duration.millis(100))))
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", run(0, 2))
      const child = yield* storeChild("lock", file)
      assert.strictEqual(yield* child.line, "locked")
      const outcomes = yield* Effect.forEach([1, 2, 3], () => Effect.flip(journal.append(session, epoch, run(2, 2))), {
        concurrency: "unbounded"
      })
      for (const error of outcomes) {
        assert.strictEqual(error.code, "storage_unavailable")
        assert.include(error.detail, "Another process holds the lock")
      }
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 2))
      yield* child.endInput
      assert.strictEqual(yield* child.line, "free")
      yield* journal.append(session, epoch, run(2, 2))
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 4))
    }).pipe(Effect.provide(impatient))
  })
)

it.live("waits for a lock without stopping the event loop", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", [])
      const child = yield* storeChild("lock", file)
      assert.strictEqual(yield* child.line, "locked")
      const waiting = yield* Effect.forkChild(journal.append(session, epoch, run(0, 1)), { startImmediately: true })
      // Were the wait inside SQLite, these turns of the loop could not come, and the lock would never be given back.
      for (let turn = 0; turn < 5; turn++) yield* Effect.promise(() => setImmediate())
      assert.isUndefined(waiting.pollUnsafe())
      yield* child.endInput
      yield* Fiber.join(waiting)
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 1))
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.live("lets processes that start at once on a new file make it once", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "state", "store.db")
    const children = yield* Effect.forEach(["a", "b", "c"], (name) => storeChild("claim", file, name))
    for (const child of children) assert.strictEqual(yield* child.line, "epoch 1 after 0")
    for (const child of children) yield* child.endInput
    for (const child of children) assert.strictEqual(yield* child.line, "stored")
  })
)

it.live("gets its turn while another process commits without a pause (R304)", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const child = yield* storeChild("append", file)
    yield* child.line
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("mine", [])
      for (let pos = 0; pos < 40; pos++) yield* journal.append(session, epoch, run(pos, 1))
      yield* child.kill
      assert.deepStrictEqual(yield* readAll(session), { records: run(0, 40), damaged: [] })
      const theirs = yield* readAll(sessionId("a"))
      assert.deepStrictEqual(theirs, { records: run(0, theirs.records.length), damaged: [] })
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)
