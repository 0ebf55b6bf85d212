/** The prompt, the answer as it comes, the prompt again: a conversation at a terminal. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { converse } from "../support/conversation.ts"
import { answer, completed, text, turns } from "../support/engineKit.ts"
import { layer } from "../support/runtimeKit.ts"

const requests = (): { readonly script: Script; readonly asked: Array<ModelRequest> } => {
  const asked: Array<ModelRequest> = []
  const script: Script = (request) => {
    asked.push(request)
    return answer(`answer ${asked.length}`)
  }
  return { script, asked }
}

const CTRL_C = "\x03"
const CTRL_D = "\x04"

describe("the prompt", () => {
  it.live(
    "takes a prompt, shows the answer, and returns; the next prompt goes on from there (R058, R084, R085, R316)",
    () => {
      const { script, asked } = requests()
      return Effect.gen(function* () {
        const { say, terminal } = yield* converse()
        yield* say("hello 你好\r", "answer 1")
        yield* say("and again\r", "answer 2")
        yield* terminal.until((screen) => screen.endsWith("claw>"))
        assert.deepStrictEqual(
          asked[1]?.messages.filter(({ role }) => role !== "system").map(({ content }) => content),
          ["hello 你好", "answer 1", "and again"]
        )
        assert.deepStrictEqual(terminal.cursor(), { column: 6, line: "claw> " })
      }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
    }
  )

  it.live("shows a command that was typed above what it answers; one that finds nothing to do says so", () => {
    const { script } = requests()
    return Effect.gen(function* () {
      const { say, terminal } = yield* converse()
      yield* say("/drop\r", "no prompt waits")
      yield* say("/mode ask\r", "/mode ask")
      const screen = yield* terminal.until((text) => text.includes("mode: ask") && text.endsWith("claw>"))
      const lines = terminal
        .screen()
        .split("\n")
        .map((line) => line.trim())
      assert.deepStrictEqual(
        ["/drop", "no prompt waits", "/mode ask", "mode: ask"].map((line) => lines.indexOf(line) >= 0),
        [true, true, true, true]
      )
      assert.isBelow(lines.indexOf("/drop"), lines.indexOf("no prompt waits"))
      yield* say("/revoke 1\r", "There is no such grant")
      assert.match(terminal.screen(), /\/revoke 1 *\n *There is no such grant/)
      // What its session tells of it is an answer too.
      yield* say("/clear\r", "starts afresh")
      yield* terminal.until((text) => text.includes("/clear") && text.endsWith("claw>"))
      assert.match(terminal.screen(), /\/clear *\n *The conversation starts afresh/)
      return screen
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })

  it.live("shows text while it is written, and it stays when it ends (R090, R317)", () => {
    const go = Deferred.makeUnsafe<void>()
    const slow = Stream.concat(
      Stream.fromArray<ModelPart>(text("first words\n\n")),
      Stream.concat(
        Stream.drain(Stream.fromEffect(Deferred.await(go))),
        Stream.fromArray<ModelPart>([...text("last words"), completed("first words\n\nlast words")])
      )
    )
    return Effect.gen(function* () {
      const { say, terminal, seen } = yield* converse()
      yield* say("go\r", "first words")
      assert.notInclude(seen.types(), "text_completed")
      yield* Deferred.succeed(go, undefined)
      yield* terminal.until((screen) => screen.includes("last words") && screen.endsWith("claw>"))
      assert.strictEqual(terminal.screen().split("first words").length, 2)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(slow) })))
  })

  it.live("keeps what is typed while a task runs, and sends it when the task has ended", () => {
    const go = Deferred.makeUnsafe<void>()
    const first = Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(go))), answer("one"))
    return Effect.gen(function* () {
      const { say, seen } = yield* converse()
      yield* say("first\r", "thinking")
      yield* say("second\rthird", "claw> third")
      yield* Deferred.succeed(go, undefined)
      yield* say("", (screen) => screen.includes("two") && screen.endsWith("claw> third"))
      const prompts = seen.facts().flatMap((event) => (event.type === "task_started" ? [event.content] : []))
      assert.deepStrictEqual(prompts, ["first", "second"])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(first, answer("two")) })))
  })

  it.live("takes a paste of many lines as one message (LESSONS 49)", () => {
    const { script, asked } = requests()
    return Effect.gen(function* () {
      const { say } = yield* converse()
      yield* say("\x1b[200~one\r\n\ttwo\rthree\x1b[201~", "three")
      assert.strictEqual(asked.length, 0)
      yield* say("\r", "answer 1")
      assert.strictEqual(asked[0]?.messages.at(-1)?.content, "one\n\ttwo\nthree")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })

  it.live("is usable at 40 columns and in Chinese, and writes no colour where none is wanted", () => {
    const { script } = requests()
    return Effect.gen(function* () {
      const { say, terminal } = yield* converse({ columns: 40, rows: 12, locale: "zh-CN" })
      yield* say(`${"长".repeat(50)}\r`, "answer 1")
      yield* say("/status\r", "目录")
      yield* say("/nope\r", "没有命令 /nope")
      // eslint-disable-next-line no-control-regex
      assert.notMatch(terminal.written(), /\x1b\[[0-9;]*m/)
      assert.strictEqual(terminal.answered(), "")
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })
})

describe("commands", () => {
  it.live("are done here; an unknown one is refused with the nearest name and reaches nobody (R086, R089)", () => {
    const { script, asked } = requests()
    return Effect.gen(function* () {
      const { say, seen } = yield* converse()
      yield* say("/hepl\r", "There is no command /hepl. Try /help.")
      yield* say("/help\r", "forget the conversation")
      yield* say("/tools\r", "a probe")
      yield* say("/cost\r", "0 tasks")
      yield* say("/mode plan\r", "mode: plan")
      assert.deepStrictEqual([seen.types(), asked], [[], []])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })

  it.live("/clear forgets the conversation and nothing else (R087)", () => {
    const { script, asked } = requests()
    return Effect.gen(function* () {
      const { say, session, terminal } = yield* converse()
      yield* say("secret\r", "answer 1")
      yield* terminal.until((screen) => screen.endsWith("claw>"))
      yield* say("/clear\r", "starts afresh")
      yield* say("hello\r", "answer 2")
      const sent = asked[1]?.messages.filter(({ role }) => role !== "system").map(({ content }) => content)
      assert.deepStrictEqual([sent, (yield* session.state).tasks], [["hello"], 2])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })

  it.live("leave in every way there is, with exit code 0 (R086, R088)", () => {
    const { script } = requests()
    return Effect.forEach(["/exit\r", "/quit\r", CTRL_D, `${CTRL_C}${CTRL_C}`], (keys) =>
      Effect.gen(function* () {
        const { fiber, terminal } = yield* converse()
        terminal.type(keys)
        assert.deepStrictEqual([yield* Fiber.join(fiber), terminal.raw()], [0, false])
      }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
    )
  })
})
