/** A process that dies in the middle of a call, or of an undo: what it left can be told, and gone on with (issue 5). */
import { existsSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Points from "../../../src/observability/Points.ts"
import { undoChild } from "../../support/childProcess.ts"
import { ANYTHING, nextCall, type Scene, scene, TASK, treeOf, undo } from "../../support/checkpointKit.ts"

/** A call that begins and never ends. */
const begun = ({ checkpoints }: Scene, touch = ANYTHING) =>
  checkpoints.begin({ task_id: TASK, call_id: nextCall(), touch })

describe("a process that died in a call", () => {
  it.live.each(["anything", "paths"] as const)("leaves what it was looking at: %s", (kind) =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old", 0o644)
      own.write("b", "old", 0o644)
      yield* begun(own, kind === "anything" ? ANYTHING : { kind, paths: [own.at("a")] })
      own.write("a", "half")
      const later = { ...own, checkpoints: yield* own.again }
      const left = yield* later.checkpoints.left
      assert.deepStrictEqual(
        left.map(({ task_id, uncertain }) => [task_id, uncertain]),
        [[TASK, true]]
      )
      // Told again as long as nobody stored it, and the same.
      assert.deepStrictEqual(yield* later.checkpoints.left, left)
      const cautious = yield* undo(later, left)
      assert.deepStrictEqual(cautious.kept, [{ path: "a", reason: "uncertain" }])
      assert.strictEqual(treeOf(own.root)["a"], "644 half")
      yield* undo(later, left, true)
      assert.strictEqual(treeOf(own.root)["a"], "644 old")
    }).pipe(Effect.scoped)
  )

  it.live("whose step was not stored yet: it is told again", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old")
      const step = yield* own.call(() => own.write("a", "new"))
      const left = yield* (yield* own.again).left
      assert.deepStrictEqual(
        left.map((one) => [one.step, one.uncertain]),
        [[step?.step, undefined]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("in which nothing was changed: there is nothing to tell", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old")
      yield* begun(own)
      yield* own.call(() => {})
      assert.deepStrictEqual(yield* (yield* own.again).left, [])
    }).pipe(Effect.scoped)
  )
})

describe("a store", () => {
  it.live("with a damaged index, a lock that a killed git left, or a torn call is used on", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old", 0o644)
      yield* own.call(() => own.write("a", "1"))
      const [name = ""] = readdirSync(own.base)
      const sessions = join(own.base, name, "sessions")
      const place = join(sessions, readdirSync(sessions)[0] ?? "")
      const index = readdirSync(place).find((file) => file.startsWith("index-")) ?? ""
      writeFileSync(join(place, index), "torn")
      writeFileSync(join(place, `${index}.lock`), "")
      writeFileSync(join(place, "call-000000000000001-torn"), '{"v":1,')
      const later = { ...own, checkpoints: yield* own.again }
      assert.strictEqual((yield* later.checkpoints.left).length, 1)
      const window = yield* begun(later)
      own.write("a", "2")
      yield* undo(later, [(yield* window.end).step])
      assert.strictEqual(treeOf(own.root)["a"], "644 1")
    }).pipe(Effect.scoped)
  )

  it.live("whose contents are gone says so, and touches nothing", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old")
      own.write("b", "old", 0o644)
      const step = yield* own.call(() => (own.write("a", "new", 0o644), own.remove("b")))
      const [name = ""] = readdirSync(own.base)
      const objects = join(own.base, name, "objects")
      // Every content but the step's own record.
      for (const folder of readdirSync(objects).filter((one) => one !== step?.step.slice(0, 2)))
        rmSync(join(objects, folder), { recursive: true })
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(
        undone.kept.map(({ reason }) => reason),
        ["gone", "gone"]
      )
      assert.deepStrictEqual(treeOf(own.root), { a: "644 new" })
      rmSync(objects, { recursive: true })
      const error = yield* Effect.flip(undo(own, [step]))
      assert.match(error.message, /not kept any more/)
    }).pipe(Effect.scoped)
  )
})

describe("an undo that is killed", () => {
  const FILES = 140

  /** Killed at the first change below this directory. */
  const killedAt = Effect.fnUntraced(function* (own: Scene, plan: string, directory: string) {
    const child = yield* undoChild(own.base, own.root, plan)
    const touched = Deferred.makeUnsafe<void>()
    const watcher = watch(own.at(directory), () => void Deferred.doneUnsafe(touched, Effect.void))
    yield* Effect.ensuring(
      Deferred.await(touched),
      Effect.sync(() => watcher.close())
    )
    yield* child.kill
  })

  it.live(
    "is gone on with as often as it takes; what the person changed meanwhile stays",
    () =>
      Effect.gen(function* () {
        const own = yield* scene()
        const names = Array.from({ length: FILES }, (_, i) => `d${i % 7}/f${String(i).padStart(3, "0")}`)
        for (const name of names) own.write(name, `old ${name}`, 0o644)
        const was = treeOf(own.root)
        const step = yield* own.call(() => {
          for (const name of names) own.write(name, `new ${name}`)
          own.write("made/x", "x")
        })
        const { plan } = yield* own.checkpoints.plan({
          direction: "undo",
          steps: step === undefined ? [] : [step],
          uncertain: false
        })
        const put = () => {
          const now = treeOf(own.root)
          return names.filter((name) => now[name] === was[name]).length
        }
        for (const directory of ["d0", "d3"]) yield* killedAt(own, plan, directory)
        assert.isAbove(put(), 0)
        const open = names.filter((name) => treeOf(own.root)[name] !== was[name])
        const [mine] = open.slice(-1)
        if (mine !== undefined) own.write(mine, "the person's")
        const done = yield* own.checkpoints.apply(plan)
        assert.deepStrictEqual(
          done.kept.map(({ path }) => path),
          mine === undefined ? [] : [mine]
        )
        const expected = mine === undefined ? was : { ...was, [mine]: "644 the person's" }
        assert.deepStrictEqual([treeOf(own.root), existsSync(own.at("made"))], [expected, false])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live.each(["the person's", "old"])("leaves no file of its own beside one that holds %j by then", (by_then) =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("d/a", "old", 0o644)
      const step = yield* own.call(() => own.write("d/a", "new"))
      const steps = step === undefined ? [] : [step]
      const { plan } = yield* own.checkpoints.plan({ direction: "undo", steps, uncertain: false })
      const files = () => readdirSync(own.at("d")).toSorted()
      let temporary = ""
      Points.watch((point) => {
        if (point === "put back before") temporary = files().find((name) => name.startsWith(".claw-")) ?? ""
      })
      yield* Effect.ensuring(
        own.checkpoints.apply(plan),
        Effect.sync(() => Points.watch(undefined))
      )
      // As a process leaves it that is killed at that point.
      own.write(`d/${temporary}`, "old")
      own.write("d/a", by_then)
      yield* own.checkpoints.apply(plan)
      assert.deepStrictEqual([temporary !== "", files()], [true, ["a"]])
      assert.strictEqual(treeOf(own.root)["d/a"], `644 ${by_then}`)
    }).pipe(Effect.scoped)
  )
})
