/** What a claw that was killed leaves in a workspace goes at the next start there, or by `claw doctor --fix` (SECURITY T5). */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, start, world, type FakeWorld } from "../support/e2eProgram.ts"
import { calls } from "../support/fakeModelScript.ts"
import { folder } from "../support/realSession.ts"
import { oddSleep, processesWith } from "../support/processes.ts"

const entries = ({ workspace }: FakeWorld): ReadonlyArray<string> =>
  [...readdirSync(workspace), ...readdirSync(join(workspace, ".git")).map((name) => `.git/${name}`)].toSorted()

/** What a person does there. */
const sets = ({ env, workspace }: FakeWorld, key: string): number | null =>
  spawnSync("git", ["config", key, "x"], { cwd: workspace, env, stdio: "pipe" }).status

/** A claw that is killed while a command of it runs in isolation; what was there before. */
const killed = Effect.fnUntraced(function* (made = "true") {
  const scene = yield* world()
  execFileSync("git", ["init", "-q"], { cwd: scene.workspace, env: scene.env })
  writeFileSync(join(scene.workspace, "make.sh"), made)
  const before = entries(scene)
  const mark = oddSleep()
  const line = `sh make.sh; echo begun; sleep ${mark}`
  scene.model.script(calls([{ id: "call_k1", name: "bash", arguments: JSON.stringify({ command: line }) }]))
  const running = yield* start(["run", "--json", "--mode", "bypass", "go"], { env: scene.env, cwd: scene.workspace })
  yield* Effect.promise(async () => {
    while (!running.stdout().includes("begun\\n") || processesWith(`sleep ${mark}`).length === 0)
      await new Promise((done) => running.child.stdout.once("data", done))
  })
  process.kill(running.child.pid!, "SIGKILL")
  yield* running.ended
  return { scene, before }
})

describe("what a killed claw left", SIDE_BY_SIDE, () => {
  it.live("goes at any start in that workspace", () =>
    Effect.gen(function* () {
      const { before, scene } = yield* killed()
      assert.include(entries(scene), ".git/config.lock")
      assert.notStrictEqual(sets(scene, "user.name"), 0)
      const elsewhere = yield* claw(["sessions", "list"], { env: scene.env, cwd: yield* folder("claw-elsewhere-") })
      assert.strictEqual(elsewhere.stderr, "")
      assert.include(entries(scene), ".git/config.lock")
      const { code, stderr } = yield* claw(["sessions", "list"], { env: scene.env, cwd: scene.workspace })
      assert.strictEqual(code, 0)
      assert.match(
        stderr,
        /^claw: a claw that was killed here had left .*lock files of its own in .*\.git\. .*nothing of yours was touched\.$/m
      )
      assert.deepStrictEqual(entries(scene), before)
      assert.strictEqual(sets(scene, "user.name"), 0)
      const again = yield* claw(["sessions", "list"], { env: scene.env, cwd: scene.workspace })
      assert.strictEqual(again.stderr, "")
    })
  )

  it.live("is found by doctor, and mended by doctor --fix", () =>
    Effect.gen(function* () {
      const { before, scene } = yield* killed()
      const at = { env: scene.env, cwd: scene.workspace }
      const found = yield* claw(["doctor"], at)
      assert.match(found.stdout, /^PROBLEM +remains +.*\.git: a claw that was killed left .* claw doctor --fix$/m)
      assert.include(entries(scene), ".git/config.lock")
      const fixed = yield* claw(["doctor", "--fix"], at)
      assert.match(fixed.stdout, /^ok +remains +.*\.git: .* It is gone\.$/m)
      assert.deepStrictEqual(entries(scene), before)
      assert.notMatch((yield* claw(["doctor"], at)).stdout, /remains/)
    })
  )

  it.live("is judged: settings that would run a program are put aside, and what is somebody else's stays", () =>
    Effect.gen(function* () {
      const { scene } = yield* killed("git init -q lib; git -C lib config core.fsmonitor ./x")
      const held = join(scene.workspace, ".git/config.worktree")
      writeFileSync(`${held}.other`, "theirs\n")
      const { stderr } = yield* claw(["sessions", "list"], { env: scene.env, cwd: scene.workspace })
      assert.include(stderr, "lib/.git/config; each is kept as NAME.claw-held")
      assert.notInclude(readFileSync(join(scene.workspace, "lib/.git/config"), "utf8"), "fsmonitor")
      assert.isTrue(existsSync(`${held}.other`))
      assert.isFalse(existsSync(held))
    })
  )
})
