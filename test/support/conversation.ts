/** The conversation at a virtual terminal, over a scripted model: what a person types in, what they see. */
import { Effect, type Fiber, type Scope } from "effect"
import type { Locale } from "../../src/cli/Commands.ts"
import { type InputHistory, openHistory } from "../../src/cli/InputHistory.ts"
import { repl } from "../../src/cli/Repl.ts"
import type { Around } from "../../src/cli/SlashCommands.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { Prompt, SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import type { SessionMeta } from "../../src/store/SessionIndex.ts"
import { create, watch, type Watching } from "./runtimeKit.ts"
import { virtualTerminal, type VirtualTerminal, type VirtualTerminalOptions } from "./virtualTerminal.ts"

export interface ConversationOptions extends VirtualTerminalOptions {
  readonly locale?: Locale
  readonly history?: InputHistory
  readonly workspace?: string
  /** What `/sessions` and `/resume` list. */
  readonly sessions?: ReadonlyArray<SessionMeta>
  readonly fork?: Around["fork"]
  /** Goes before each prompt is taken: a slow store. */
  readonly taking?: Effect.Effect<void>
}

export interface Conversation {
  readonly terminal: VirtualTerminal
  readonly session: SessionRuntime
  readonly seen: Watching
  readonly fiber: Fiber.Fiber<number, unknown>
  /** Types and waits until the screen shows this. */
  readonly say: (keys: string, expected: string | ((screen: string) => boolean)) => Effect.Effect<void>
  readonly shows: (expected: string) => Effect.Effect<void>
}

export const converse = (
  options: ConversationOptions = {}
): Effect.Effect<Conversation, unknown, Scope.Scope | RuntimeManager> =>
  Effect.gen(function* () {
    const terminal = virtualTerminal(options)
    const made = yield* create("first")
    const taking = options.taking ?? Effect.void
    const session = { ...made, prompt: (prompt: Prompt) => Effect.andThen(taking, made.prompt(prompt)) }
    const seen = yield* watch(session)
    const manager = yield* RuntimeManager
    const running = repl({
      locale: options.locale ?? "en",
      tools: [{ name: "probe", description: "a probe" }],
      sessions: Effect.succeed(options.sessions ?? []),
      ...(options.fork === undefined ? {} : { fork: options.fork }),
      open: (id: SessionId) => manager.open(id),
      session,
      banner: ["welcome"],
      history: options.history ?? openHistory(),
      workspace: options.workspace ?? "/"
    })
    const fiber = yield* Effect.forkScoped(Effect.provide(running, terminal.layer))
    const shows = (expected: string) => terminal.until((screen) => screen.includes(expected))
    yield* shows("claw>")
    return {
      terminal,
      session,
      seen,
      fiber,
      shows,
      say: (keys, expected) =>
        Effect.andThen(
          Effect.sync(() => terminal.type(keys)),
          terminal.until(typeof expected === "string" ? (screen) => screen.includes(expected) : expected)
        )
    }
  })
