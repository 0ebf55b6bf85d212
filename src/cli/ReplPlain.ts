/**
 * The conversation without a screen: pipes and dumb terminals. One line is one prompt or one command; no escape
 * sequence is ever written. Piped input is nobody who could answer a question, so such a session asks nothing.
 * Owns: that reader. Invariant: input runs to its end, line by line, each task awaited, one that went on after a crash
 * too; then the last bad exit code.
 */
import { createInterface, type Interface } from "node:readline"
import type { ReadStream } from "node:tty"
import { Deferred, Effect, Fiber, Queue, Schedule } from "effect"
import type { ApprovalRequest } from "../domain/Approval.ts"
import type { SessionEvent } from "../domain/Event.ts"
import { pendingApprovals } from "../domain/Session.ts"
import { noCalls, placeOf, withCall } from "./ApprovalView.ts"
import { EXIT } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { Interrupts } from "./Interrupts.ts"
import { Output } from "./Output.ts"
import { askPlain, next, type Said } from "./plainQuestion.ts"
import type { ReplOptions } from "./Repl.ts"
import { PROMPT } from "./replView.ts"
import { textWriting } from "./Run.ts"
import { sanitiseLine } from "./Sanitise.ts"
import { runSlash } from "./SlashCommands.ts"
import { texts } from "./texts.ts"
import { nothingWritten, writtenPrompt } from "./WrittenByPeople.ts"

const openReader = (input: ReadStream) =>
  Effect.gen(function* () {
    const said = yield* Queue.unbounded<Said>()
    const reader: Interface = yield* Effect.acquireRelease(
      Effect.sync(() => createInterface({ input, terminal: false })),
      (open) => Effect.sync(() => open.close())
    )
    const tell = (what: Said) => void Queue.offerUnsafe(said, what)
    reader.on("line", (text) => tell({ kind: "line", text })).once("close", () => tell({ kind: "end" }))
    return said
  })

interface Plain {
  readonly options: ReplOptions
  readonly said: Queue.Queue<Said>
  readonly asks: boolean
  session: ReplOptions["session"]
  /** Done when a question was answered with `/exit`. */
  readonly left: Deferred.Deferred<undefined>
  /** Nobody reads the output any more: nothing further is begun. */
  deaf: boolean
}

const SILENT = {
  en: "Nothing came on standard input, and it is no terminal. To run a prompt: claw run PROMPT, or pipe one line for each.",
  "zh-CN": "标准输入为空，且不是终端。执行提示请用：claw run PROMPT，或通过管道每行传入一条。"
} as const

const nothingCame = (locale: ReplOptions["locale"]) =>
  Effect.flatMap(Output, ({ err }) => Effect.as(err(`claw: ${SILENT[locale]}\n`), EXIT.usage as number))

const HINTS = { en: "Ctrl-C again to leave.", "zh-CN": "再按 Ctrl-C 退出。" } as const

interface Asked {
  readonly request: ApprovalRequest
  readonly place: ReturnType<typeof placeOf>
  /** Done when the question is answered, by whomever. */
  readonly resolved: Deferred.Deferred<void>
}

/** Questions of one task, in order, each until it is resolved. */
const makeQuestions = Effect.map(Queue.unbounded<Asked>(), (queue) => {
  const open = new Map<string, Asked>()
  let calls = noCalls
  const ask = (request: ApprovalRequest): void => {
    const asked = { request, place: placeOf(calls, request), resolved: Deferred.makeUnsafe<void>() }
    open.set(request.call_id, asked)
    Queue.offerUnsafe(queue, asked)
  }
  return {
    queue,
    ask,
    see: (event: SessionEvent): void => {
      calls = withCall(calls, event)
      if (event.type === "approval_request") {
        ask(event)
      } else if (event.type === "approval_resolved") {
        const asked = open.get(event.call_id)
        if (asked !== undefined) Deferred.doneUnsafe(asked.resolved, Effect.void)
      }
    }
  }
})

const answer = Effect.fnUntraced(function* (
  { said, session, options, left }: Plain,
  { request, place, resolved }: Asked
) {
  const answered = yield* askPlain(request, said, Deferred.await(resolved), options.locale, place)
  if (answered === undefined) return
  if (answered === "leave") return void (yield* Deferred.succeed(left, undefined))
  yield* Effect.ignore(session.answer({ request_id: request.request_id, ...answered, by: "terminal" }))
})

const ENDS: ReadonlySet<SessionEvent["type"]> = new Set(["task_completed", "task_failed", "task_canceled"])

/** Until no task runs, or one asks. Over a pipe nobody answers: an open question about a tool fails (SETTLED 5). */
const idle = Effect.fnUntraced(function* ({ asks, session }: Plain) {
  if (!asks) yield* session.desert
  const { seq, task } = yield* session.state
  if (task === undefined) return
  const ended = Deferred.makeUnsafe<void>()
  const sink = (events: ReadonlyArray<SessionEvent>) => {
    if (events.some(({ type }) => ENDS.has(type) || type === "approval_request"))
      Deferred.doneUnsafe(ended, Effect.void)
  }
  yield* session.subscribe({ after: { seq }, sink })
  yield* Deferred.await(ended)
}, Effect.scoped)

/** Begins a task; behind one that was cut off by a crash and goes on. Somebody else's, on a server, is not waited for. */
const begin = (plain: Plain, content: string) => {
  const asked = plain.session.prompt({ content })
  return plain.options.leaves === true
    ? asked
    : Effect.retry(asked, {
        while: ({ code }) => (code === "session_busy" ? Effect.as(idle(plain), true) : Effect.succeed(false)),
        schedule: Schedule.spaced("10 millis")
      })
}

const prompt = Effect.fnUntraced(function* (plain: Plain, content: string) {
  const { session, asks, options } = plain
  const { ask, queue, see } = yield* makeQuestions
  // A server's session asks whoever can answer; a pipe cannot, and its next line is no answer.
  const writing = yield* textWriting(session, options.locale, asks ? see : () => {}, asks)
  const asking = yield* Effect.forkScoped(
    Effect.forever(Effect.flatMap(Queue.take(queue), (one) => answer(plain, one)))
  )
  // Of a task that goes on: what is open about a crash, the prompt itself answers (SETTLED 14).
  const before = asks && options.leaves !== true ? pendingApprovals(yield* session.state) : []
  for (const request of before) if (request.kind !== "recovery") ask(request)
  const { task } = yield* begin(plain, content)
  if (task === undefined) return EXIT.done
  const running = Effect.onInterrupt(task.await, () => (options.leaves === true ? Effect.void : task.cancel))
  const end = yield* Effect.raceFirst(running, Deferred.await(plain.left))
  yield* Fiber.interrupt(asking)
  if (!(yield* writing.finish)) plain.deaf = true
  if (end === undefined) return undefined
  const output = yield* Output
  if (end.error !== undefined) yield* output.err(`claw: ${describe.error(end.error, options.locale)}\n`)
  if (end.status === "canceled") yield* output.err(`${texts[options.locale].canceled}\n`)
  return writing.code(end)
}, Effect.scoped)

/** What one line does: an exit code, or `undefined` to leave. */
const oneLine = Effect.fnUntraced(function* (plain: Plain, text: string) {
  const content = text.trim()
  if (content === "") return EXIT.done
  const filled = writtenPrompt(content, plain.options.written ?? nothingWritten)
  if (filled !== undefined || !content.startsWith("/")) return yield* prompt(plain, filled ?? text)
  const output = yield* Output
  const [name = "", ...rest] = content.slice(1).split(/\s+/)
  const { lines, go, pick } = yield* runSlash(plain.session, name, rest.join(" "), plain.options)
  const choices = pick === undefined ? [] : [pick.title, ...pick.choices.map(({ label }) => sanitiseLine(label))]
  yield* output.out([...lines, ...choices].map((line) => `${line}\n`).join(""))
  if (go === "exit") return undefined
  if (go !== undefined) plain.session = go.session
  return EXIT.done
})

/** Ctrl-C stops the task that runs; at the prompt it is a word of its own. */
const claimInterrupts = Effect.fnUntraced(function* (plain: Plain) {
  const { claim } = yield* Interrupts
  const stop = Effect.suspend(() =>
    Effect.catch(plain.session.interrupt(), () =>
      Effect.sync(() => void Queue.offerUnsafe(plain.said, { kind: "interrupt" }))
    )
  )
  const stops = yield* Queue.unbounded<void>()
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(stops), stop)))
  yield* claim(() => void Queue.offerUnsafe(stops, undefined))
})

const complain = Effect.fnUntraced(function* (
  error: Parameters<typeof describe.error>[0],
  locale: ReplOptions["locale"]
) {
  const output = yield* Output
  yield* output.err(`claw: ${describe.error(error, locale)}\n`)
  return EXIT.failed as number
})

/** Whoever comes next at this terminal begins on a line of its own. */
const leave = ({ asks }: Plain, code: number) =>
  Effect.flatMap(Output, ({ out }) => (asks ? Effect.as(out("\n"), code) : Effect.succeed(code)))

/** Until the input ends; the exit code of the last task that did not complete, 0 if all did. */
export const replPlain = Effect.fnUntraced(function* (options: ReplOptions, input: ReadStream) {
  const output = yield* Output
  const said = yield* openReader(input)
  const plain: Plain = {
    options,
    said,
    asks: input.isTTY,
    session: options.session,
    left: Deferred.makeUnsafe<undefined>(),
    deaf: false
  }
  if (input.isTTY) yield* claimInterrupts(plain)
  const { notices } = options
  if (notices !== undefined) {
    yield* Effect.forkScoped(
      Effect.forever(Effect.flatMap(Queue.take(notices), (line) => output.err(`claw: ${line}\n`)))
    )
  }
  const invite = input.isTTY ? output.out(PROMPT) : Effect.void
  yield* input.isTTY ? output.out(options.banner.map((line) => `${line}\n`).join("")) : output.err("")
  let code: number = EXIT.done
  let [leaving, silent] = [false, !input.isTTY]
  for (;;) {
    yield* invite
    const heard = yield* next(said)
    if (heard.kind === "end") return yield* silent ? nothingCame(options.locale) : leave(plain, code)
    if (heard.kind === "interrupt") {
      if (leaving) return yield* leave(plain, code)
      leaving = true
      yield* output.out(`\n${HINTS[options.locale]}\n`)
      continue
    }
    leaving = silent = false
    const exit = yield* Effect.catchTag(oneLine(plain, heard.text), "RuntimeError", ({ code, message, isRetryable }) =>
      complain({ code, message, retryable: isRetryable }, options.locale)
    )
    if (exit === undefined) return code
    code = exit === EXIT.done ? code : exit
    if (plain.deaf) return code
  }
}, Effect.scoped)
