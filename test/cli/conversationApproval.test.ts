/** A question at the terminal: answered by keys of somebody who has seen it, and by nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { SETTLE_MS, TYPING_MS } from "../../src/cli/question.ts"
import { type Conversation, converse } from "../support/conversation.ts"
import { answer, call } from "../support/engineKit.ts"
import { layer } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const scripted = (calls: number) => {
  const asked: Array<ModelRequest> = []
  const script: Script = (request) => {
    asked.push(request)
    return asked.length === 1
      ? answer(
          "I ask.",
          Array.from({ length: calls }, (_, i) => call(`c${i}`, "probe", { n: i }))
        )
      : answer("done")
  }
  return { asked, script }
}

const idle = (sign: string) => (screen: string) => screen.includes(sign) && screen.endsWith("claw>")
const seenIt = Effect.sleep(SETTLE_MS + 50)
const decisions = ({ seen }: Conversation) =>
  seen.facts().flatMap((event) => (event.type === "approval_resolved" ? [`${event.decision} ${event.via}`] : []))

const asking = (calls = 1, expiresInMs = 60_000) => {
  const { asked, script } = scripted(calls)
  const { tool, log } = probe({ risk: "dangerous" })
  return { asked, log, layer: layer({ script: () => script, tools: [tool], expiresInMs }) }
}

describe("a question (R091, R319)", () => {
  it.live("is shown with its risk, answered with y, and the tool runs", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* converse()
      yield* conversation.say("go\r", "Approval needed: probe")
      yield* conversation.shows("expires at")
      assert.deepStrictEqual(kit.log, [])
      yield* seenIt
      yield* conversation.say("y", idle("done"))
      assert.deepStrictEqual([kit.log, decisions(conversation)], [["+0", "-0"], ["allow_once user"]])
      assert.notInclude(conversation.terminal.screen(), "y once")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("is refused by an empty answer; the model is told, and goes on (T027)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* converse()
      yield* conversation.say("go\r", "y once")
      yield* seenIt
      yield* conversation.say("\r", idle("done"))
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], ["deny user"]])
      assert.strictEqual(kit.asked[1]?.messages.at(-1)?.role, "tool")
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("stays open at a command, and /exit leaves it: neither is a reason of a refusal (R086)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* converse()
      yield* conversation.say("go\r", "y once")
      yield* seenIt
      yield* conversation.say("n", "why not")
      yield* conversation.say("/mode\r", "ask (ask,")
      assert.deepStrictEqual(decisions(conversation), [])
      conversation.terminal.type("/")
      conversation.terminal.type("exit\r")
      assert.strictEqual(yield* Fiber.join(conversation.fiber), 0)
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], ["deny cancel"]])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("is not answered by what was typed ahead, by a paste, or by typing on (T025, LESSONS 50)", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const conversation = yield* converse()
      const { say, terminal } = conversation
      terminal.type("go\ry\ry\r")
      yield* conversation.shows("y once")
      terminal.type("yyy")
      yield* Effect.sleep(TYPING_MS + 50)
      terminal.type("\x1b[200~y\ny\n\x1b[201~")
      yield* Effect.sleep(TYPING_MS + 50)
      terminal.type("y\ry\r")
      yield* Effect.yieldNow
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], []])
      yield* Effect.sleep(TYPING_MS + 50)
      yield* say("n", "why not")
      yield* say("not now\r", "denied")
      assert.deepStrictEqual([kit.log, decisions(conversation)], [[], ["deny user"]])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("keeps the line that was being typed", () => {
    const kit = asking()
    return Effect.gen(function* () {
      const { say, terminal } = yield* converse()
      terminal.type("go\rhalf a line")
      yield* say("", "y once")
      yield* Effect.sleep(TYPING_MS + 50)
      yield* say("y", (screen) => screen.includes("done") && screen.endsWith("claw> half a line"))
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("comes one after the other; one key answers one of them", () => {
    const kit = asking(2)
    return Effect.gen(function* () {
      const conversation = yield* converse()
      yield* conversation.say("go\r", "y once")
      yield* seenIt
      conversation.terminal.type("y")
      yield* conversation.shows("n: 1")
      yield* conversation.shows("call 2 of 2")
      conversation.terminal.type("y")
      yield* Effect.sleep(TYPING_MS + 50)
      assert.deepStrictEqual(decisions(conversation), ["allow_once user"])
      yield* conversation.say("y", idle("done"))
      assert.deepStrictEqual(kit.log.toSorted(), ["+0", "+1", "-0", "-1"])
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
  })

  it.live("disappears when somebody else answers it, and when it expires (R162)", () => {
    const [kit, short] = [asking(), asking(1, 300)]
    const elsewhere = Effect.gen(function* () {
      const { say, session, seen, terminal } = yield* converse()
      yield* say("go\r", "y once")
      const { request_id } = yield* seen.until("approval_request")
      yield* session.answer({ request_id, decision: "allow_once" })
      yield* terminal.until((screen) => idle("done")(screen) && !screen.includes("y once"))
    }).pipe(Effect.scoped, Effect.provide(kit.layer))
    const expires = Effect.gen(function* () {
      const conversation = yield* converse()
      yield* conversation.say("go\r", "y once")
      yield* conversation.terminal.until((screen) => idle("done")(screen) && !screen.includes("y once"))
      assert.deepStrictEqual(decisions(conversation), ["deny timeout"])
    }).pipe(Effect.scoped, Effect.provide(short.layer))
    return Effect.all([elsewhere, expires])
  })
})
