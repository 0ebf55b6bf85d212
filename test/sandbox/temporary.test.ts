/** Directories for a while: one that a killed process left is taken away by a later one, and what vanishes is made again. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePipePool } from "../../src/sandbox/pipePool.ts"
import { makeTemporary, sweepTemporary } from "../../src/sandbox/temporary.ts"
import { eachDriver, script } from "../support/processes.ts"

/** A number that was a process and is none. */
const gone = (): number => spawnSync(process.execPath, ["-e", ""]).pid

const numbering = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

it("a directory says whose it is; only those of processes that are no more go, and no link", async () => {
  const mine = makeTemporary("pipes")
  assert.strictEqual(basename(mine).replace(/-[^-]+$/, ""), `claw-pipes-${numbering()}-${process.pid}`)
  rmSync(mine, { recursive: true })
  const place = mkdtempSync(join(tmpdir(), "claw-test-"))
  const dead = gone()
  const of = (kind: string, ns: string, pid: number) => `claw-${kind}-${ns}-${pid}-aBcDeF`
  const kept = [
    of("pipes", numbering(), process.pid),
    of("pipes", "77", dead),
    of("demo", numbering(), dead),
    `claw-pipes-${dead}-old`,
    "claw-empty-aBcDeF"
  ]
  const left = [
    of("pipes", numbering(), dead),
    of("empty", numbering(), dead),
    of("look", numbering(), dead),
    of("self-test", numbering(), dead)
  ]
  for (const name of [...kept, ...left]) mkdirSync(join(place, name, "in"), { recursive: true })
  const elsewhere = mkdtempSync(join(tmpdir(), "claw-test-"))
  symlinkSync(elsewhere, join(place, `claw-look-${numbering()}-${dead}-link`))
  await sweepTemporary(place)
  assert.sameMembers(readdirSync(place), [...kept, `claw-look-${numbering()}-${dead}-link`])
  assert.isTrue(existsSync(elsewhere))
  for (const path of [place, elsewhere]) rmSync(path, { recursive: true })
})

const here = (kind: string): ReadonlyArray<string> =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`claw-${kind}-${numbering()}-${process.pid}-`))

it.live("who starts no program has no directory; pipes that were cleared away are made again", () =>
  Effect.gen(function* () {
    const pool = yield* makePipePool(process.env["PATH"] ?? "/usr/bin:/bin")
    const before = here("pipes")
    const first = yield* pool.take
    assert.isDefined(first)
    const made = here("pipes").find((name) => !before.includes(name))
    assert.isDefined(made)
    rmSync(join(tmpdir(), made ?? ""), { recursive: true })
    const second = yield* pool.take
    assert.isDefined(second)
    for (const pipe of [first, second]) pipe?.reader.destroy()
  }).pipe(Effect.scoped)
)

eachDriver("cleared away", ({ runnerOf }) => {
  it.live("a program runs after everything of ours was cleared from the temporary directory", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      yield* runner.run(script("true"))
      for (const name of [...here("empty"), ...here("pipes")]) rmSync(join(tmpdir(), name), { recursive: true })
      const { output, exit_code } = yield* runner.run(script("echo still > /dev/stderr; echo here"))
      assert.deepStrictEqual([output.text, exit_code], ["still\nhere\n", 0])
    })
  )
})
