/** What can be taken back and given back, as a fold: total, and the two stacks never lose or double a task (issue 5). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ReportBody } from "../../src/domain/Event.ts"
import type { CallId, PromptId, TaskId } from "../../src/domain/Ids.ts"
import { fold, initial, restOf, type UndoState } from "../../src/runtime/undoLog.ts"

const task = (n: number) => `t${n}` as TaskId
const step = (n: number, name: string): ReportBody => ({
  type: "checkpoint",
  task_id: task(n),
  call_id: "c" as CallId,
  step: name
})
const started = (n: number, direction: "undo" | "redo"): ReportBody => ({
  type: "restore_started",
  direction,
  restored_task_id: task(n),
  plan: `plan ${n}`
})
const ended = (n: number, direction: "undo" | "redo"): ReportBody => ({
  type: "files_restored",
  direction,
  restored_task_id: task(n),
  files: [],
  count: 0,
  kept: []
})

const after = (...bodies: ReadonlyArray<ReportBody>): UndoState =>
  bodies.reduce((state, body) => fold(state, body, "2026-03-01T10:00:00.000Z"), initial)
interface Shape {
  readonly changed: ReadonlyArray<readonly [string, ReadonlyArray<string>]>
  readonly undone: ReadonlyArray<readonly [string, string]>
  readonly open: string | undefined
}

const shape = ({ changed, undone, open }: UndoState): Shape => ({
  changed: changed.map((one) => [one.task_id, one.steps.map((each) => each.step)] as const),
  undone: undone.map((one) => [one.task.task_id, one.plans.join(" ")] as const),
  open: open?.plan
})

describe("the fold", () => {
  it("steps of a task are one thing to undo; undone tasks wait for redo until something new is changed", () => {
    const two = [step(1, "a"), step(1, "b"), step(2, "c")]
    assert.deepStrictEqual(shape(after(...two)).changed, [
      ["t1", ["a", "b"]],
      ["t2", ["c"]]
    ])
    const undone = [...two, started(2, "undo"), ended(2, "undo")]
    assert.deepStrictEqual(shape(after(...undone)), {
      changed: [["t1", ["a", "b"]]],
      undone: [["t2", "plan 2"]],
      open: undefined
    })
    assert.deepStrictEqual(shape(after(...undone, started(2, "redo"), ended(2, "redo"))), shape(after(...two)))
    assert.deepStrictEqual(shape(after(...undone, step(3, "d"))).undone, [])
  })

  it("knows what a task that changed files is called and when it began, and nothing of one that it has not seen", () => {
    const begun = (n: number): ReportBody => ({
      type: "task_started",
      task_id: task(n),
      prompt_id: "p" as PromptId,
      content: `mend ${n}\nand more`
    })
    const { changed } = after(begun(1), step(1, "a"), step(1, "b"), begun(2), step(3, "c"))
    assert.deepStrictEqual(
      changed.map(({ title, at }) => [title, at]),
      [
        ["mend 1", "2026-03-01T10:00:00.000Z"],
        ["", ""]
      ]
    )
  })

  it("a step that is told twice is one; an end without its beginning is none (a copied session)", () => {
    assert.deepStrictEqual(shape(after(step(1, "a"), step(1, "a"))).changed, [["t1", ["a"]]])
    assert.deepStrictEqual(shape(after(step(1, "a"), ended(1, "undo"))), shape(after(step(1, "a"))))
  })

  it("a restore that left everything alone counts as none: the task is still the next one", () => {
    const kept = { ...ended(2, "undo"), kept: [{ path: "a", reason: "changed" }] } as ReportBody
    const two = after(step(1, "a"), step(2, "c"))
    assert.deepStrictEqual(shape(after(step(1, "a"), step(2, "c"), started(2, "undo"), kept)), shape(two))
  })

  it("what a crash left uncertain is taken back by itself, given back by itself, and asked for once", () => {
    const some = (reason: "uncertain" | "changed", count: number): ReportBody =>
      ({ ...ended(2, "undo"), count, kept: [{ path: "a", reason }] }) as ReportBody
    const rest = (plan: string): ReportBody => ({ ...started(2, "undo"), plan }) as ReportBody
    const partly = [step(1, "a"), step(2, "b"), started(2, "undo"), some("uncertain", 1)]
    assert.strictEqual(restOf(after(...partly))?.task_id, task(2))
    const wholly = [...partly, rest("plan 2b"), ended(2, "undo")]
    assert.deepStrictEqual(
      [shape(after(...wholly)).undone, restOf(after(...wholly))],
      [[["t2", "plan 2 plan 2b"]], undefined]
    )
    const back = [...wholly, started(2, "redo"), ended(2, "redo")]
    assert.strictEqual(restOf(after(...back))?.task_id, task(2))
    assert.deepStrictEqual(shape(after(...back)).undone, [["t2", "plan 2"]])
    const all = after(...back, started(2, "redo"), ended(2, "redo"))
    assert.deepStrictEqual(shape(all), shape(after(step(1, "a"), step(2, "b"))))
    assert.isUndefined(restOf(after(...partly, rest("plan 2b"), some("changed", 0))))
    assert.isUndefined(restOf(after(step(2, "b"), started(2, "undo"), some("changed", 1))))
  })

  it("what was begun and has no end is open", () => {
    assert.strictEqual(after(step(1, "a"), started(1, "undo")).open?.plan, "plan 1")
  })

  it("any order of records gives a state in which no task stands twice", () => {
    const body = fc
      .tuple(fc.constantFrom(step, started, ended), fc.nat(3), fc.constantFrom("undo", "redo"), fc.nat(5))
      .map(([make, n, direction, name]): ReportBody =>
        make === step ? step(n, `s${name}`) : (make as typeof started)(n, direction as "undo")
      )
    fc.assert(
      fc.property(fc.array(body, { maxLength: 30 }), (bodies) => {
        const { changed, undone } = after(...bodies)
        const steps = [...changed, ...undone.map((one) => one.task)].flatMap((one) =>
          one.steps.map((each) => each.step)
        )
        assert.strictEqual(new Set(steps).size, steps.length)
      })
    )
  })
})
