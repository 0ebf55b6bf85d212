/** glob, grep, list_dir, todo (R082): what is found, in which order, and that no pattern can hang the process. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type * as Workspace from "../../src/sandbox/Workspace.ts"
import { makeGlob } from "../../src/tools/builtin/glob.ts"
import { makeGrep } from "../../src/tools/builtin/grep.ts"
import { contextFor, toolCall, toolsIn } from "../support/builtinTools.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { dir, workspaceOf, type Dir } from "../support/workspaceDir.ts"

const layOut = (there: Dir): void => {
  there.file("ws/.gitignore", "node_modules/\n*.log\n!keep.log\n/build\n")
  there.file("ws/.git/config", "needle")
  there.file("ws/.github/ci.yml", "needle")
  there.file("ws/a.ts", "one\nneedle two\nthree\nfour\nfive\nneedle six\n")
  there.file("ws/src/b.ts", "Needle\r\nneedle\r\n")
  there.file("ws/src/B.md", "nothing")
  there.file("ws/src/.gitignore", "*.tmp\n")
  there.file("ws/src/c.tmp", "needle")
  there.file("ws/src/build/d.ts", "needle")
  there.file("ws/build/e.ts", "needle")
  there.file("ws/node_modules/x/index.ts", "needle")
  there.file("ws/debug.log", "needle")
  there.file("ws/keep.log", "needle")
  there.file("ws/bin.dat", Buffer.from("needle\0"))
}

const setUp = Effect.gen(function* () {
  const there = yield* dir
  layOut(there)
  return yield* toolsIn(there)
})

/** Threads of this process: a search has one of its own. */
const threads = (): number => readdirSync("/proc/self/task").length

describe("search", () => {
  it.effect("glob leaves out what .gitignore names, folder by folder, and is sorted", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp
      const glob = (args: object) => say("glob", args)
      assert.strictEqual(
        yield* glob({ pattern: "**/*" }),
        "a.ts\nbin.dat\nkeep.log\nsrc/B.md\nsrc/b.ts\nsrc/build/d.ts"
      )
      assert.strictEqual(yield* glob({ pattern: "*.ts" }), "a.ts\nsrc/b.ts\nsrc/build/d.ts")
      assert.strictEqual(yield* glob({ pattern: "*.ts", path: "src" }), "src/b.ts\nsrc/build/d.ts")
      assert.strictEqual(yield* glob({ pattern: "src/*.{ts,md}" }), "src/B.md\nsrc/b.ts")
      assert.strictEqual(yield* glob({ pattern: ".github/**" }), ".github/ci.yml")
      assert.strictEqual(yield* glob({ pattern: "*.yml", include_hidden: true }), ".github/ci.yml")
      assert.strictEqual(yield* glob({ pattern: "*.ts", path: "node_modules/x" }), "node_modules/x/index.ts")
      assert.strictEqual(yield* glob({ pattern: "*.rs" }), "(no files match)")
      assert.strictEqual(
        yield* glob({ pattern: "*", limit: 2 }),
        "a.ts\nbin.dat\n[6 files match; the first 2 are shown]"
      )
      assert.strictEqual(
        yield* glob({ pattern: "/etc/*" }),
        "! The glob pattern must be relative; use path for the folder."
      )
      assert.strictEqual(yield* glob({ pattern: "*", path: "a.ts" }), '! "a.ts" is not a directory.')
    })
  )

  it.live("grep shows lines, files or counts, with context, in the order of paths", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp
      const grep = (args: object) => say("grep", args)
      assert.strictEqual(
        yield* grep({ pattern: "^needle" }),
        "a.ts:2:needle two\na.ts:6:needle six\nkeep.log:1:needle\nsrc/b.ts:2:needle\nsrc/build/d.ts:1:needle"
      )
      assert.strictEqual(
        yield* grep({ pattern: "needle", mode: "files", ignore_case: true }),
        "a.ts\nkeep.log\nsrc/b.ts\nsrc/build/d.ts"
      )
      assert.strictEqual(
        yield* grep({ pattern: "(?i)needle", mode: "count", path: "src" }),
        "src/b.ts:2\nsrc/build/d.ts:1"
      )
      assert.strictEqual(
        yield* grep({ pattern: "needle", glob: "a.ts", context: 1 }),
        "a.ts-1-one\na.ts:2:needle two\na.ts-3-three\n--\na.ts-5-five\na.ts:6:needle six"
      )
      assert.strictEqual(
        yield* grep({ pattern: "needle", path: "a.ts", limit: 1 }),
        "a.ts:2:needle two\n[there may be more matches; narrow the search or raise limit]"
      )
      assert.strictEqual(yield* grep({ pattern: "e.", literal: true }), "(no matches)")
      assert.strictEqual(
        yield* grep({ pattern: "needle", include_hidden: true, glob: "*.yml" }),
        ".github/ci.yml:1:needle"
      )
      assert.match(yield* grep({ pattern: "(" }), /^! The pattern is not a valid regular expression/)
    })
  )

  const catastrophe = { pattern: "^(a+)+$" }
  const slow = Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/a", `${"a".repeat(60)}!`)
    return yield* workspaceOf(there)
  })
  const runGrep = Effect.fnUntraced(function* (
    workspace: (typeof Workspace.Workspace)["Service"],
    deadline_ms: number
  ) {
    const grep = makeGrep(workspace, { deadline_ms })
    const resolved = yield* Effect.fromResult(ToolRegistry.make([grep]).resolve(toolCall("grep", catastrophe)))
    return yield* grep.run(resolved.args, contextFor(resolved))
  })

  it.live("an expression that never ends is stopped, and the loop stays free meanwhile", () =>
    Effect.gen(function* () {
      const workspace = yield* slow
      let turns = 0
      const counter = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(5),
            Effect.sync(() => (turns += 1))
          )
        )
      )
      const output = yield* runGrep(workspace, 300)
      yield* Fiber.interrupt(counter)
      assert.deepStrictEqual([output.is_error, output.timed_out], [true, true])
      assert.strictEqual(
        output.content,
        "[the search was stopped after 300 ms; use a simpler pattern or a smaller folder]"
      )
      assert.isAbove(turns, 5)
    })
  )

  it.live("a glob that never ends is stopped (T13)", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file(`ws/${"a".repeat(200)}`, "needle")
      const { say } = yield* toolsIn(there)
      const pattern = `**/${"*a".repeat(17)}b`
      const workspace = yield* workspaceOf(there)
      const tool = makeGlob(workspace, undefined, 300)
      const resolved = yield* Effect.fromResult(ToolRegistry.make([tool]).resolve(toolCall("glob", { pattern })))
      const said = yield* Effect.flip(tool.run(resolved.args, contextFor(resolved)))
      assert.include(JSON.stringify(said), "use a simpler pattern or a smaller folder")
      assert.strictEqual(yield* say("glob", { pattern: "**/*a*a" }), "a".repeat(200))
    })
  )

  it.live("and interruption ends it at once", () =>
    Effect.gen(function* () {
      const workspace = yield* slow
      const before = threads()
      const fiber = yield* Effect.forkChild(runGrep(workspace, 60_000))
      while (threads() === before) yield* Effect.sleep(5)
      const start = performance.now()
      yield* Fiber.interrupt(fiber)
      assert.isBelow(performance.now() - start, 2000)
      assert.strictEqual(threads(), before)
    })
  )

  it.effect("list_dir shows kinds; todo shows the whole list", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp
      assert.strictEqual(yield* say("list_dir", { path: "src" }), ".gitignore\nB.md\nb.ts\nbuild/\nc.tmp")
      assert.strictEqual(yield* say("list_dir", { path: "a.ts" }), '! "a.ts" is a file, not a directory.')
      const items = [
        { content: "read", status: "completed" },
        { content: "write", status: "in_progress" }
      ]
      assert.strictEqual(yield* say("todo", { items }), "[x] read\n[>] write\n(1 of 2 done)")
    })
  )
})
