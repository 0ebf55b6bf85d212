/**
 * What answers a question and what never does: keys pressed before it was seen, pastes, an empty answer.
 * (R091, R140–R145, R319; LESSONS 29, 30, 50; SECURITY P15, P16)
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Option } from "effect"
import { type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { callChunks, calls, delta, DONE, finish, HEAD, stream, text } from "../support/fakeModelScript.ts"

const write = (path: string, id = `call_${path}`) => ({
  id,
  name: "write_file",
  arguments: JSON.stringify({ path, content: "written\n" })
})

const toolMessages = ({ model }: FakeWorld, nth: number) =>
  (model.requests()[nth - 1]?.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => String(content))

const asked = Effect.fnUntraced(function* (scene: FakeWorld, path = "new.txt") {
  scene.model.script(calls([write(path)]), text("Done."))
  const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
  yield* tty.prompt
  tty.enter("write it")
  return tty
})

/** Presses n until it is taken: what was typed or pasted before keeps the question closed for a while. */
const sayNo = (tty: Terminal.Tty) =>
  Effect.sync(() => tty.type("n")).pipe(
    Effect.andThen(Effect.timeoutOption(tty.shows("why not"), "1 second")),
    Effect.repeat({ until: Option.isSome })
  )

const absent = (scene: FakeWorld, path = "new.txt") => assert.isFalse(existsSync(join(scene.workspace, path)))

describe("a question", SIDE_BY_SIDE, () => {
  it.live("is not answered by what was typed ahead, which is still there afterwards (LESSONS 50)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const go = yield* Deferred.make<void>()
      scene.model.script(
        stream(
          HEAD,
          delta({ content: "Wait for it." }),
          { until: Deferred.await(go) },
          ...callChunks([write("new.txt")]),
          finish("tool_calls"),
          DONE
        ),
        text("Done.")
      )
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* tty.prompt
      tty.enter("write it")
      yield* tty.shows("Wait for it.")
      tty.type("yyy yes")
      yield* tty.shows("claw> yyy yes")
      yield* Deferred.succeed(go, undefined)
      yield* tty.shows("y once")
      absent(scene)
      yield* tty.answer("")
      yield* sayNo(tty)
      tty.press("escape")
      yield* tty.shows("Done.")
      yield* tty.shows("claw> yyy yes")
      absent(scene)
      assert.match(toolMessages(scene, 2)[0] ?? "", /denied/i)
    })
  )

  it.live("is not answered by a paste, nor by keys that mean nothing", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const tty = yield* asked(scene)
      yield* tty.answer("\x1b[200~y\ny\n\x1b[201~")
      tty.type("qzj ")
      yield* sayNo(tty)
      absent(scene)
      tty.press("escape")
      yield* tty.ended(1)
      absent(scene)
      assert.strictEqual(scene.model.requests().length, 2)
    })
  )

  it.live("is denied by Enter alone (P16)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const tty = yield* asked(scene)
      yield* tty.answer("\r")
      yield* tty.ended(1)
      absent(scene)
      assert.match(toolMessages(scene, 2)[0] ?? "", /denied/i)
    })
  )

  it.live("denied with a reason: the model reads the reason, the tool did not run (R145)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const tty = yield* asked(scene)
      yield* tty.answer("n")
      yield* tty.shows("why not")
      tty.enter("use the other folder")
      yield* tty.ended(1)
      absent(scene)
      assert.include(toolMessages(scene, 2)[0], "use the other folder")
      assert.deepStrictEqual(scene.model.violations(), [])
    })
  )

  it.live("y is for this call only, s for the session; reading is never asked (R140, R141, R143, R144)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const read = { id: "call_r", name: "read_file", arguments: '{"path":"README.md"}' }
      scene.model.script(calls([read]), calls([write("a.txt", "w1")]), calls([write("a.txt", "w2")]), text("First."))
      const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
      yield* tty.prompt
      tty.enter("write it")
      yield* tty.until(/Approval needed: write_file/)
      assert.include(tty.screen(), "✓ read_file")
      yield* tty.answer("y")
      yield* tty.until((screen) => screen.includes("✓ write_file") && screen.includes("y once"))
      yield* tty.answer("s")
      yield* tty.shows("number of the grant")
      yield* tty.apart
      tty.type("1")
      yield* tty.ended(1)
      scene.model.script(calls([write("a.txt", "w3")]), text("Second."))
      tty.enter("once more")
      yield* tty.ended(2)
      assert.strictEqual(tty.screen().split("✓ write_file").length - 1, 3)
      assert.strictEqual(readFileSync(join(scene.workspace, "a.txt"), "utf8"), "written\n")
      assert.deepStrictEqual(scene.model.violations(), [])
    })
  )
})
