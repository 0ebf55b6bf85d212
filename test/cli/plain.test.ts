/** Without a screen: piped lines run to their end and give an exit code; a dumb terminal is asked by lines. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { ApprovalRequest } from "../../src/domain/Approval.ts"
import type { CallId, RequestId, SessionId } from "../../src/domain/Ids.ts"
import { readAnswer } from "../../src/cli/plainQuestion.ts"
import { SETTLE_MS } from "../../src/cli/question.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { answer, call, text } from "../support/engineKit.ts"
import { conversePlainly, type PlainConversation } from "../support/plainConversation.ts"
import { layer } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const echoing = () => {
  const asked: Array<ModelRequest> = []
  const script: Script = (request) => {
    asked.push(request)
    return answer(`answer ${asked.length}`)
  }
  return { asked, layer: layer({ script: () => script }) }
}

const asking = () => {
  const { tool, log } = probe({ risk: "dangerous" })
  const script: Script = (_request, turn) => (turn === 0 ? answer("I ask.", [call("c1", "probe", {})]) : answer("done"))
  return { log, layer: layer({ script: () => script, tools: [tool] }) }
}

const decisions = ({ seen }: PlainConversation) =>
  seen.facts().flatMap((event) => (event.type === "approval_resolved" ? [`${event.decision} ${event.via}`] : []))

describe("piped input (LESSONS 49)", () => {
  it.live("runs line by line to its end, a last line without a break too, in one conversation (R085)", () => {
    const kit = echoing()
    return Effect.gen(function* () {
      const { type, end, fiber, out, err } = yield* conversePlainly()
      type("one\r\n\n/hepl\ntwo 你好")
      end()
      assert.strictEqual(yield* Fiber.join(fiber), 0)
      assert.strictEqual(out(), "answer 1\nThere is no command /hepl. Try /help.\nanswer 2\n")
      assert.strictEqual(err(), "")
      assert.deepStrictEqual(
        kit.asked[1]?.messages.filter(({ role }) => role === "user").map(({ content }) => content),
        ["one", "two 你好"]
      )
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("waits for a task that goes on after a crash, and for prompts that were queued behind it", () => {
    const asked: Array<ModelRequest> = []
    const go = Deferred.makeUnsafe<void>()
    const script: Script = (request) => {
      asked.push(request)
      const said = answer(`answer ${asked.length}`)
      return asked.length === 1 ? Stream.unwrap(Effect.as(Deferred.await(go), said)) : said
    }
    return Effect.gen(function* () {
      const { type, end, fiber, out, err } = yield* conversePlainly()
      const session = yield* Effect.flatMap(RuntimeManager, (manager) => manager.get("first" as SessionId))
      yield* session.prompt({ content: "of the process that died" })
      yield* session.prompt({ content: "behind it", when_busy: "queue" })
      type("one\ntwo\n")
      end()
      yield* Effect.sleep(50)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(fiber), 0)
      assert.deepStrictEqual(
        asked.map(({ messages }) => messages.findLast(({ role }) => role === "user")?.content),
        ["of the process that died", "behind it", "one", "two"]
      )
      assert.strictEqual(err(), "")
      assert.match(out(), /answer 3\nanswer 4\n$/)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => script })))
  })

  /** A question is open of a task that the conversation did not begin. */
  const left = Effect.fnUntraced(function* (atTerminal: boolean) {
    const conversation = yield* conversePlainly({ atTerminal })
    const session = yield* Effect.flatMap(RuntimeManager, (manager) => manager.get("first" as SessionId))
    const asked = Deferred.makeUnsafe<void>()
    yield* session.subscribe({
      answers: true,
      sink: (events) => {
        if (events.some(({ type }) => type === "approval_request")) Deferred.doneUnsafe(asked, Effect.void)
      }
    })
    yield* session.prompt({ content: "of the process that died" })
    yield* Deferred.await(asked)
    return conversation
  })

  it.live("does not wait for an answer that nobody can give there (SETTLED 5)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const { type, end, fiber, seen } = yield* left(false)
      type("one\n")
      end()
      assert.deepStrictEqual([yield* Fiber.join(fiber), kit.log], [0, []])
      const failed = seen.facts().flatMap((event) => (event.type === "task_failed" ? [event.error.code] : []))
      assert.deepStrictEqual(failed, ["approval_required"])
      assert.deepStrictEqual(seen.types().slice(-1), ["task_completed"])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("shows a question that was open before, where somebody can answer it", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* left(true)
      const { type, end, fiber, shows } = conversation
      type("one\n")
      yield* shows("probe")
      yield* Effect.sleep(2 * SETTLE_MS)
      type("y\n")
      yield* shows("done")
      type("/exit\n")
      end()
      yield* Fiber.join(fiber)
      assert.include(decisions(conversation), "allow_once user")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("says what is missing where nothing comes, and fails as a wrong usage does", () => {
    const kit = echoing()
    return Effect.gen(function* () {
      const { end, fiber, err } = yield* conversePlainly()
      end()
      assert.deepStrictEqual([yield* Fiber.join(fiber), kit.asked.length], [2, 0])
      assert.include(err(), "claw: Nothing came on standard input, and it is no terminal.")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("asks nobody: what needs an approval fails, and the exit code says so (SETTLED 5)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const { type, end, fiber, err } = yield* conversePlainly()
      type("go\ny\n")
      end()
      assert.deepStrictEqual([yield* Fiber.join(fiber), kit.log], [3, []])
      assert.include(err(), "[approval_required]")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("ends at /exit, and where nobody reads the answers any more", () =>
    Effect.gen(function* () {
      for (const [reader, lines] of [
        [99, "one\n/exit\ntwo\n"],
        [0, "one\ntwo\n"]
      ] as const) {
        const kit = echoing()
        yield* Effect.gen(function* () {
          const { type, fiber } = yield* conversePlainly({ reader })
          type(lines)
          yield* Fiber.join(fiber)
          assert.strictEqual(kit.asked.length, 1)
        }).pipe(Effect.scoped, Effect.provide(kit.layer))
      }
    })
  )
})

describe("a dumb terminal", () => {
  it.live("prompts, answers, and writes no escape sequence", () => {
    const kit = echoing()
    return Effect.gen(function* () {
      const { type, end, fiber, shows, out } = yield* conversePlainly({ atTerminal: true })
      yield* shows("welcome\nclaw> ")
      type("one\n")
      yield* shows("answer 1\nclaw> ")
      end()
      assert.strictEqual(yield* Fiber.join(fiber), 0)
      assert.notInclude(out(), "\x1b")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("a line typed after the question answers it, one typed before does not (T025)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* conversePlainly({ atTerminal: true })
      const { type, shows } = conversation
      type("go\ny\n")
      yield* shows("? ")
      type("y\n")
      yield* Effect.sleep(SETTLE_MS + 50)
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], []])
      type("y\n")
      yield* shows("done\nclaw> ")
      assert.deepStrictEqual([kit.log, decisions(conversation)], [["+0", "-0"], ["allow_once user"]])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("e answers nothing, and the question is asked again (R139)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* conversePlainly({ atTerminal: true })
      conversation.type("go\n")
      yield* conversation.shows("? ")
      yield* Effect.sleep(SETTLE_MS + 50)
      conversation.type("e\n")
      yield* conversation.shows("? y once")
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], []])
      conversation.type("y\n")
      yield* conversation.shows("done\nclaw> ")
      assert.deepStrictEqual(decisions(conversation), ["allow_once user"])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("a question stays open at a command, and /exit leaves it: neither refuses with a reason (R086)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* conversePlainly({ atTerminal: true })
      conversation.type("go\n")
      yield* conversation.shows("? ")
      yield* Effect.sleep(SETTLE_MS + 50)
      conversation.type("/help\n")
      yield* conversation.shows("Answer first, or /exit to leave.\n? ")
      assert.deepStrictEqual(decisions(conversation), [])
      conversation.type("/exit\n")
      assert.deepStrictEqual([yield* Fiber.join(conversation.fiber), decisions(conversation)], [0, ["deny cancel"]])
      assert.deepStrictEqual(kit.log, [])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("the end of input at a question refuses it and leaves (SECURITY P15)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* conversePlainly({ atTerminal: true })
      conversation.type("go\n")
      yield* conversation.shows("? ")
      conversation.end()
      assert.deepStrictEqual([yield* Fiber.join(conversation.fiber), decisions(conversation)], [0, ["deny user"]])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("Ctrl-C cancels the task, or at the prompt hints and then leaves (R092)", () => {
    const unending = Stream.concat(Stream.fromArray<ModelPart>(text("some words")), Stream.never)
    return Effect.gen(function* () {
      const { type, interrupt, shows, seen, fiber, out, err } = yield* conversePlainly({ atTerminal: true })
      type("go\n")
      yield* shows("some words")
      interrupt()
      yield* shows("some words\nclaw> ")
      assert.deepStrictEqual([seen.types().at(-1), err()], ["task_canceled", "Cancelled.\n"])
      interrupt()
      yield* shows("Ctrl-C again to leave.")
      interrupt()
      yield* Fiber.join(fiber)
      // Whoever comes next begins on a line of its own.
      assert.isTrue(out().endsWith("claw> \n"))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => unending })))
  })
})

const request = (kind: ApprovalRequest["kind"]): ApprovalRequest => ({
  request_id: "r" as RequestId,
  kind,
  call_id: "c" as CallId,
  tool_name: "bash",
  content: "{}",
  risk: "dangerous",
  reason: "",
  grant_options: ["a", "b"].map((id) => ({ id, label: id, matcher: { kind: "exact", digest: id } }))
})

describe("an answer by a line", () => {
  it("allows by y, and by s with an offered grant; all else refuses (LESSONS 30)", () => {
    const rows: ReadonlyArray<readonly [string, unknown]> = [
      ["y", { decision: "allow_once" }],
      [" Y ", { decision: "allow_once" }],
      ["yes", { decision: "allow_once" }],
      ["s", { decision: "allow_session", grant_option: "a" }],
      ["s2", { decision: "allow_session", grant_option: "b" }],
      ["s 2", { decision: "allow_session", grant_option: "b" }],
      ["n not now", { decision: "deny", reason: "not now" }],
      ...["", "n", "s 3", "s 0", "yess", "y y", "ys", "allow", "1"].map((line) => [line, { decision: "deny" }] as const)
    ]
    for (const [line, expected] of rows)
      assert.deepStrictEqual(readAnswer(line, request("tool")) as unknown, expected, line)
    const recoveries = ["r", "k", "x", "", "y"].map((line) => readAnswer(line, request("recovery")).decision)
    assert.deepStrictEqual(recoveries, ["retry", "skip", "stop", "skip", "skip"])
  })
})
