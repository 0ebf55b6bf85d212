/** What is not kept is told, by a reason, and never put back wrongly (issue 5: stated rules). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ANYTHING, nextCall, type Scene, scene, TASK, treeOf, undo } from "../../support/checkpointKit.ts"

const skipped = ({ checkpoints }: Scene) =>
  Effect.map(checkpoints.begin({ task_id: TASK, call_id: nextCall(), touch: ANYTHING }), (window) => window.skipped)

const reasonsOf = (undone: { readonly kept: ReadonlyArray<{ readonly path: string; readonly reason: string }> }) =>
  undone.kept.map(({ path, reason }) => `${path} ${reason}`)

describe("a workspace", () => {
  it.live("without git on the machine: commands are not kept, calls that name their files are", () =>
    Effect.gen(function* () {
      const own = yield* scene({ path: "/nonexistent" })
      own.write("a", "a", 0o644)
      assert.strictEqual(yield* skipped(own), "no_git")
      const step = yield* own.call(() => own.write("a", "b"), { kind: "paths", paths: [own.at("a")] })
      yield* undo(own, [step])
      assert.deepStrictEqual(treeOf(own.root), { a: "644 a" })
    }).pipe(Effect.scoped)
  )

  it.live("with too many files, or too many bytes", () =>
    Effect.gen(function* () {
      const many = yield* scene({ limits: { files: 9 } })
      for (let i = 0; i < 10; i++) many.write(`f${i}`, "x")
      assert.strictEqual(yield* skipped(many), "too_many_files")
      const large = yield* scene({ limits: { bytes: 99 } })
      for (let i = 0; i < 10; i++) large.write(`f${i}`, "x".repeat(10))
      assert.strictEqual(yield* skipped(large), "too_large")
      // It is not looked at again and again.
      large.remove("f0")
      assert.strictEqual(yield* skipped(large), "too_large")
    }).pipe(Effect.scoped)
  )

  it.live("that takes too long to look at", () =>
    Effect.gen(function* () {
      const own = yield* scene({ limits: { time_ms: 1 } })
      own.write("a", "a")
      assert.strictEqual(yield* skipped(own), "too_slow")
    }).pipe(Effect.scoped)
  )

  it.live("that is the home directory, or holds it", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      mkdirSync(own.at("ann"))
      for (const home of [own.root, own.at("ann")]) {
        const there = yield* scene({ workspace: own.root, home })
        assert.strictEqual(yield* skipped(there), "home")
      }
      assert.strictEqual(yield* skipped(yield* scene({ workspace: own.at("ann"), home: own.root })), undefined)
    }).pipe(Effect.scoped)
  )

  it.live("whose store cannot be made", () =>
    Effect.gen(function* () {
      const own = yield* scene({ base: "/dev/null/store" })
      assert.strictEqual(yield* skipped(own), "failed")
      assert.strictEqual(yield* own.call(() => {}), undefined)
    }).pipe(Effect.scoped)
  )

  it.live("that holds the store itself", () =>
    Effect.gen(function* () {
      const outer = yield* scene()
      const own = yield* scene({ workspace: outer.root, base: outer.at("my [state]/kept") })
      mkdirSync(outer.at("my [state]/kept"), { recursive: true })
      outer.write("a", "a")
      const window = yield* own.checkpoints.begin({ task_id: TASK, call_id: nextCall(), touch: ANYTHING })
      outer.write("a", "b")
      const { step } = yield* window.end
      const diff = yield* own.checkpoints.diff(step === undefined ? [] : [step])
      assert.strictEqual(diff.files, 1)
    }).pipe(Effect.scoped)
  )
})

describe("files", () => {
  it.live("that are ignored stay as they are; what was ignored before is never taken for new", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write(".gitignore", "build/\n*.log\n", 0o644)
      own.write("build/out", "1", 0o644)
      own.write("sub/x.log", "1", 0o644)
      const step = yield* own.call(() => {
        own.write("build/out", "2")
        own.write(".gitignore", "nothing\n")
        own.write("sub/new", "new")
      })
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(undone.files, [".gitignore", "sub/new"])
      assert.deepStrictEqual(treeOf(own.root), {
        ".gitignore": "644 build/\n*.log\n",
        "build/out": "644 2",
        "sub/x.log": "644 1"
      })
    }).pipe(Effect.scoped)
  )

  it.live("that the person excludes for themselves are ignored, too", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      execFileSync("git", ["init", "-q"], { cwd: own.root })
      writeFileSync(own.at(".git/info/exclude"), "private\n")
      assert.strictEqual(yield* own.call(() => own.write("private", "x")), undefined)
    }).pipe(Effect.scoped)
  )

  it.live("that are large are passed by: not kept, not removed, and named where a call changed them", () =>
    Effect.gen(function* () {
      const own = yield* scene({ limits: { file_bytes: 100 } })
      own.write("large", "x".repeat(101), 0o644)
      own.write("grows", "x", 0o644)
      own.write("shrinks", "x".repeat(101), 0o644)
      const step = yield* own.call(() => {
        own.write("grows", "y".repeat(101))
        own.write("shrinks", "y")
        own.write("made", "z".repeat(101))
      })
      const undone = yield* undo(own, [step])
      assert.sameMembers(reasonsOf(undone), ["grows not_recorded", "made not_recorded"])
      assert.deepStrictEqual(Object.keys(treeOf(own.root)), ["grows", "large", "made", "shrinks"])
    }).pipe(Effect.scoped)
  )

  it.live("of repositories inside are kept with indexes of their own; one that a call makes is not", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      const init = (path: string) => execFileSync("git", ["init", "-q", own.at(path)])
      own.write("a", "a", 0o644)
      own.write("in/b", "b", 0o644)
      own.write("in/deep/c", "c", 0o644)
      init("in")
      init("in/deep")
      const was = treeOf(own.root)
      const step = yield* own.call(() => {
        own.write("in/b", "B")
        own.write("in/new", "n")
        own.write("in/deep/c", "C")
        init("made")
        own.write("made/x", "x", 0o644)
      })
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(undone.files, ["in/b", "in/deep/c", "in/new"])
      assert.deepStrictEqual(treeOf(own.root), { ...was, "made/x": "644 x" })
    }).pipe(Effect.scoped)
  )

  it.live("of a repository inside that a call deleted come back, its `.git` does not", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("in/b", "b", 0o644)
      execFileSync("git", ["init", "-q", own.at("in")])
      const step = yield* own.call(() => own.remove("in"))
      yield* undo(own, [step])
      assert.deepStrictEqual([treeOf(own.root), existsSync(own.at("in/.git"))], [{ "in/b": "644 b" }, false])
    }).pipe(Effect.scoped)
  )

  it.live("whose repository lost its `.git` were there before, and stay", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("in/b", "b", 0o644)
      execFileSync("git", ["init", "-q", own.at("in")])
      const step = yield* own.call(() => own.remove("in/.git"))
      yield* undo(own, [step])
      assert.deepStrictEqual(treeOf(own.root), { "in/b": "644 b" })
    }).pipe(Effect.scoped)
  )

  it.live("are kept in a place that only their owner can read", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "secret")
      yield* own.call(() => own.write("a", "other"))
      const [store = ""] = readdirSync(own.base)
      const modes = execFileSync("find", [join(own.base, store), "-perm", "/077", "-type", "f"], { encoding: "utf8" })
      const open = modes
        .split("\n")
        .filter((path) => /objects|index|call|modes/.test(path) && !/[0-9a-f]{38}$/.test(path))
      assert.match(readFileSync(join(own.base, store, "config"), "utf8"), /hooksPath = \/dev\/null/)
      const { mode } = (yield* Effect.promise(() => import("node:fs"))).statSync(join(own.base, store, "objects"))
      assert.deepStrictEqual([open.filter((path) => !path.includes("index-")), mode & 0o077], [[], 0])
    }).pipe(Effect.scoped)
  )
})
