/** Writing in one step: what is kept, what is made, what a failure leaves (R166, LESSONS 22). */
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Points from "../../src/observability/Points.ts"
import { dir, workspaceOf } from "../support/workspaceDir.ts"

it.effect("mode bits are kept, and a new file's are those of the umask", () =>
  Effect.gen(function* () {
    const there = yield* dir
    chmodSync(there.file("ws/run.sh", "old"), 0o751)
    const workspace = yield* workspaceOf(there)
    yield* workspace.write("run.sh", Buffer.from("new"))
    yield* workspace.write("fresh.txt", Buffer.from("fresh"))
    const mode = (path: string) => statSync(join(there.ws, path)).mode & 0o7777
    assert.deepStrictEqual([mode("run.sh"), mode("fresh.txt")], [0o751, 0o666 & ~process.umask()])
    assert.strictEqual(readFileSync(join(there.ws, "run.sh"), "utf8"), "new")
  })
)

it.effect("a link inside is kept and its target written", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/real.txt", "old")
    there.link("ws/link.txt", "real.txt")
    const workspace = yield* workspaceOf(there)
    const place = yield* workspace.write("link.txt", Buffer.from("new"))
    assert.strictEqual(place.relative, "real.txt")
    assert.strictEqual(readlinkSync(join(there.ws, "link.txt")), "real.txt")
    assert.strictEqual(readFileSync(join(there.ws, "real.txt"), "utf8"), "new")
  })
)

it.effect("missing parents are made, and nothing temporary is left", () =>
  Effect.gen(function* () {
    const there = yield* dir
    const workspace = yield* workspaceOf(there)
    yield* workspace.write("a/b/c.txt", Buffer.from("x"))
    assert.deepStrictEqual(
      new Set(readdirSync(there.ws, { recursive: true, encoding: "utf8" })),
      new Set(["a", "a/b", "a/b/c.txt"])
    )
  })
)

it.effect("a file that changed since it was read is not replaced, and the other's change stands", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/x.txt", "one")
    const workspace = yield* workspaceOf(there)
    const { file } = yield* workspace.read("x.txt", 100)
    there.file("ws/x.txt", "two")
    const error = yield* Effect.flip(workspace.write("x.txt", Buffer.from("three"), { expected: file.stamp }))
    assert.deepStrictEqual(
      [error.code, error.detail],
      ["tool_failed", '"x.txt" was not touched: it was changed meanwhile.']
    )
    assert.strictEqual(readFileSync(join(there.ws, "x.txt"), "utf8"), "two")
    assert.deepStrictEqual(readdirSync(there.ws), ["x.txt"])
  })
)

it.effect("a directory is not written", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/d/x", "x")
    const workspace = yield* workspaceOf(there)
    assert.strictEqual((yield* Effect.flip(workspace.write("d", Buffer.from("x")))).detail, '"d" is a directory.')
    assert.isTrue(lstatSync(join(there.ws, "d")).isDirectory())
  })
)

it.effect("a file above the cap is not read", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/big", "x".repeat(101))
    const workspace = yield* workspaceOf(there)
    assert.strictEqual((yield* Effect.flip(workspace.read("big", 100))).code, "tool_failed")
  })
)

it.effect("content is on the disk before it has its name, and the name before the write is told (ALICE)", () =>
  Effect.gen(function* () {
    const there = yield* dir
    const workspace = yield* workspaceOf(there)
    const handle = yield* Effect.promise(() => open(there.file("ws/any.txt", ""), "r"))
    const prototype = Object.getPrototypeOf(handle) as { sync: () => Promise<void> }
    yield* Effect.promise(() => handle.close())
    const { sync } = prototype
    const order: Array<string> = []
    prototype.sync = function () {
      order.push("synced")
      return sync.call(this)
    }
    Points.watch((point) => void order.push(point))
    yield* Effect.ensuring(
      workspace.write("a.txt", Buffer.from("new")),
      Effect.sync(() => {
        prototype.sync = sync
        Points.watch(undefined)
      })
    )
    assert.deepStrictEqual(
      order.filter((step) => ["file written", "synced", "file renamed", "file in place"].includes(step)),
      ["file written", "synced", "file renamed", "file in place"]
    )
  })
)

it.effect("what a try that was killed left behind is gone with the next one of the same call", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/.claw-0123456789abcdef.tmp", "half of i")
    const workspace = yield* workspaceOf(there)
    yield* workspace.write("a.txt", Buffer.from("all of it"), { mark: "0123456789abcdef" })
    assert.deepStrictEqual(readdirSync(there.ws), ["a.txt"])
    assert.strictEqual(readFileSync(join(there.ws, "a.txt"), "utf8"), "all of it")
  })
)
