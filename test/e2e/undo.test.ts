/** `/undo`, `/redo` and `/diff` in the built program: at a terminal, over pipes, after a kill in the middle (issue 5). */
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"

const bash = (command: string, id: string) => ({ id, name: "bash", arguments: JSON.stringify({ command }) })
const read = ({ workspace }: FakeWorld, path: string) => readFileSync(join(workspace, path), "utf8")

const changed = Effect.fnUntraced(function* (scene: FakeWorld, tty: Terminal.Tty, command: string, nth = 1) {
  scene.model.script(calls([bash(command, `call_u${nth}`)]), text("Changed."))
  yield* tty.prompt
  tty.enter("change it")
  yield* tty.answer("y")
  yield* tty.ended(nth)
})

describe("undo", SIDE_BY_SIDE, () => {
  it.live("at a terminal: what changed, back, again; the person's own change stays and is named", () =>
    Effect.gen(function* () {
      const scene = yield* world({ other: "old\n" })
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* changed(scene, tty, "echo heron > README.md; echo tool > other; echo x > made")
      tty.enter("/diff")
      yield* tty.shows("+heron")
      yield* tty.shows("not recorded, and never put back")
      writeFileSync(join(scene.workspace, "other"), "mine\n")
      tty.enter("/undo")
      yield* tty.shows("2 files put back")
      yield* tty.shows("other (changed meanwhile)")
      assert.deepStrictEqual([read(scene, "README.md"), read(scene, "other")], ["A project.\n", "mine\n"])
      assert.isFalse(existsSync(join(scene.workspace, "made")))
      tty.enter("/undo")
      yield* tty.shows("there is nothing to undo")
      tty.enter("/redo")
      yield* tty.shows("2 files changed again")
      assert.strictEqual(read(scene, "README.md"), "heron\n")
      scene.model.script(text("I know."))
      tty.enter("what now?")
      yield* tty.ended(2)
      const notes = (scene.model.requests().at(-1)?.messages ?? []).filter(({ content }) =>
        String(content).startsWith("[Note from claw")
      )
      assert.strictEqual(notes.length, 2)
      assert.deepStrictEqual(scene.model.violations(), [])
    })
  )

  it.live("over pipes, in a later process, in Chinese", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { env, workspace, model } = scene
      model.script(calls([bash("echo heron > README.md", "call_u1")]), text("Changed."))
      const flags = { ...env, CLAW_ALLOW_UNSAFE: "1" }
      const ran = yield* claw(["run", "--mode", "bypass", "change it"], { env: flags, cwd: workspace })
      assert.deepStrictEqual([ran.code, read(scene, "README.md")], [0, "heron\n"])
      const zh = { ...env, LANG: "zh_CN.UTF-8" }
      const ended = yield* claw(["--continue"], { env: zh, cwd: workspace, input: "/undo\n/redo\n/undo 1\n/undo\n" })
      assert.deepStrictEqual(
        ended.stdout.split("\n").filter((line) => !line.startsWith("  ")),
        [
          "已恢复 1 个文件；/redo 可还原更改",
          "已重新更改 1 个文件；/undo 可撤销",
          "/undo 或 /undo uncertain",
          "已恢复 1 个文件；/redo 可还原更改",
          ""
        ]
      )
      assert.strictEqual(read(scene, "README.md"), "A project.\n")
    })
  )

  it.live("at a terminal that is attached to a server: back, again, and what it was, over the wire", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { ready } = yield* served(scene)
      const url = `tcp://127.0.0.1:${ready.tcp.port}`
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace, args: ["attach", "--url", url] })
      yield* changed(scene, tty, "echo heron > README.md")
      tty.enter("/undo")
      yield* tty.shows("1 file put back")
      assert.strictEqual(read(scene, "README.md"), "A project.\n")
      tty.enter("/redo")
      yield* tty.shows("1 file changed again")
      assert.strictEqual(read(scene, "README.md"), "heron\n")
      tty.enter("/redo")
      yield* tty.shows("there is nothing to redo")
      tty.enter("/diff")
      yield* tty.shows("+heron")
    })
  )

  it.live("killed in the middle of it: the next start puts the rest back", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 150 }, (_, i) => `d/f${i}`)
      const scene = yield* world(Object.fromEntries(names.map((name) => [name, "old\n"])))
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* changed(scene, tty, "for f in d/*; do echo new > $f; done")
      const touched = Deferred.makeUnsafe<void>()
      const watcher = watch(join(scene.workspace, "d"), () => void Deferred.doneUnsafe(touched, Effect.void))
      tty.enter("/undo")
      yield* Effect.ensuring(
        Deferred.await(touched),
        Effect.sync(() => watcher.close())
      )
      process.kill(tty.pid, "SIGKILL")
      yield* tty.exited
      const again = yield* claw(["--continue"], { env: scene.env, cwd: scene.workspace, input: "/redo\n/undo\n" })
      assert.match(again.stdout, /150 files changed again[^]*150 files put back/)
      assert.deepStrictEqual(new Set(names.map((name) => read(scene, name))), new Set(["old\n"]))
      assert.deepStrictEqual(
        readdirSync(join(scene.workspace, "d")).filter((name) => name.startsWith(".claw")),
        []
      )
    })
  )

  it.live("killed in the middle of it: asked again, in a terminal or over the wire, it is this undo and no other", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 150 }, (_, i) => `d/f${i}`)
      const scene = yield* world(Object.fromEntries(names.map((name) => [name, "old\n"])))
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* changed(scene, tty, "echo heron > README.md")
      yield* changed(scene, tty, "for f in d/*; do echo new > $f; done", 2)
      const cut = Effect.fnUntraced(function* (by: Terminal.Tty, pid: number) {
        const touched = Deferred.makeUnsafe<void>()
        const watcher = watch(join(scene.workspace, "d"), () => void Deferred.doneUnsafe(touched, Effect.void))
        by.enter("/undo")
        yield* Effect.ensuring(
          Deferred.await(touched),
          Effect.sync(() => watcher.close())
        )
        process.kill(pid, "SIGKILL")
      })
      yield* cut(tty, tty.pid)
      yield* tty.exited
      const said = ["--continue"]
      const again = yield* claw(said, { env: scene.env, cwd: scene.workspace, input: "/undo\n" })
      assert.match(again.stdout, /150 files put back/)
      assert.strictEqual(read(scene, "README.md"), "heron\n")
      const back = yield* claw(said, { env: scene.env, cwd: scene.workspace, input: "/redo\n" })
      assert.match(back.stdout, /150 files changed again/)

      const list = yield* claw(["sessions", "list", "--json"], { env: scene.env, cwd: scene.workspace })
      const [, id = ""] = /"session_id":"([^"]+)"/.exec(list.stdout) ?? []
      const first = yield* served(scene)
      const attached = ({ ready }: typeof first) => {
        const args = ["attach", id, "--url", `tcp://127.0.0.1:${ready.tcp.port}`]
        return Terminal.start({ env: scene.env, cwd: scene.workspace, args })
      }
      const before = yield* attached(first)
      yield* before.prompt
      yield* cut(before, first.running.child.pid as number)
      yield* first.running.ended
      const after = yield* attached(yield* served(scene))
      yield* after.prompt
      after.enter("/undo")
      yield* after.shows("150 files put back; /redo")
      assert.strictEqual(read(scene, "README.md"), "heron\n")
    })
  )
})
