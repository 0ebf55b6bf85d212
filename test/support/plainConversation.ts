/** The conversation without a screen: lines from a stream, words on captured outputs, over a scripted model. */
import { PassThrough } from "node:stream"
import type { ReadStream } from "node:tty"
import { Effect, type Fiber, type Scope } from "effect"
import type { Locale } from "../../src/cli/Commands.ts"
import { openHistory } from "../../src/cli/InputHistory.ts"
import { Interrupts } from "../../src/cli/Interrupts.ts"
import { Output } from "../../src/cli/Output.ts"
import { replPlain } from "../../src/cli/ReplPlain.ts"
import type { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { create, watch, type Watching } from "./runtimeKit.ts"

export interface PlainConversation {
  readonly type: (text: string) => void
  readonly end: () => void
  readonly interrupt: () => void
  readonly out: () => string
  readonly err: () => string
  /** Waits until standard output holds this. */
  readonly shows: (text: string) => Effect.Effect<void>
  readonly fiber: Fiber.Fiber<number, unknown>
  readonly seen: Watching
}

export interface PlainOptions {
  readonly atTerminal?: boolean
  readonly locale?: Locale
  /** Writes to standard output that are taken before its reader is gone. */
  readonly reader?: number
}

const outputs = (reader: number, isTerminal: boolean) => {
  const texts = { out: "", err: "" }
  const watchers = new Set<() => void>()
  let writes = 0
  const service = Output.of({
    out: (text) =>
      Effect.sync(() => {
        if (++writes > reader) return false
        texts.out += text
        for (const wake of watchers) wake()
        return true
      }),
    err: (text) => Effect.sync(() => void (texts.err += text)),
    isTerminal,
    color: false,
    columns: () => 80
  })
  const shows = (text: string) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (!texts.out.includes(text)) return
        watchers.delete(look)
        resume(Effect.void)
      }
      watchers.add(look)
      look()
      return Effect.sync(() => void watchers.delete(look))
    })
  return { texts, service, shows }
}

export const conversePlainly = ({
  atTerminal = false,
  locale = "en",
  reader = Number.POSITIVE_INFINITY
}: PlainOptions = {}): Effect.Effect<PlainConversation, unknown, Scope.Scope | RuntimeManager> =>
  Effect.gen(function* () {
    const input = Object.assign(new PassThrough(), { isTTY: atTerminal })
    const { texts, service, shows } = outputs(reader, atTerminal)
    const session = yield* create("first")
    const seen = yield* watch(session)
    let handler = () => {}
    const claim = (given: () => void) => Effect.sync(() => void (handler = given))
    const running = replPlain(
      {
        locale,
        tools: [],
        sessions: Effect.succeed([]),
        open: () => Effect.die("no other session"),
        session,
        banner: ["welcome"],
        history: openHistory(),
        workspace: "/"
      },
      input as unknown as ReadStream
    )
    const fiber = yield* Effect.forkScoped(
      running.pipe(Effect.provideService(Output, service), Effect.provideService(Interrupts, { claim })),
      { startImmediately: true }
    )
    return {
      type: (text) => void input.write(text),
      end: () => void input.end(),
      interrupt: () => handler(),
      out: () => texts.out,
      err: () => texts.err,
      shows,
      fiber,
      seen
    }
  })
