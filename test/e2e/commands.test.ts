/** Local commands stay local, and change what they say they change (R086–R089, LESSONS 50). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"

const spoken = (messages: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined) =>
  (messages ?? [])
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => `${String(role)}: ${String(content)}`)

describe("a line that begins with /", SIDE_BY_SIDE, () => {
  it.live("never reaches the model, also when there is no such command (R089)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("/exti")
      yield* tty.shows("There is no command /exti. Try /exit.")
      tty.enter("/help")
      yield* tty.until(/^\/resume/m)
      tty.enter("/status")
      yield* tty.shows(workspace)
      tty.enter("/tools")
      yield* tty.until(/^edit_file /m)
      tty.enter("/cost")
      yield* tty.shows("0 tasks")
      tty.enter("/grants")
      yield* tty.shows("nothing is granted")
      assert.deepStrictEqual(model.requests(), [])
      tty.enter("hello")
      yield* tty.ended(1)
      assert.deepStrictEqual(spoken(model.requests()[0]?.messages), ["user: hello"])
    })
  )

  it.live("/clear: the conversation starts afresh, the program does not (R087)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("the secret word is heron")
      yield* tty.ended(1)
      tty.enter("/clear")
      yield* tty.shows("The conversation starts afresh from here.")
      tty.enter("and now?")
      yield* tty.ended(2)
      assert.deepStrictEqual(spoken(model.requests()[1]?.messages), ["user: and now?"])
      const [first, second] = model.requests()
      assert.deepStrictEqual(second?.messages[0], first?.messages[0])
      assert.strictEqual(second?.connection, first?.connection)
    })
  )

  it.live("/model: the next request names the other model", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("/model")
      yield* tty.shows("fake-model", 2)
      tty.enter("/model other-model")
      yield* tty.shows("model from the next task on: other-model")
      tty.enter("hello")
      yield* tty.ended(1)
      assert.strictEqual((JSON.parse(model.requests()[0]?.body ?? "{}") as { model?: string }).model, "other-model")
    })
  )

  it.live("/mode plan: a write is refused without a question", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(
        calls([{ id: "w1", name: "write_file", arguments: '{"path":"new.txt","content":"x"}' }]),
        text("I may not.")
      )
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("/mode plan")
      yield* tty.shows("mode: plan")
      tty.enter("write it")
      yield* tty.ended(1)
      assert.notInclude(tty.screen(), "Approval needed")
      assert.isFalse(existsSync(join(workspace, "new.txt")))
      assert.match(
        String(model.requests()[1]?.messages.find(({ role }) => role === "tool")?.["content"]),
        /denied|plan/i
      )
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("pasted lines are one prompt (LESSONS 49)", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.paste("line one\nline two\n/exit")
      yield* tty.shows("line two")
      assert.deepStrictEqual(model.requests(), [])
      tty.press("enter")
      yield* tty.ended(1)
      assert.deepStrictEqual(spoken(model.requests()[0]?.messages), ["user: line one\nline two\n/exit"])
    })
  )
})
