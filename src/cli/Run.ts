/**
 * `claw run`: one prompt, for scripts. Owns: what goes to standard output and to standard error, and the exit code.
 * With --json standard output holds facts and deltas, one a line, and nothing else; otherwise the model's answers, with
 * notes about tools on standard error. Invariant: returns after the terminal event was written.
 */
import { Effect, Fiber } from "effect"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { EndedTask } from "../domain/Session.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Task } from "../runtime/Task.ts"
import { EXIT, type Locale } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { follow } from "./follow.ts"
import { Output } from "./Output.ts"
import { jsonWriter, textWriter, type Writer } from "./runWriters.ts"

export interface RunOptions {
  readonly content: string
  readonly json: boolean
  readonly locale: Locale
}

/** How long a cancelled command waits for a reader that has stopped reading. */
const LINGER = "2 seconds"

const limits: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["max_turns", "budget_exceeded", "doom_loop"])

/** The exit code of how a task ended (DESIGN §9). */
export const exitCode = (end: EndedTask): number => {
  if (end.status === "completed") return EXIT.done
  if (end.status === "canceled") return EXIT.cancelled
  if (end.error?.code === "approval_required") return EXIT.approval
  if (end.error?.code === "bad_config") return EXIT.usage
  return end.error !== undefined && limits.has(end.error.code) ? EXIT.limit : EXIT.failed
}

/**
 * What of a task's facts its end does not tell: a subagent needed an approval that nobody could give. Its caller went on
 * without it, and a script has to hear of it (SETTLED 5).
 */
const makeUnasked = () => {
  let unasked = false
  return {
    see: (event: SessionEvent): void => {
      unasked ||= event.type === "subagent_ended" && event.error?.code === "approval_required"
    },
    /** Once all of the task was seen. */
    code: (end: EndedTask): number => (unasked && end.status === "completed" ? EXIT.approval : exitCode(end))
  }
}

/** In the order in which things happened, so that on one screen a note stands behind the text it belongs to. */
const writeTo = (output: Output["Service"], writer: Writer) => (events: ReadonlyArray<SessionEvent>) =>
  Effect.gen(function* () {
    let held = ""
    for (const { out = "", err = "" } of events.map(writer)) {
      held += out
      if (err === "") continue
      if (held !== "" && !(yield* output.out(held))) return false
      held = ""
      yield* output.err(err)
    }
    return held === "" || (yield* output.out(held))
  })

/** How the task ends. A reader that goes away takes it along: nobody watches any more (SETTLED 1, 2). */
const ending = (
  task: Task,
  reading: Fiber.Fiber<boolean, RuntimeError>,
  caughtUp: Effect.Effect<boolean, RuntimeError>,
  restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Effect.Effect<EndedTask, RuntimeError> => {
  const gone = Effect.flatMap(Fiber.join(reading), (whole) => (whole ? Effect.never : task.cancel))
  const settled = Effect.timeoutOption(Effect.interruptible(caughtUp), LINGER)
  // The handler stands outside: an interrupt that waited while the prompt was sent must meet it.
  return restore(Effect.raceFirst(task.await, gone)).pipe(
    Effect.onInterrupt(() => Effect.andThen(task.cancel, Effect.ignore(settled)))
  )
}

/**
 * A session's text and notes, for a person without a screen. `also` sees each event after what came before it was
 * written. Whoever may answer is watched for apart, so that a slow screen never looks like nobody.
 */
export const textWriting = Effect.fnUntraced(function* (
  session: SessionRuntime,
  locale: Locale,
  also: (event: SessionEvent) => void,
  answers: boolean
) {
  if (answers) yield* session.subscribe({ answers, sink: () => {} })
  const output = yield* Output
  const write = writeTo(output, textWriter(locale, output.isTerminal))
  const unasked = makeUnasked()
  const seen = (event: SessionEvent) => {
    unasked.see(event)
    also(event)
  }
  const following = yield* follow(session, (events) =>
    Effect.tap(write(events), () => Effect.sync(() => events.forEach(seen)))
  )
  const finish = Effect.andThen(Effect.sync(following.end), Fiber.join(following.reading))
  return { finish, code: unasked.code }
})

/** Runs one prompt to its end; the exit code. Interrupting it cancels the task and waits for its terminal event. */
export const run = Effect.fnUntraced(function* (session: SessionRuntime, options: RunOptions) {
  const { content, json, locale } = options
  const output = yield* Output
  const unasked = makeUnasked()
  const write = writeTo(output, json ? jsonWriter() : textWriter(locale, output.isTerminal))
  const following = yield* follow(session, (events) => {
    events.forEach(unasked.see)
    return write(events)
  })
  const caughtUp = Effect.suspend(() => {
    following.end()
    return Fiber.join(following.reading)
  })
  const end = yield* Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(session.prompt({ content }), ({ task }) =>
      task === undefined ? Effect.succeed(undefined) : ending(task, following.reading, caughtUp, restore)
    )
  )
  if (end === undefined) return EXIT.failed
  yield* caughtUp
  if (end.error !== undefined) yield* output.err(`claw: ${describe.error(end.error, locale)}\n`)
  const code = unasked.code(end)
  if (code === EXIT.approval && end.error === undefined && !json) {
    yield* output.err(`claw: ${describe.unasked(locale)}\n`)
  }
  return code
}, Effect.scoped)
