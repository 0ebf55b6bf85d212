/**
 * The conversation at a terminal: one loop over keys, session events and the clock (R058, R084). Owns: that order and
 * the carrying out of actions. Does not own: what a key means (replState), how it looks (replView).
 * Invariants: one loop owns the screen; leaving it, however, cancels what runs and gives the terminal back.
 */
import { Clock, Effect, Fiber, Queue, Scope, Exit } from "effect"
import type { SessionEvent } from "../domain/Event.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { EXIT } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { loadMarkdown } from "./Markdown.ts"
import type { InputHistory } from "./InputHistory.ts"
import type { Pick } from "./picker.ts"
import * as ReplState from "./replState.ts"
import { view } from "./replView.ts"
import { type Around, runSlash, slashCommands } from "./SlashCommands.ts"
import { Terminal, type TerminalInput } from "./Terminal.ts"
import { sanitise } from "./Sanitise.ts"
import { apart } from "./soleKey.ts"
import { wrap } from "./Width.ts"
import { nothingWritten } from "./WrittenByPeople.ts"

export interface ReplOptions extends Around {
  readonly session: SessionRuntime
  /** Printed first. */
  readonly banner: ReadonlyArray<string>
  readonly history: InputHistory
  readonly workspace: string
  /** Sentences from around the session, to be shown as they come. */
  readonly notices?: Queue.Dequeue<string>
  /** What runs when the person leaves is not ours to end: a server decides. */
  readonly leaves?: boolean
}

type Happening =
  | { readonly kind: "input"; readonly input: TerminalInput }
  | { readonly kind: "events"; readonly events: ReadonlyArray<SessionEvent> }
  | { readonly kind: "lines"; readonly lines: ReadonlyArray<string> }
  | { readonly kind: "pick"; readonly pick: Pick }
  | { readonly kind: "attached"; readonly session: SessionRuntime }
  | { readonly kind: "refused" }
  | { readonly kind: "exit" }
  | { readonly kind: "tick" }

/** Of these nothing is answered. */
const leaving: ReadonlySet<string> = new Set(["exit", "quit"])

/** Milliseconds between frames while only the session speaks. */
const FRAME_MS = 30
const TICK = "1 second"

interface Loop {
  readonly options: ReplOptions
  readonly happenings: Queue.Queue<Happening>
  readonly terminal: Terminal["Service"]
  readonly scope: Scope.Scope
  state: ReplState.ReplState
  session: SessionRuntime
  /** Ends the subscription to the session that is shown. */
  watching: Scope.Closeable | undefined
  /** The prompt that was sent last, until the session took or refused it. */
  sending: Fiber.Fiber<unknown> | undefined
  from: number
  printed: string
  lines: ReadonlyArray<string>
}

const tell = (loop: Loop, happening: Happening) => void Queue.offerUnsafe(loop.happenings, happening)

const complain = (loop: Loop, error: RuntimeError): void => {
  const { code, message, isRetryable: retryable } = error
  tell(loop, { kind: "lines", lines: [describe.error({ code, message, retryable }, loop.options.locale)] })
}

/** Runs beside the loop; a failure becomes a line. */
const beside = (loop: Loop, effect: Effect.Effect<unknown, RuntimeError>) =>
  Effect.forkIn(
    Effect.catch(effect, (error) => Effect.sync(() => complain(loop, error))),
    loop.scope
  )

/** Watches `session` from its beginning, instead of the one before. */
const attach = Effect.fnUntraced(function* (loop: Loop, session: SessionRuntime) {
  if (loop.watching !== undefined) yield* Scope.close(loop.watching, Exit.void)
  const scope = yield* Scope.fork(loop.scope)
  loop.watching = scope
  loop.session = session
  loop.state = { ...ReplState.initial, editor: loop.state.editor }
  loop.from = 0
  const sink = (events: ReadonlyArray<SessionEvent>) => tell(loop, { kind: "events", events })
  yield* Effect.provideService(session.subscribe({ after: { seq: 0 }, answers: true, sink }), Scope.Scope, scope)
})

const act = (loop: Loop, action: ReplState.Action): Effect.Effect<unknown> => {
  const { session, options } = loop
  switch (action.kind) {
    case "prompt": {
      const { content, when_busy } = action
      const failed = Effect.sync(() => tell(loop, { kind: "refused" }))
      const sent = Effect.tapError(session.prompt({ content, when_busy }), () => failed)
      return Effect.map(beside(loop, sent), (fiber) => void (loop.sending = fiber))
    }
    case "interrupt":
      // A prompt on its way is a task in a moment; only then there is something to stop.
      return beside(
        loop,
        Effect.andThen(
          loop.sending === undefined ? Effect.void : Fiber.await(loop.sending),
          Effect.catchIf(
            session.interrupt(),
            (error) => error.code === "no_task",
            () => Effect.void
          )
        )
      )
    case "answer": {
      const { request_id, preview } = action.request
      // What was allowed can be read again later: a diff goes into the scrollback.
      if (action.answered.decision.startsWith("allow") && preview?.kind === "diff") {
        tell(loop, {
          kind: "lines",
          lines: preview.diff
            .trimEnd()
            .split("\n")
            .map((line) => `  ${line}`)
        })
      }
      return beside(loop, session.answer({ request_id, ...action.answered, by: "terminal" }))
    }
    case "remember":
      return Effect.sync(() => options.history.add(action.text))
    case "exit":
      return Effect.sync(() => tell(loop, { kind: "exit" }))
    case "command": {
      // What was asked stands above what was answered, also where that is an error or the session's own word.
      if (!leaving.has(action.name)) {
        tell(loop, { kind: "lines", lines: [`/${action.name} ${action.argument}`.trimEnd()] })
      }
      return beside(
        loop,
        Effect.map(runSlash(session, action.name, action.argument, options), ({ lines, told = false, go, pick }) => {
          if (!told && lines.length > 0) tell(loop, { kind: "lines", lines })
          if (pick !== undefined) tell(loop, { kind: "pick", pick })
          if (go === "exit") tell(loop, { kind: "exit" })
          else if (go !== undefined) tell(loop, { kind: "attached", session: go.session })
        })
      )
    }
  }
}

/** Asked for only where Tab could name one. */
const grantIds = (loop: Loop, input: TerminalInput) =>
  input.kind === "key" && input.name === "tab" && loop.state.editor.before.join("").startsWith("/revoke")
    ? Effect.map(
        Effect.orElseSucceed(loop.session.grants, () => []),
        (all) => all.map(({ grant_id }) => grant_id)
      )
    : Effect.succeed([])

/** Looks again whether an answer has stayed alone. */
const lookAgain = (loop: Loop) =>
  Effect.forkIn(
    Effect.andThen(
      apart,
      Effect.sync(() => tell(loop, { kind: "tick" }))
    ),
    loop.scope
  )

const stepped = (loop: Loop, { actions, state }: ReplState.Stepped) => {
  loop.state = state
  const acted = Effect.forEach(actions, (action) => act(loop, action), { discard: true })
  return ReplState.isSettling(state) ? Effect.andThen(acted, lookAgain(loop)) : acted
}

const onInput = Effect.fnUntraced(function* (loop: Loop, input: TerminalInput, now: number) {
  if (input.kind === "resize") return
  if (input.kind === "end") return tell(loop, { kind: "exit" })
  const { history, workspace, written = nothingWritten } = loop.options
  const { state, actions } = ReplState.onInput(loop.state, input, {
    now,
    history: history.entries(),
    commands: [...slashCommands, ...written.prompts].map((command) => command.name),
    workspace,
    written,
    grants: yield* grantIds(loop, input)
  })
  yield* stepped(loop, { state, actions })
})

/** Folds one happening in; true when it ends the loop. */
const fold = Effect.fnUntraced(function* (loop: Loop, happening: Happening) {
  const now = yield* Clock.currentTimeMillis
  switch (happening.kind) {
    case "input":
      yield* onInput(loop, happening.input, now)
      return false
    case "events":
      // Lines that were there first stand above.
      if (loop.lines.length > 0) draw(loop, now)
      loop.state = ReplState.onEvents(loop.state, happening.events, now)
      return false
    case "lines":
      loop.lines = [...loop.lines, ...happening.lines]
      return false
    case "pick":
      loop.state = ReplState.onPick(loop.state, happening.pick)
      return false
    case "refused":
      loop.state = ReplState.refused(loop.state)
      return false
    case "attached":
      yield* Effect.catch(attach(loop, happening.session), (error) => Effect.sync(() => complain(loop, error)))
      return false
    case "exit":
      return true
    case "tick":
      yield* stepped(loop, ReplState.onTick(loop.state, now))
      return false
  }
})

const draw = (loop: Loop, now: number): void => {
  const { terminal, options } = loop
  const columns = terminal.columns()
  const seen = view(loop.state, {
    columns,
    rows: terminal.rows(),
    color: terminal.color,
    locale: options.locale,
    now,
    from: loop.from,
    printed: loop.printed
  })
  const said = loop.lines.flatMap((line) => wrap(sanitise(line), columns))
  terminal.draw({ ...seen.frame, settled: [...seen.frame.settled, ...said] })
  loop.lines = []
  loop.printed = seen.printed
  // Printed items are done with; the last one stays, for the space before the next.
  const items = loop.state.view.items.slice(-1)
  loop.state = { ...loop.state, view: { ...loop.state.view, items } }
  loop.from = items.length
}

const run = Effect.fnUntraced(function* (loop: Loop) {
  for (;;) {
    const happenings = yield* Queue.takeAll(loop.happenings)
    for (const happening of happenings) if (yield* fold(loop, happening)) return EXIT.done
    draw(loop, yield* Clock.currentTimeMillis)
    if (!happenings.some((happening) => happening.kind === "input")) yield* Effect.sleep(FRAME_MS)
  }
})

const noticing = (loop: Loop, notices: Queue.Dequeue<string>) =>
  Effect.forever(Effect.map(Queue.take(notices), (line) => tell(loop, { kind: "lines", lines: [line] })))

const ticking = (loop: Loop) =>
  Effect.forever(
    Effect.delay(
      Effect.sync(() => {
        if (ReplState.isBusy(loop.state) || loop.state.leaving_at !== undefined) tell(loop, { kind: "tick" })
      }),
      TICK
    )
  )

/** Until the person leaves; the exit code. What still runs then is cancelled, and waited for. */
export const repl = Effect.fnUntraced(function* (options: ReplOptions) {
  const terminal = yield* Terminal
  const scope = yield* Effect.scope
  const happenings = yield* Queue.unbounded<Happening>()
  const loop: Loop = {
    options,
    happenings,
    terminal,
    scope,
    state: ReplState.initial,
    session: options.session,
    watching: undefined,
    sending: undefined,
    from: 0,
    printed: "",
    lines: options.banner
  }
  // A stored conversation is printed once: its Markdown has to be readable then.
  const { position } = yield* options.session.status
  if (position > 0) yield* Effect.promise(loadMarkdown)
  else yield* Effect.forkScoped(Effect.promise(loadMarkdown))
  yield* attach(loop, options.session)
  const { notices, leaves = false } = options
  const around = notices === undefined ? [] : [noticing(loop, notices)]
  const reading = Effect.forever(Effect.map(terminal.read, (input) => tell(loop, { kind: "input", input })))
  const helpers = yield* Effect.forEach([reading, ticking(loop), ...around], (effect) => Effect.forkScoped(effect))
  const cancel = Effect.suspend(() => Effect.ignore(loop.session.interrupt()))
  const stop = Effect.andThen(Fiber.interruptAll(helpers), leaves ? Effect.void : cancel)
  tell(loop, { kind: "tick" })
  return yield* Effect.ensuring(run(loop), stop)
}, Effect.scoped)
