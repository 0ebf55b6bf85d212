/**
 * No swap between check and use (LESSONS 26, SECURITY T4, P024): while a thread exchanges things for links to outside,
 * ten thousand reads, listings and writes, half of each kind, never touch a byte there.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { dir, workspaceOf } from "../support/workspaceDir.ts"
import { exchanging } from "../support/exchanger.ts"

const TRIES = 5000
const MIN_ROUNDS = 200

describe("exchange", () => {
  it.live(
    "of a file for a link",
    () =>
      Effect.gen(function* () {
        const there = yield* dir
        const outside = there.file("outside/secret.txt", "SECRET")
        const inside = there.file("ws/data.txt", "inside")
        const workspace = yield* workspaceOf(there)
        const rounds = yield* exchanging({ inside, outside, directory: false })
        let done = 0
        for (let attempt = 0; attempt < TRIES || rounds() < MIN_ROUNDS || done < 20; attempt += 1) {
          const read = yield* Effect.result(workspace.read("data.txt", 1000))
          if (Result.isFailure(read)) continue
          assert.notInclude(read.success.bytes.toString(), "SECRET")
          const { stamp } = read.success.file
          if (attempt % 3 === 0)
            yield* Effect.ignore(workspace.write("data.txt", Buffer.from("inside"), { expected: stamp }))
          else if (attempt % 3 === 1) yield* Effect.ignore(workspace.write("data.txt", Buffer.from("inside")))
          done += 1
        }
        assert.isAtLeast(rounds(), MIN_ROUNDS)
        assert.isAtLeast(done, 20)
        assert.strictEqual(readFileSync(outside, "utf8"), "SECRET")
        assert.deepStrictEqual(readdirSync(join(there.root, "outside")), ["secret.txt"])
      }),
    60_000
  )

  it.live(
    "of a directory for a link",
    () =>
      Effect.gen(function* () {
        const there = yield* dir
        const secret = there.file("outside/x.txt", "SECRET")
        there.file("ws/d/x.txt", "inside")
        const workspace = yield* workspaceOf(there)
        const rounds = yield* exchanging({
          inside: join(there.ws, "d"),
          outside: join(there.root, "outside"),
          directory: true
        })
        let done = 0
        for (let attempt = 0; attempt < TRIES || rounds() < MIN_ROUNDS || done < 20; attempt += 1) {
          const read = yield* Effect.result(workspace.read("d/x.txt", 1000))
          if (Result.isSuccess(read)) assert.strictEqual(read.success.bytes.toString(), "inside")
          const listed = yield* Effect.result(workspace.list("d"))
          if (Result.isSuccess(listed)) assert.isFalse(listed.success.some(({ name }) => name === "only-outside"))
          if (attempt % 8 === 0) yield* Effect.ignore(workspace.write("d/x.txt", Buffer.from("inside")))
          else if (attempt % 8 === 1)
            yield* Effect.ignore(workspace.write(`d/new/${attempt}.txt`, Buffer.from("inside")))
          if (Result.isSuccess(read)) done += 1
        }
        assert.isAtLeast(rounds(), MIN_ROUNDS)
        assert.isAtLeast(done, 20)
        assert.strictEqual(readFileSync(secret, "utf8"), "SECRET")
        assert.deepStrictEqual(readdirSync(join(there.root, "outside")), ["x.txt"])
      }),
    60_000
  )
})
