/**
 * Ctrl-C wherever a task can be: it ends as cancelled, the prompt comes back, the program lives, the next prompt works,
 * and the model server is never sent a history that it would refuse.
 * (R028, R029, R047, R092, R124–R132, R302, R318, R321; LESSONS 11, 16, 33)
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, delta, HEAD, refusal, stream, text } from "../support/fakeModelScript.ts"
import { oddSleep, processesWith } from "../support/processes.ts"

type Tty = Terminal.Tty

/** Presses Ctrl-C, waits for the end, and goes on in the same conversation. */
const interruptAndGoOn = Effect.fnUntraced(function* (tty: Tty, { model }: FakeWorld) {
  const pressed = performance.now()
  tty.press("ctrlC")
  const screen = yield* tty.ended(1)
  assert.isBelow(performance.now() - pressed, 3_000)
  assert.match(screen, /^Cancelled\./m)
  assert.notMatch(screen, /^✗/m)
  const before = model.requests().length
  const { writableFinished } = yield* model.gone(before)
  model.script(text("It goes on."))
  tty.enter("and now?")
  yield* tty.shows("It goes on.")
  yield* tty.ended(2)
  assert.strictEqual(model.requests().length, before + 1)
  assert.deepStrictEqual(model.violations(), [])
  const messages = model.requests().at(-1)?.messages ?? []
  assert.deepStrictEqual(messages.at(-1), { role: "user", content: "and now?" })
  return { messages, writableFinished }
})

const started = Effect.fnUntraced(function* (scene: FakeWorld) {
  const tty = yield* Terminal.start({ env: scene.env, cwd: scene.workspace })
  yield* tty.prompt
  tty.enter("begin")
  return tty
})

const bash = (command: string, id = "call_b1") => calls([{ id, name: "bash", arguments: JSON.stringify({ command }) }])

const contentOf = (messages: ReadonlyArray<Readonly<Record<string, unknown>>>, role: string) =>
  messages.filter((message) => message["role"] === role).map(({ content }) => content)

describe("Ctrl-C", SIDE_BY_SIDE, () => {
  it.live("while waiting for headers: the socket is closed (R130)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      scene.model.script({ before: "hang" })
      const tty = yield* started(scene)
      yield* scene.model.arrived(1)
      yield* tty.shows("thinking ·")
      const { writableFinished } = yield* interruptAndGoOn(tty, scene)
      assert.isFalse(writableFinished)
    })
  )

  it.live("while the answer streams: the socket is closed and what was shown stays (R047, R127, R130)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      scene.model.script(stream(HEAD, delta({ content: "Half of an answer" }), "hang"))
      const tty = yield* started(scene)
      yield* tty.shows("Half of an answer")
      const { writableFinished, messages } = yield* interruptAndGoOn(tty, scene)
      assert.isFalse(writableFinished)
      assert.include(String(contentOf(messages, "assistant")[0]), "Half of an answer")
      assert.include(tty.screen(), "(interrupted here)")
    })
  )

  it.live("while arguments of a call stream: the call never was (R127, R317)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const fragment = { index: 0, id: "call_x", type: "function", function: { name: "bash", arguments: '{"comm' } }
      scene.model.script(stream(HEAD, delta({ content: "Now" }), delta({ tool_calls: [fragment] }), "hang"))
      const tty = yield* started(scene)
      yield* tty.shows("Now")
      const { messages } = yield* interruptAndGoOn(tty, scene)
      assert.deepStrictEqual(
        messages.filter(({ tool_calls }) => tool_calls !== undefined),
        []
      )
    })
  )

  it.live("while a retry waits (R092, R320; LESSONS 10)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      scene.model.script(refusal(503, { message: "busy" }, { "retry-after": "60" }))
      const tty = yield* started(scene)
      yield* tty.until(/trying again in (60|59) s/)
      yield* interruptAndGoOn(tty, scene)
    })
  )

  it.live("while a question is open: the call did not happen, and is answered so (R127, R129, R145)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const mark = oddSleep()
      scene.model.script(bash(`sleep ${mark}`))
      const tty = yield* started(scene)
      yield* tty.shows("y once")
      const { messages } = yield* interruptAndGoOn(tty, scene)
      assert.match(String(contentOf(messages, "tool")[0]), /not executed/i)
      assert.deepStrictEqual(processesWith(mark), [])
      assert.notInclude(tty.cursorLine(), "y")
    })
  )

  it.live("while bash runs: every process of it is gone (R127, R131; LESSONS 17)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const mark = oddSleep()
      scene.model.script(bash(`sleep ${mark} & echo begun; sleep ${mark}`))
      const tty = yield* started(scene)
      yield* tty.answer("y")
      yield* tty.shows("│ begun")
      assert.isAbove(processesWith(mark).length, 0)
      const { messages } = yield* interruptAndGoOn(tty, scene)
      assert.deepStrictEqual(processesWith(mark), [])
      assert.match(String(contentOf(messages, "tool")[0]), /cancel/i)
    })
  )

  it.live("while one of two calls runs: both are answered, nothing of them goes on (R322, LESSONS 11)", () =>
    Effect.gen(function* () {
      const scene = yield* world({ "a.txt": "A\n" })
      const mark = oddSleep()
      const command = `bash -c 'echo begun; sleep ${mark} | cat' ; echo late > late.txt`
      scene.model.script(
        calls([
          { id: "call_i1", name: "bash", arguments: JSON.stringify({ command }) },
          { id: "call_i2", name: "read_file", arguments: '{"path":"a.txt"}' }
        ])
      )
      const tty = yield* started(scene)
      yield* tty.answer("y")
      yield* tty.shows("│ begun")
      const { messages } = yield* interruptAndGoOn(tty, scene)
      assert.deepStrictEqual(processesWith(mark), [])
      assert.deepStrictEqual(
        messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id),
        ["call_i1", "call_i2"]
      )
      assert.isFalse(existsSync(join(scene.workspace, "late.txt")))
    })
  )
})
