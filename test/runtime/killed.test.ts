/** A process that is killed is a process that suspended, as far as what it did is safe to go on with (DESIGN §7). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isTerminal } from "../../src/domain/Event.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { runtimeChild } from "../support/childProcess.ts"
import { answering, begin, stored } from "../support/restarts.ts"
import { type Point, session_id, world } from "../support/runtimeChild.ts"
import { watch } from "../support/runtimeKit.ts"
import { tempDirectory } from "../support/tempStore.ts"

/** Kills a process at the point and goes on in this one; gives what happened. */
const killedAt = Effect.fnUntraced(function* (point: Point) {
  const directory = yield* tempDirectory
  const file = join(directory, "store.db")
  const child = yield* runtimeChild(file, directory, point)
  assert.strictEqual(yield* child.line, `at ${point}`)
  yield* child.kill
  return yield* Effect.gen(function* () {
    const next = yield* begin(world(directory))
    const before = yield* stored(session_id)
    assert.deepStrictEqual(before.filter(isTerminal), [])
    const went = yield* next.manager.resumeAll()
    const session = yield* next.manager.get(session_id)
    const answered: Array<string> = []
    yield* answering(session, answered)
    const seen = yield* watch(session, { after: { seq: 0 } })
    const end = yield* Effect.raceFirst(seen.until("task_completed"), seen.until("task_failed"))
    const results = seen.facts().flatMap((event) => (event.type === "tool_result" ? [event.status] : []))
    const asked = seen
      .facts()
      .flatMap((event) => (event.type === "approval_request" && event.kind === "tool" ? [event.request_id] : []))
    const attempts = seen
      .facts()
      .flatMap((event) => (event.type === "tool_started" ? [`${event.call_id} ${event.attempt}`] : []))
    const resets = seen.types().filter((type) => type === "stream_reset").length
    yield* next.leave()
    assert.strictEqual((yield* stored(session_id)).filter(isTerminal).length, 1)
    return { went, end, results, asked, answered, attempts, resets, effects: effectsIn(directory) }
  }).pipe(Effect.provide(layerSqlite(file)))
})

const effectsIn = (directory: string): ReadonlyArray<string> =>
  readFileSync(join(directory, "effects"), "utf8").trim().split("\n").toSorted()

const ONCE_EACH = ["asking", "once", "pure"]

describe("a process killed", () => {
  it.live("while the model answered: it is asked again, in new streams", () =>
    Effect.gen(function* () {
      const { went, end, resets, effects } = yield* killedAt("asked")
      assert.deepStrictEqual([went, end.type, resets, effects], [1, "task_completed", 1, ONCE_EACH])
    }).pipe(Effect.scoped)
  )

  it.live("after it suspended: the same", () =>
    Effect.gen(function* () {
      const { went, end, resets, effects } = yield* killedAt("suspended")
      assert.deepStrictEqual([went, end.type, resets, effects], [1, "task_completed", 1, ONCE_EACH])
    }).pipe(Effect.scoped)
  )

  it.live("while a person was asked: the same question is open, and nothing had run", () =>
    Effect.gen(function* () {
      const { went, end, asked, answered, effects } = yield* killedAt("approval")
      assert.deepStrictEqual([went, end.type, effects], [1, "task_completed", ONCE_EACH])
      assert.deepStrictEqual([asked.length, answered], [1, asked])
    }).pipe(Effect.scoped)
  )

  it.live("while a tool ran that is harmless to repeat: that one runs again, and no other", () =>
    Effect.gen(function* () {
      const { went, end, attempts, results, effects } = yield* killedAt("pure")
      assert.deepStrictEqual([went, end.type, results], [1, "task_completed", ["ok", "ok", "ok"]])
      assert.deepStrictEqual(attempts.toSorted(), ["c1 1", "c1 2", "c2 1", "c3 1"])
      assert.deepStrictEqual(effects, ["asking", "once", "pure", "pure"])
    }).pipe(Effect.scoped)
  )

  it.live("while any other tool ran: a person is asked, and without their word nothing is repeated", () =>
    Effect.gen(function* () {
      const { went, end, results, answered, effects } = yield* killedAt("once")
      assert.deepStrictEqual([went, results.toSorted(), effects], [1, ["ok", "ok", "uncertain"], ONCE_EACH])
      assert.deepStrictEqual([end.type, answered.length], ["task_completed", 1])
    }).pipe(Effect.scoped)
  )
})
