/**
 * `claw run`: one prompt, for scripts. Owns: what goes to standard output and to standard error, and the exit code.
 * With --json standard output holds facts and deltas, one a line, and nothing else; otherwise the model's text, with
 * notes about tools on standard error. Invariant: returns after the terminal event was written.
 */
import { Effect, Fiber } from "effect"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { EndedTask } from "../domain/Session.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { EXIT, type Locale } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { type EventQueue, makeEventQueue, Output } from "./Output.ts"
import { makeSanitiser } from "./Sanitise.ts"
import { toolEnded, toolStarted } from "./toolNotes.ts"

export interface RunOptions {
  readonly content: string
  readonly json: boolean
  readonly locale: Locale
}

const limits: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["max_turns", "budget_exceeded", "doom_loop"])

/** The exit code of how a task ended (DESIGN §9). */
export const exitCode = (end: EndedTask): number => {
  if (end.status === "completed") return EXIT.done
  if (end.status === "canceled") return EXIT.cancelled
  if (end.error?.code === "approval_required") return EXIT.approval
  return end.error !== undefined && limits.has(end.error.code) ? EXIT.limit : EXIT.failed
}

type Writer = (event: SessionEvent) => { readonly out?: string; readonly err?: string }

const jsonWriter: Writer = (event) => ("seq" in event || "offset" in event ? { out: `${JSON.stringify(event)}\n` } : {})

/** Text as it comes, ending with a line break; a retry into a new stream says that it starts over. */
const textWriter = (locale: Locale): Writer => {
  const sanitiser = makeSanitiser()
  let open = false
  const close = (): string => {
    const rest = sanitiser.flush()
    const end = open ? `${rest}\n` : rest
    open = false
    return end
  }
  return (event) => {
    switch (event.type) {
      case "text_delta": {
        const out = sanitiser.push(event.content)
        open = out === "" ? open : !out.endsWith("\n")
        return { out }
      }
      case "text_completed":
        return { out: close() }
      case "stream_reset":
        return { out: close(), err: `${describe.retried(locale)}\n` }
      case "retrying":
        return { err: `${describe.waits(event.delay_ms, event.code, locale)}\n` }
      case "tool_call":
        return { err: `${toolStarted(event.tool_name, event.content)}\n` }
      case "tool_result":
        return { err: `${toolEnded(event, locale)}\n` }
      default:
        return {}
    }
  }
}

/** Writes until the queue ends or the reader of standard output is gone. */
const writeAll = Effect.fnUntraced(function* (queue: EventQueue, writer: Writer) {
  const output = yield* Output
  for (;;) {
    const events = yield* queue.take
    if (events === undefined) return
    const texts = events.map(writer)
    const out = texts.map((text) => text.out ?? "").join("")
    const err = texts.map((text) => text.err ?? "").join("")
    if (err !== "") yield* output.err(err)
    if (out !== "" && !(yield* output.out(out))) return
  }
})

/** Runs one prompt to its end; the exit code. Interrupting it cancels the task and waits for its terminal event. */
export const run = Effect.fnUntraced(function* (session: SessionRuntime, options: RunOptions) {
  const { content, json, locale } = options
  const output = yield* Output
  const queue = makeEventQueue()
  yield* session.subscribe({ sink: queue.push })
  const writing = yield* Effect.forkScoped(writeAll(queue, json ? jsonWriter : textWriter(locale)), {
    startImmediately: true
  })
  const { task } = yield* session.prompt({ content })
  if (task === undefined) return EXIT.failed
  const end = yield* Effect.onInterrupt(task.await, () => task.cancel)
  queue.end()
  yield* Fiber.await(writing)
  if (end.error !== undefined) yield* output.err(`claw: ${describe.error(end.error, locale)}\n`)
  return exitCode(end)
}, Effect.scoped)
