/**
 * Less of the conversation, where the next request would be too long or was (DESIGN §4, step 1; RELIABILITY 3.6). Owns:
 * when that is, the one append that it is, and the end where it does not help. Does not own: what goes (Window), the
 * summary (Compactor). Invariants: what is cut is a fact, so that every request follows from the journal; between a
 * summary and its fact nothing is stored, so that a crash there leaves the session as it was; an overflow is answered
 * once in a turn.
 */
import { Effect } from "effect"
import { type Made, summarise, Summarizer } from "../context/Compactor.ts"
import { makeMeter, type Meter } from "../context/Meter.ts"
import * as Window from "../context/Window.ts"
import type { Durable } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { itemMessages, makeView, type MessageCache } from "../domain/History.ts"
import type { Message } from "../domain/Message.ts"
import type { SessionState } from "../domain/Session.ts"
import type { Run } from "./loop.ts"
import * as Summarizing from "./summarizing.ts"
import * as Waits from "./waits.ts"
import { TaskFailure } from "./TaskFailure.ts"
import * as Metering from "./metering.ts"

/** What is known of the model's window; one task's, which learns for the whole session. */
export interface KnownWindow {
  readonly meter: Meter
  readonly cache: MessageCache
  readonly learned: {
    /** What the server said that a model takes. */
    readonly told: Map<string, number>
    /** What it refused without a figure: there is less from there on, but a request is not refused for it. */
    readonly refused: Map<string, number>
    /** Nothing more could go the last time. */
    stuck: boolean
  }
}

export const makeKnown = (): KnownWindow => ({
  meter: makeMeter(),
  cache: new WeakMap(),
  learned: { told: new Map(), refused: new Map(), stuck: false }
})

/** Behind a task nothing of it is kept but what it taught. */
export const forTask = ({ learned, meter }: KnownWindow): KnownWindow => ({
  meter: meter.beside(),
  cache: new WeakMap(),
  learned
})

/** The one that is asked now. */
const modelOf = ({ model, provider, standing }: Run): string => standing.in ?? model ?? provider.model

/** What a person set counts, then what the server said, then what is known or assumed of the model. */
const knownRoom = (run: Run): Window.Room => {
  const { catalogue, limits, provider, window } = run
  const model = modelOf(run)
  const { context_window, output_limit } = catalogue(model)
  const own = model === provider.model ? provider.capabilities.context_window : undefined
  const set = limits.context_window ?? own ?? context_window
  return Window.roomOf({
    window: Math.min(set, window.learned.told.get(model) ?? set),
    output: limits.max_output_tokens ?? output_limit,
    compact_at: limits.compact_at
  })
}

/** The same, or less where the server refused as much. */
const roomOf = (run: Run): Window.Room => {
  const room = knownRoom(run)
  const refused = run.window.learned.refused.get(modelOf(run))
  return refused === undefined || refused >= room.window
    ? room
    : { ...room, window: refused, reserve: Math.min(room.reserve, Math.floor(refused / 4)) }
}

/** The system prompt and the history, as the model is sent them. */
type View = (state: SessionState) => ReadonlyArray<Message>

const askedOf = (run: Run, view: View, state: SessionState) => ({
  messages: view(state),
  tools: run.registry.definitions
})

const givenOf = (run: Run, view: View, state: SessionState, room: Window.Room): Window.Given => ({
  state,
  room,
  total: run.window.meter.total(askedOf(run, view, state)),
  sizeOf: (item) => run.window.meter.messages(itemMessages(item, run.window.cache))
})

/** Its parts, by our own count; they sum up to the total, whoever counted that. */
const partsOf = (run: Run, view: View, { state, total }: Window.Given) => {
  const { history, system, tools } = run.window.meter.parts(askedOf(run, view, state))
  const part = (tokens: number) => Math.round((tokens * total) / Math.max(1, history + system + tools))
  return { system: part(system), tools: part(tools), history: part(history) }
}

const overflow = (run: Run, view: View, given: Window.Given, said?: string) =>
  new TaskFailure({
    code: "provider_context_overflow",
    detail: Window.overflowText(given, partsOf(run, view, given), said)
  })

type Summarised = Extract<Window.Choice, { readonly do: "summarise" }>

const summaryOf = (run: Run, { room, state }: Window.Given, { from }: Summarised, focus = "") => {
  const most = Window.summaryTokens(room)
  // A request for a summary has the window to itself, but for its own answer.
  const asked = { items: from, focus, most, room: Math.max(1_000, Window.usable(room) - 2 * most) }
  const made = Effect.provideService(
    summarise(asked),
    Summarizer,
    Summarizing.make({
      task_id: run.task_id,
      provider: run.provider,
      retry: run.limits.retry,
      model: modelOf(run),
      metered: (request, use) => Metering.during(run, { turn: state.task?.turn ?? 0, aside: true }, request, use)
    })
  )
  return Waits.during(run, "preparing", "summary", made)
}

type Compacted = Durable<"compacted">

const digestOf = (run: Run, { why }: Made) => (why === undefined ? {} : { digest_reason: run.mask(why).toWellFormed() })

const factOf = (run: Run, view: View, given: Window.Given, choice: Window.Choice, made?: Made): Compacted => {
  const { state, total } = given
  const at = { task_id: run.task_id, turn: state.task?.turn ?? 0 }
  const bare = { type: "compacted", ...at, summary: "", up_to_seq: 0, tokens_before: total, tokens_after: 0 } as const
  const up_to_seq = choice.do === "nothing" ? 0 : choice.up_to_seq
  const event: Compacted =
    made === undefined
      ? { ...bare, shortened: { up_to_seq, chars: choice.do === "shorten" ? choice.chars : Window.LONG } }
      : { ...bare, summary: run.mask(made.summary).toWellFormed(), up_to_seq, ...digestOf(run, made) }
  const next = fold(state, event)
  return { ...event, tokens_after: run.window.meter.total(askedOf(run, view, next)) }
}

/** One append: the conversation is shorter; what that cost stands there already. */
const store = Effect.fnUntraced(function* (
  run: Run,
  view: View,
  given: Window.Given,
  choice: Window.Choice,
  made?: Made
) {
  const event = factOf(run, view, given, choice, made)
  const { tokens_before: before, tokens_after: after } = event
  yield* Effect.logInfo("the conversation became shorter", {
    before,
    after,
    by: made === undefined ? "shorter results" : made.why === undefined ? "model" : "digest"
  })
  run.reporter.later([event])
  return yield* run.reporter.report([])
})

const HELPS = 0.9

/** Whether the choice would make the request shorter by anything that counts. */
const wouldHelp = (given: Window.Given, choice: Window.Choice): boolean => {
  if (choice.do !== "summarise") return choice.do === "shorten"
  const gone = choice.from.reduce((sum, item) => sum + given.sizeOf(item), 0)
  return gone - Window.summaryTokens(given.room) > given.total * (1 - HELPS)
}

/** Makes it shorter, and stores that; `undefined` where nothing can go. */
const less = Effect.fnUntraced(function* (run: Run, view: View, given: Window.Given) {
  const choice = Window.choose(given)
  if (!wouldHelp(given, choice)) return undefined
  const made = choice.do === "summarise" ? yield* summaryOf(run, given, choice) : undefined
  return givenOf(run, view, yield* store(run, view, given, choice, made), given.room)
})

/** Cuts what the model has not read, and says so to it; `undefined` where that is not enough, or nothing is there. */
const lessUnread = Effect.fnUntraced(function* (run: Run, view: View, given: Window.Given, most: number) {
  const choice = Window.chooseUnread(given, most)
  if (choice.do === "nothing") return undefined
  return givenOf(run, view, yield* store(run, view, given, choice), given.room)
})

/** A count that is not the server's, and no tokenizer's, is too high by up to so much. */
const isTooLong = (run: Run, view: View, given: Window.Given): boolean => {
  const surely = run.window.meter.isSure() ? 1 : 0.6
  const room = knownRoom(run)
  const { system, tools } = partsOf(run, view, given)
  return given.total * surely > room.window || (system + tools) * surely > Window.usable(room)
}

/** Before a request: with less of the conversation where it would be too long. */
const fit = Effect.fnUntraced(function* (run: Run, view: View) {
  const { window } = run
  const [state, room] = [yield* run.reporter.state, roomOf(run)]
  const limit = Window.threshold(room)
  const asked = askedOf(run, view, state)
  if (window.meter.atMost(asked) <= limit) return
  if (window.meter.total(asked) > limit / 2) yield* window.meter.exactly(modelOf(run))
  const given = givenOf(run, view, state, room)
  if (given.total <= limit) {
    window.learned.stuck = false
    return
  }
  if (window.learned.stuck && !isTooLong(run, view, given)) return
  const first = yield* less(run, view, given)
  const rest = first ?? given
  const after = isTooLong(run, view, rest) ? yield* lessUnread(run, view, rest, limit * HELPS) : first
  window.learned.stuck = after === undefined || after.total > limit
  const left = after ?? rest
  if (isTooLong(run, view, left)) return yield* overflow(run, view, { ...left, room: knownRoom(run) })
})

/** What a request that the server refused is made of must become less; fails where it cannot. */
const afterOverflow = Effect.fnUntraced(function* (run: Run, view: View, failure: TaskFailure) {
  const state = yield* run.reporter.state
  const room = roomOf(run)
  const given = givenOf(run, view, state, room)
  const said = Window.limitTold(failure.message)
  const told = said ?? Math.min(room.window, given.total)
  const { learned } = run.window
  ;(said === undefined ? learned.refused : learned.told).set(modelOf(run), told)
  // Whatever we counted, it was too much.
  const small = {
    window: Math.floor(Math.min(given.total, told) * 0.8),
    reserve: 0,
    compact_at: 100
  }
  const first = yield* less(run, view, { ...given, room: small })
  const rest = first ?? { ...given, room: small }
  if (rest.total <= small.window) return
  const after = yield* lessUnread(run, view, rest, small.window)
  if (after === undefined && first === undefined) return yield* overflow(run, view, given, failure.message)
})

const isOverflow = (error: unknown): error is TaskFailure =>
  error instanceof TaskFailure && error.code === "provider_context_overflow"

/**
 * `ask` with as much of the conversation as fits; where the server says that it was too long, once more with less.
 * `again`: it begins anew in the same turn.
 */
export const fitting = <A, E>(run: Run, view: View, ask: (again: boolean) => Effect.Effect<A, E | TaskFailure>) =>
  Effect.andThen(
    fit(run, view),
    Effect.catchIf(ask(false), isOverflow, (failure) =>
      Effect.andThen(
        Effect.tap(afterOverflow(run, view, failure), () =>
          Effect.sync(() => run.reporter.signal([{ type: "state", state: "waiting_response", task_id: run.task_id }]))
        ),
        Effect.catchIf(ask(true), isOverflow, ({ message }) =>
          Effect.flatMap(run.reporter.state, (state) =>
            Effect.fail(overflow(run, view, givenOf(run, view, state, roomOf(run)), message))
          )
        )
      )
    )
  )

/** `/compact`: all of the conversation becomes a summary. Where that is done already, nothing is. */
export const compact = Effect.fnUntraced(function* (run: Run, focus: string) {
  const { task_id } = run
  run.reporter.signal([{ type: "state", state: "preparing", task_id }])
  yield* run.suspension.pass
  const view = makeView({ role: "system", content: yield* run.systemPrompt.text }, run.window.cache)
  yield* run.window.meter.exactly(modelOf(run))
  const given = givenOf(run, view, yield* run.reporter.state, roomOf(run))
  const choice = Window.chooseAll(given.state)
  if (choice.do !== "summarise") return
  const made = yield* summaryOf(run, given, choice, focus)
  yield* store(run, view, given, choice, made)
  run.window.learned.stuck = false
})
