/** read_file (R079, R082, LESSONS 20): windows, caps, and what is no text. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`).join("\n")

describe("read_file", () => {
  it.effect("gives a file as it is, without byte order mark and CR", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/plain", "a\n\tb\n\nc")
      there.file("ws/windows", "\ufeffa\r\nb\r\n")
      there.file("ws/empty", "")
      there.file("ws/newline", "\n")
      there.file("ws/latin", Buffer.from("caf\xe9\n", "latin1"))
      const { say } = yield* toolsIn(there)
      const read = (path: string) => say("read_file", { path })
      assert.deepStrictEqual(yield* Effect.forEach(["plain", "windows", "empty", "newline", "latin"], read), [
        "a\n\tb\n\nc",
        "a\nb\n",
        "(the file is empty)",
        "\n",
        "caf\ufffd\n"
      ])
    })
  )

  it.effect("offset and limit give a window and say how to go on", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/f", `${lines(1, 5000)}\n`)
      const { say } = yield* toolsIn(there)
      assert.strictEqual(
        yield* say("read_file", { path: "f", offset: 10, limit: 2 }),
        "line 10\nline 11\n[lines 10-11 of 5000; go on with offset 12]"
      )
      assert.strictEqual(yield* say("read_file", { path: "f", offset: 5000 }), "line 5000\n[lines 5000-5000 of 5000]")
      assert.strictEqual(
        yield* say("read_file", { path: "f" }),
        `${lines(1, 2000)}\n[lines 1-2000 of 5000; go on with offset 2001]`
      )
      assert.strictEqual(
        yield* say("read_file", { path: "f", offset: 5001 }),
        '! "f" has only 5000 lines; offset 5001 is beyond its end.'
      )
    })
  )

  it.effect("long lines are cut with a note, and the whole stays bounded", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/long", `short\n${"x".repeat(5000)}\nend`)
      there.file("ws/wide", `${"y".repeat(1999)}\n`.repeat(100))
      const { call, say } = yield* toolsIn(there)
      assert.strictEqual(
        yield* say("read_file", { path: "long" }),
        `short\n${"x".repeat(2000)} [… 3000 more characters in this line]\nend`
      )
      const wide = yield* call("read_file", { path: "wide" })
      assert.isBelow(wide.content.length, 61_000)
      assert.match(wide.content, /\[lines 1-\d+ of 100; go on with offset \d+\]$/)
      assert.isTrue(wide.truncated)
    })
  )

  it.effect("a file above the whole-file cap is read as far as the window needs", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/huge", `${"0123456789abcde\n".repeat(900_000)}文字\n`)
      const { say } = yield* toolsIn(there)
      assert.strictEqual(
        yield* say("read_file", { path: "huge", offset: 3, limit: 1 }),
        "0123456789abcde\n[lines 3-3; go on with offset 4]"
      )
      assert.strictEqual(
        yield* say("read_file", { path: "huge", offset: 900_001 }),
        "文字\n[lines 900001-900001 of 900001]"
      )
    })
  )

  it.effect("images and binary files are named, not shown; directories and missing files are errors", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/a.png", Buffer.from("\x89PNG\r\n\x1a\n\x00\x00", "latin1"))
      there.file("ws/a.bin", Buffer.from([1, 2, 0, 3]))
      there.file("ws/d/x", "x")
      const { say } = yield* toolsIn(there)
      assert.deepStrictEqual(
        yield* Effect.forEach(["a.png", "a.bin", "d", "none"], (path) => say("read_file", { path })),
        [
          "(PNG image, 10 bytes; images cannot be shown here)",
          "(binary file, 4 bytes; not shown)",
          '! "d" is a directory.',
          '! "none" does not exist.'
        ]
      )
    })
  )

  it.live("a FIFO and a device never hang it", () =>
    Effect.gen(function* () {
      const there = yield* dir
      execFileSync("mkfifo", [join(there.ws, "fifo")])
      const { assess, say } = yield* toolsIn(there)
      assert.strictEqual(yield* say("read_file", { path: "fifo" }), '! "fifo" is not a regular file.')
      assert.strictEqual((yield* assess("read_file", { path: "fifo" })).forbidden, '"fifo" is not a regular file.')
      assert.strictEqual(yield* say("read_file", { path: "/dev/zero" }), '! "/dev/zero" leads outside the workspace.')
    })
  )
})
