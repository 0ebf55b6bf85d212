/** Terminals of other kinds: narrow, without colours, dumb, in Chinese, resized while text comes (R090, R094; LESSONS 49). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, delta, DONE, finish, HEAD, stream, text } from "../support/fakeModelScript.ts"

const ANSWER = [
  "# Heading",
  "",
  "Some **bold** words and `code`, then a line that is much longer than a narrow terminal has columns.",
  "",
  "```js",
  "const answer = 42",
  "```",
  "",
  "| name | value |",
  "| --- | --- |",
  "| 日本語 | wide |"
].join("\n")

const edit = {
  id: "e1",
  name: "edit_file",
  arguments: JSON.stringify({
    path: "README.md",
    old_text: "A project.",
    new_text: "A project with a very long new description."
  })
}

const ESC = "\x1b"
const SGR = new RegExp(`${ESC}\\[[\\d;:]*m`)

describe("a terminal", SIDE_BY_SIDE, () => {
  it.live("of 40 by 12: no line is wider, the question can be read and answered", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(calls([edit], ANSWER), text("Done."))
      const tty = yield* Terminal.start({ env, cwd: workspace, size: { columns: 40, rows: 12 } })
      yield* tty.prompt
      tty.enter("describe the project in a prompt that is itself longer than forty columns")
      yield* tty.answer("y")
      yield* tty.shows("Done.")
      const screen = yield* tty.ended(1)
      for (const part of ["Heading", "const answer = 42", "日本語", "+A project with a very", "✓ edit_file"]) {
        assert.include(screen, part)
      }
      // Our frames never count on the terminal's own wrapping.
      assert.strictEqual(tty.wrappedLines(), 0)
      assert.isFalse(screen.includes("undefined"))
    })
  )

  it.live("with NO_COLOR: not one colour in the bytes", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(calls([edit], ANSWER), text("Done."))
      const tty = yield* Terminal.start({ env: { ...env, NO_COLOR: "1" }, cwd: workspace })
      yield* tty.prompt
      tty.enter("go")
      yield* tty.answer("y")
      yield* tty.shows("Done.")
      yield* tty.ended(1)
      assert.notMatch(tty.raw(), SGR)
    })
  )

  it.live("with colours, in contrast, has them", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(text(ANSWER))
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("go")
      yield* tty.ended(1)
      assert.match(tty.raw(), SGR)
    })
  )

  it.live("with TERM=dumb: no escape at all, and the same conversation, questions too", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(calls([edit], ANSWER), text("Done."))
      const tty = yield* Terminal.start({ env: { ...env, TERM: "dumb" }, cwd: workspace })
      yield* tty.until(/^claw>/m)
      tty.enter("go")
      yield* tty.shows("y once")
      yield* tty.answer("y")
      tty.enter("")
      yield* tty.shows("Done.")
      tty.enter("/exit")
      assert.strictEqual(yield* tty.exited, 0)
      assert.notInclude(tty.raw(), ESC)
    })
  )

  it.live("in Chinese: what claw says is Chinese, also its errors", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const chinese = { ...env, LANG: "zh_CN.UTF-8" }
      model.script(calls([edit], "好的。"), text("完成。"))
      const tty = yield* Terminal.start({ env: chinese, cwd: workspace })
      yield* tty.prompt
      tty.enter("你好")
      const asked = yield* tty.shows("y 允许一次")
      assert.include(asked, "需要批准: edit_file")
      yield* tty.answer("y")
      yield* tty.shows("完成。")
      const screen = yield* tty.ended(1)
      assert.include(screen, "› 你好")
      assert.match(screen, /输入 20 · 输出 10/)
      tty.enter("/nothing")
      yield* tty.shows("没有命令 /nothing")
      tty.press("ctrlC")
      yield* tty.shows("再按 Ctrl-C 退出。")
      model.rule(() => ({ status: 401 }))
      const run = yield* claw(["run", "你好"], { env: chinese, cwd: workspace })
      assert.match(run.stderr, /模型服务拒绝了 API 密钥/)
    })
  )

  it.live("resized while text comes: the text is whole, once", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const [narrow, wide] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const words = (from: number) => Array.from({ length: 20 }, (_, i) => `word${from + i}`).join(" ")
      model.script(
        stream(
          HEAD,
          delta({ content: `${words(100)} ` }),
          { until: Deferred.await(narrow) },
          delta({ content: `${words(120)} ` }),
          { until: Deferred.await(wide) },
          delta({ content: `${words(140)}\n\nthe end` }),
          finish("stop"),
          DONE
        )
      )
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("go")
      yield* tty.shows("word119")
      tty.resize({ columns: 50, rows: 20 })
      yield* Deferred.succeed(narrow, undefined)
      yield* tty.shows("word139")
      tty.resize({ columns: 120, rows: 40 })
      yield* Deferred.succeed(wide, undefined)
      yield* tty.shows("the end")
      const screen = yield* tty.ended(1)
      const last = screen.slice(screen.lastIndexOf("word100"))
      assert.deepStrictEqual(
        last.match(/word\d+/g),
        Array.from({ length: 60 }, (_, i) => `word${100 + i}`)
      )
    })
  )
})
