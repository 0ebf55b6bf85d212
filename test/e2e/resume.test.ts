/** A conversation goes on in a later process, by three ways (R049, R050, R085; LESSONS 46, 48). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { folder } from "../support/realSession.ts"

/** One task with a call in it, in a process that has ended. */
const before = Effect.fnUntraced(function* (scene: FakeWorld) {
  scene.model.script(
    calls([{ id: "call_r1", name: "read_file", arguments: '{"path":"README.md"}' }], "Let me look."),
    text("The word is heron.")
  )
  const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
  yield* tty.prompt
  tty.enter("find the word")
  yield* tty.ended(1)
  tty.press("ctrlD")
  assert.strictEqual(yield* tty.exited, 0)
  const { stdout } = yield* claw(["sessions", "list", "--json"], { env: scene.env, cwd: scene.workspace })
  const [row] = stdout.trim().split("\n")
  return (JSON.parse(row ?? "{}") as { readonly session_id: string }).session_id
})

/** The next request begins with the last one and its answer. */
const goesOn = Effect.fnUntraced(function* (scene: FakeWorld, tty: Terminal.Tty) {
  const { model } = scene
  const last = model.requests().at(-1)?.messages ?? []
  yield* tty.shows("The word is heron.")
  tty.enter("again, please")
  yield* tty.until(() => model.requests().length === 3)
  const now = model.requests().at(-1)?.messages ?? []
  assert.deepStrictEqual(now.slice(0, last.length), last)
  assert.deepStrictEqual(
    now.slice(last.length).map(({ role, content }) => [role, content]),
    [
      ["assistant", "The word is heron."],
      ["user", "again, please"]
    ]
  )
  assert.deepStrictEqual(model.violations(), [])
})

describe("a second start", SIDE_BY_SIDE, () => {
  it.live("--continue: the newest conversation of the directory", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      yield* before(scene)
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace, args: ["--continue"] })
      yield* goesOn(scene, tty)
    })
  )

  it.live("/resume: from within a new one", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      yield* before(scene)
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* tty.prompt
      tty.enter("/resume")
      yield* goesOn(scene, tty)
    })
  )

  it.live("--resume ID from another directory: it keeps its own (LESSONS 48)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const id = yield* before(scene)
      const elsewhere = yield* folder("claw-elsewhere-")
      const tty = yield* Terminal.start({ env: scene.env, cwd: elsewhere, args: ["--resume", id] })
      yield* tty.shows(scene.workspace)
      yield* goesOn(scene, tty)
    })
  )

  it.live("claw run --session: the same for scripts", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const id = yield* before(scene)
      const { model, env } = scene
      const last = model.requests().at(-1)?.messages ?? []
      const ended = yield* claw(["run", "--session", id, "again, please"], { env, cwd: scene.workspace })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "OK\n"])
      assert.deepStrictEqual(model.requests().at(-1)?.messages.slice(0, last.length), last)
      assert.deepStrictEqual(model.violations(), [])
    })
  )
})
