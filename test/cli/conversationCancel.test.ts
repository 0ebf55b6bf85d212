/** Ctrl-C, in whatever state the task is: the task ends as cancelled, once; the prompt is back; the process lives. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import type { Script } from "../../src/provider/Provider.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { type Conversation, converse } from "../support/conversation.ts"
import { answer, call, text, turns } from "../support/engineKit.ts"
import { layer } from "../support/runtimeKit.ts"
import { probe, waiting } from "../support/tools.ts"

const CTRL_C = "\x03"
const unending = Stream.concat(Stream.fromArray<ModelPart>(text("some words")), Stream.never)
const calling = (name: string) => answer("I call.", [call("c1", name, {})])

interface Situation {
  readonly name: string
  readonly first: ReturnType<Script>
  readonly tools: ReadonlyArray<Tool>
  /** On the screen when Ctrl-C is pressed. */
  readonly sign: string
}

const situations = (): ReadonlyArray<Situation> => [
  { name: "before the first word", first: Stream.never, tools: [], sign: "thinking" },
  { name: "while text streams", first: unending, tools: [], sign: "some words" },
  { name: "while a tool runs", first: calling("wait"), tools: [waiting().tool], sign: "running tools" },
  { name: "at a question", first: calling("probe"), tools: [probe({ risk: "dangerous" }).tool], sign: "y once" },
  {
    name: "while a retry waits",
    first: Stream.fail(new ProviderError({ code: "provider_rate_limited", detail: "slow", retryAfterMs: 60_000 })),
    tools: [],
    sign: "trying again in"
  }
]

const ended = ({ seen }: Conversation) => seen.types().filter((type) => type.startsWith("task_"))

describe("Ctrl-C (R092, R127, R302, R318)", () => {
  for (const { name, first, tools, sign } of situations()) {
    it.live(`${name} cancels the task and brings the prompt back`, () =>
      Effect.gen(function* () {
        const conversation = yield* converse()
        const { say } = conversation
        yield* say("go\r", sign)
        yield* say(CTRL_C, (screen) => screen.includes("Cancelled") && screen.endsWith("claw>"))
        yield* say("again\r", "still here")
        assert.deepStrictEqual(ended(conversation), ["task_started", "task_canceled", "task_started", "task_completed"])
      }).pipe(
        Effect.scoped,
        Effect.provide(layer({ script: () => (_request, turn) => (turn === 0 ? first : answer("still here")), tools }))
      )
    )
  }

  it.live("right behind Enter cancels the task that begins", () =>
    Effect.gen(function* () {
      const { say } = yield* converse({ taking: Effect.sleep("100 millis") })
      yield* say(`go\r${CTRL_C}`, (screen) => screen.includes("Cancelled") && screen.endsWith("claw>"))
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(Stream.never) })))
  )

  it.live("with text in an idle line clears it; at an empty one it says how to leave, and any key forgets that", () =>
    Effect.gen(function* () {
      const { say, shows, terminal, fiber } = yield* converse()
      yield* say("some text", "some text")
      yield* say(CTRL_C, (screen) => screen.endsWith("claw>"))
      yield* say(CTRL_C, "Ctrl-C again to leave.")
      yield* say("x", (screen) => !screen.includes("again to leave"))
      yield* say("\x7f", (screen) => screen.endsWith("claw>"))
      terminal.type(CTRL_C)
      yield* shows("Ctrl-C again to leave.")
      assert.isUndefined(fiber.pollUnsafe())
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("ok")) })))
  )

  it.live("during forty questions leaves one reader of the keyboard and nothing to answer (R129)", () =>
    Effect.gen(function* () {
      const conversation = yield* converse()
      const { say, terminal, session } = conversation
      for (let i = 0; i < 40; i++) {
        yield* say(`go ${i}\r`, "y once")
        yield* say(CTRL_C, (screen) => screen.endsWith("claw>"))
      }
      const { pending_approvals, state } = yield* session.status
      assert.deepStrictEqual([terminal.listeners(), pending_approvals, state], [1, [], "idle"])
      assert.strictEqual(ended(conversation).filter((type) => type === "task_canceled").length, 40)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => () => calling("probe"), tools: [probe({ risk: "dangerous" }).tool] }))
    )
  )

  it.live("and leaving while a task runs cancels it before the terminal is given back", () =>
    Effect.gen(function* () {
      const { say, terminal, session, seen, fiber } = yield* converse()
      yield* say("go\r", "some words")
      terminal.end()
      yield* Effect.exit(Effect.andThen(seen.until("task_canceled"), Effect.void))
      assert.strictEqual(yield* Effect.map(session.status, ({ state }) => state), "idle")
      assert.isDefined(fiber)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(unending) })))
  )
})
