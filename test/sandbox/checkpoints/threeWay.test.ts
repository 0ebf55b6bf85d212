/** What a person changed meanwhile is never overwritten: it is merged where both fit, else named and left (issue 5). */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../../support/realSession.ts"
import { redo, type Scene, scene, treeOf, undo } from "../../support/checkpointKit.ts"

const lines = (...changed: ReadonlyArray<readonly [number, string]>): string =>
  Array.from({ length: 20 }, (_, i) => changed.find(([at]) => at === i)?.[1] ?? `line ${i}`).join("\n")

interface Case {
  readonly before: (scene: Scene) => void
  readonly call: (scene: Scene) => void
  readonly person: (scene: Scene) => void
  readonly kept: ReadonlyArray<string>
  readonly left: Readonly<Record<string, string>>
}

const cases: Readonly<Record<string, Case>> = {
  "a text that both changed in other places is merged": {
    before: ({ write }) => write("a", lines(), 0o644),
    call: ({ write }) => write("a", lines([2, "tool"])),
    person: ({ write }) => write("a", lines([2, "tool"], [15, "person"])),
    kept: [],
    left: { a: `644 ${lines([15, "person"])}` }
  },
  "one that both changed in one place is left alone": {
    before: ({ write }) => write("a", lines(), 0o644),
    call: ({ write }) => write("a", lines([2, "tool"])),
    person: ({ write }) => write("a", lines([2, "person"])),
    kept: ["a changed"],
    left: { a: `644 ${lines([2, "person"])}` }
  },
  "a new file that the person went on with stays": {
    before: () => {},
    call: ({ write }) => (write("new", "tool", 0o644), write("other", "tool")),
    person: ({ write }) => write("new", "tool and person"),
    kept: ["new changed"],
    left: { new: "644 tool and person" }
  },
  "a deleted file in whose place the person put another stays away": {
    before: ({ write }) => write("a", "old"),
    call: ({ remove }) => remove("a"),
    person: ({ write }) => write("a", "the person's", 0o644),
    kept: ["a changed"],
    left: { a: "644 the person's" }
  },
  "a file that the person put back already is no conflict": {
    before: ({ write }) => write("a", "old", 0o644),
    call: ({ write }) => write("a", "new"),
    person: ({ write }) => write("a", "old"),
    kept: [],
    left: { a: "644 old" }
  },
  "a new file that the person removed stays removed": {
    before: () => {},
    call: ({ write }) => write("new", "tool"),
    person: ({ remove }) => remove("new"),
    kept: [],
    left: {}
  },
  "bytes are never merged": {
    before: ({ write }) => write("b", Buffer.from([0, 10, 1, 10, 2, 10, 3, 10, 4])),
    call: ({ write }) => write("b", Buffer.from([9, 10, 0, 10, 2, 10, 3, 10, 4])),
    person: ({ write }) => write("b", Buffer.from([9, 10, 0, 10, 2, 10, 3, 10, 9]), 0o644),
    kept: ["b changed"],
    left: { b: `644 ${Buffer.from([9, 10, 0, 10, 2, 10, 3, 10, 9]).toString("latin1")}` }
  },
  "permissions and content are two things": {
    before: ({ write }) => write("run", "#!/bin/sh\n", 0o644),
    call: ({ at }) => chmodSync(at("run"), 0o755),
    person: ({ write }) => write("run", "#!/bin/sh\necho\n"),
    kept: [],
    left: { run: "644 #!/bin/sh\necho\n" }
  },
  "a directory that holds something of the person's is no place for a file": {
    before: ({ write }) => write("p", "file"),
    call: ({ remove, write }) => (remove("p"), write("p/x", "x")),
    person: ({ write }) => write("p/mine", "mine", 0o644),
    kept: ["p blocked"],
    left: { "p/mine": "644 mine" }
  }
}

describe("what a person changed after a call", () => {
  it.live.each(Object.entries(cases))("%s", ([, { before, call, person, kept, left }]) =>
    Effect.gen(function* () {
      const own = yield* scene()
      before(own)
      const step = yield* own.call(() => call(own))
      person(own)
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(
        undone.kept.map(({ path, reason }) => `${path} ${reason}`),
        kept
      )
      assert.deepStrictEqual(treeOf(own.root), left)
    }).pipe(Effect.scoped)
  )

  it.live("a path that conflicts is left alone in every step of the task; the others go all the way back", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "0", 0o644)
      own.write("b", "0", 0o644)
      const first = yield* own.call(() => (own.write("a", "1"), own.write("b", "1")))
      own.write("b", "person")
      const second = yield* own.call(() => (own.write("a", "2"), own.write("b", "2")))
      const undone = yield* undo(own, [first, second])
      assert.deepStrictEqual(undone.kept, [{ path: "b", reason: "changed" }])
      // What the person wrote between the two calls was overwritten by the second call and not by us.
      assert.deepStrictEqual(treeOf(own.root), { a: "644 0", b: "644 2" })
      yield* redo(own, undone.plan)
      assert.deepStrictEqual(treeOf(own.root), { a: "644 2", b: "644 2" })
    }).pipe(Effect.scoped)
  )

  it.live("no link on the way is followed, wherever it leads", () =>
    Effect.gen(function* () {
      const [own, outside] = [yield* scene(), yield* folder("claw-outside-")]
      own.write("d/a", "old", 0o644)
      const step = yield* own.call(() => (own.write("d/a", "new"), own.write("e/b", "new")))
      own.remove("d")
      own.remove("e")
      for (const name of ["d", "e"]) symlinkSync(outside, own.at(name))
      writeFileSync(`${outside}/a`, "new")
      writeFileSync(`${outside}/b`, "new")
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(
        undone.kept.map(({ path }) => path),
        ["d/a"]
      )
      assert.deepStrictEqual(treeOf(outside), { a: "644 new", b: "644 new" })
    }).pipe(Effect.scoped)
  )

  it.live("what stands there already is not rewritten", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "old")
      const step = yield* own.call(() => own.write("a", "new"))
      const { plan } = yield* undo(own, [step])
      const { ino } = statSync(own.at("a"))
      const again = yield* own.checkpoints.apply(plan)
      assert.deepStrictEqual([again.files, statSync(own.at("a")).ino], [["a"], ino])
      mkdirSync(own.at("x"))
      assert.isTrue(existsSync(own.at("x")))
      assert.strictEqual(readFileSync(own.at("a"), "utf8"), "old")
    }).pipe(Effect.scoped)
  )
})
