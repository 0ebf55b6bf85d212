/** Writing in one step: what is kept, what is made, what a failure leaves (R166, LESSONS 22). */
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
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
