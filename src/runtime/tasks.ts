/**
 * The one task slot of a session (R055–R057). Owns: starting a task as a fiber of the session's scope, its broadcast
 * end, its cancellation, its suspension, the next waiting prompt. Invariant: a task's fiber ends before its `await` does, and a slot
 * is only cleared by the task that holds it.
 */
import { Deferred, Effect, Fiber, type Scope, type Semaphore } from "effect"
import { close, nextQueued, type Outcome, suspendedEnd } from "../domain/Decide.ts"
import { errorBody } from "../domain/ErrorCode.ts"
import type { Durable } from "../domain/Event.ts"
import { newTaskId, type TaskId } from "../domain/Ids.ts"
import type { EndedTask } from "../domain/Session.ts"
import type { Engine, TaskInput } from "../engine/Engine.ts"
import type { ReportError } from "../engine/Reporter.ts"
import type { Resumption } from "../engine/Resumption.ts"
import * as Suspension from "../engine/Suspension.ts"
import { annotate, attributes, spans, traced } from "../observability/Telemetry.ts"
import { RuntimeError } from "./RuntimeError.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { Task } from "./Task.ts"
import type { TaskSlots, TaskTicket } from "./TaskSlots.ts"

interface Slot {
  readonly task: Task
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly suspension: Suspension.Suspension
}

type Named = Pick<Durable<"task_started">, "task_id" | "prompt_id">
type Work = (input: TaskInput) => Effect.Effect<EndedTask, ReportError>

export interface Tasks {
  readonly current: () => Task | undefined
  /** Why what runs is about to be cancelled. */
  readonly explain: (reason: string) => void
  /** Commits the start and runs it; `rate_limited` where too many wait. The caller holds the session's command lock. */
  readonly start: (event: Durable<"task_started">) => Effect.Effect<Task, ReportError | RuntimeError>
  /** Goes on with the task that the state holds and nobody runs. Under the lock, too. */
  readonly resume: (from: Resumption) => Effect.Effect<void>
  /** Stops the running task without an end; its tools get the time first. Ends when it has stopped. */
  readonly suspend: (graceMs: number) => Effect.Effect<void>
  /** A task that the state still holds although nothing runs it (its store failed it) goes on or ends. Under the lock. */
  readonly settle: Effect.Effect<void, ReportError>
  /** The same, for one that a client wants to end; it stays wanted. Under the lock, too. */
  readonly cancelLost: Effect.Effect<void, ReportError>
  /** Whether there is such a task, or might be. */
  readonly isUnsettled: () => boolean
  /** Starts the next waiting prompt, where there is one and none runs. Under the lock, too. */
  readonly startQueued: (resume: boolean) => Effect.Effect<void, ReportError>
}

export interface Options {
  readonly log: SessionLog
  readonly engine: Engine["Service"]
  readonly scope: Scope.Scope
  /** The session's command lock. */
  readonly lock: Semaphore.Semaphore
  readonly settings: () => Pick<TaskInput, "model" | "max_turns" | "caps">
  readonly slots: TaskSlots
  readonly drain: Drain
  /** Goes on with the task of the state where that is safe, and tells whether. */
  readonly goOn: Effect.Effect<boolean, ReportError>
  /** A task has its end. */
  readonly onEnded: Effect.Effect<unknown>
  /** The store has failed: somebody is to settle it later. */
  readonly onLost: Effect.Effect<void>
}

/** Of the whole process: once it drains, nothing new begins. */
export interface Drain {
  draining: boolean
}

const lost = (task_id: TaskId): EndedTask => ({
  task_id,
  status: "failed",
  error: { ...errorBody("storage_unavailable"), task_id },
  usage: { input_tokens: 0, output_tokens: 0 }
})

const tooMany = new RuntimeError({ code: "rate_limited", detail: "Too many tasks wait already; try again later." })

/** The end of one task: told once, to everyone. */
interface Ending {
  readonly end: Deferred.Deferred<EndedTask>
  told: EndedTask | undefined
}

const handle = ({ task_id, prompt_id }: Named, ending: Ending, cancel: Effect.Effect<unknown>): Task => ({
  task_id,
  prompt_id,
  status: Effect.sync(() => ending.told?.status ?? "running"),
  await: Deferred.await(ending.end),
  cancel: Effect.andThen(cancel, Deferred.await(ending.end))
})

/** Leave to begin: tells the place while it waits; who is interrupted in it makes room at once. */
const leaveToRun = (log: SessionLog, task_id: TaskId, ticket: TaskTicket) => {
  const { wait } = ticket
  if (wait === undefined) return {}
  const ready = Effect.suspend(() => {
    log.signal([{ type: "state", state: "preparing", task_id }])
    ticket.follow((position) => log.signal([{ type: "task_waiting", task_id, position }]))
    return Effect.onInterrupt(wait, () => Effect.sync(ticket.leave))
  })
  return { ready }
}

/** A task that stopped since its facts could not be stored. */
interface Lost {
  readonly task_id: TaskId
  readonly times: number
  readonly canceled: boolean
}

/** A store that fails it more often ends it. */
const MAX_LOST = 3

interface Own extends Options {
  slot: Slot | undefined
  canceled: TaskId | undefined
  lost: Lost | undefined
}

const cancel = (own: Own, task_id: TaskId) =>
  Effect.suspend(() => {
    const { slot, log } = own
    if (slot?.task.task_id !== task_id) return Effect.void
    slot.suspension.withdraw()
    own.canceled = task_id
    log.signal([{ type: "state", state: "cancelling", task_id }])
    // A process that dies before the end is stored ends it at its next start, too. Where what runs stops at once, the
    // wish is stored with its end; else by itself, now.
    log.later([{ type: "cancel_requested", task_id }])
    slot.fiber.interruptUnsafe()
    return Effect.andThen(Effect.ignore(log.commit([])), Fiber.await(slot.fiber))
  })

const finish = (own: Own, task_id: TaskId, ending: Ending, ticket: TaskTicket) =>
  Effect.sync(() => {
    const state = own.log.state()
    if (own.slot?.task.task_id === task_id) own.slot = undefined
    ticket.leave()
    const stopped = own.drain.draining ? suspendedEnd(state, task_id) : undefined
    const end = state.last?.task_id === task_id ? state.last : (stopped ?? lost(task_id))
    if (end !== state.last && stopped === undefined) {
      const times = own.lost?.task_id === task_id ? own.lost.times + 1 : 1
      own.lost = { task_id, times, canceled: own.canceled === task_id }
    }
    // A stopped task has no end: its status stays what the journal says it is.
    if (stopped === undefined) ending.told = end
    Deferred.doneUnsafe(ending.end, Effect.succeed(end))
    return end
  })

/** `running` is the outcome of one that was stopped without an end. */
const logEnd = (began: number) => (end: EndedTask) =>
  Effect.logInfo("a task ended", {
    [attributes.outcome]: end.status,
    ...(end.error === undefined ? {} : { [attributes.code]: end.error.code }),
    ms: Date.now() - began
  })

const launch = Effect.fnUntraced(function* (own: Own, named: Named, ticket: TaskTicket, work: Work) {
  const { log, lock, scope, settings } = own
  const { task_id } = named
  const ending: Ending = { end: Deferred.makeUnsafe(), told: undefined }
  const task = handle(named, ending, cancel(own, task_id))
  const suspension = Suspension.make()
  const input = { session_id: log.session_id, task_id, suspension, ...settings() }
  const began = Date.now()
  const begun = Effect.logInfo("a task began", { waits: ticket.wait !== undefined })
  const run = Effect.andThen(begun, work({ ...input, ...leaveToRun(log, task_id, ticket) })).pipe(
    traced(spans.task),
    Effect.onExit(() => Effect.flatMap(finish(own, task_id, ending, ticket), logEnd(began))),
    Effect.onExit(() => Effect.suspend(() => (ending.told === undefined ? Effect.void : own.onEnded))),
    annotate({ [attributes.session]: log.session_id, [attributes.task]: task_id }),
    Effect.andThen(lock.withPermits(1)(startQueued(own, false))),
    Effect.ignore,
    Effect.ensuring(Effect.suspend(() => (isUnsettled(own) ? own.onLost : Effect.void)))
  )
  // At once: a fiber that is interrupted before its first step would end nothing and tell nobody.
  const fiber = yield* Effect.forkIn(Effect.interruptible(run), scope, { startImmediately: true })
  if (!(yield* Deferred.isDone(ending.end))) own.slot = { task, fiber, suspension }
  return task
}, Effect.uninterruptible)

const start = Effect.fnUntraced(function* (own: Own, event: Durable<"task_started">, accepted: boolean) {
  const ticket = own.slots.enter({ accepted })
  if (ticket === undefined) return yield* tooMany
  yield* Effect.onError(own.log.commit([event]), () => Effect.andThen(Effect.sync(ticket.leave), own.onLost))
  return yield* launch(own, event, ticket, own.engine.run)
}, Effect.uninterruptible)

const startQueued = (own: Own, resume: boolean): Effect.Effect<void, ReportError> =>
  Effect.flatMap(own.log.certain, (state) => {
    const event = nextQueued(state, newTaskId(), resume)
    if (event === undefined) return Effect.void
    // Begun for whoever goes on with it: only a task that is stored as running is looked for then.
    if (own.drain.draining) return Effect.asVoid(own.log.commit([event]))
    return Effect.asVoid(Effect.catchTag(start(own, event, true), "RuntimeError", () => Effect.void))
  })

const resume = (own: Own, from: Resumption) =>
  Effect.suspend(() => {
    const { task } = own.log.state()
    const ticket = task === undefined || own.drain.draining ? undefined : own.slots.enter({ accepted: true })
    if (task === undefined || ticket === undefined) return Effect.void
    return Effect.asVoid(launch(own, task, ticket, (input) => own.engine.resume(input, from)))
  })

/** Also what followed the task meanwhile. */
const stop = (own: Own, graceMs: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (own.slot === undefined) return Effect.void
    const { fiber, suspension } = own.slot
    suspension.ask()
    return Effect.timeoutOption(suspension.quiet, graceMs).pipe(
      Effect.andThen(Fiber.interrupt(fiber)),
      Effect.andThen(stop(own, graceMs))
    )
  })

const suspend = Effect.fnUntraced(function* (own: Own, graceMs: number) {
  yield* stop(own, graceMs)
  yield* Effect.ignore(own.lock.withPermits(1)(startQueued(own, false)))
  const { task } = own.log.state()
  if (task !== undefined) own.log.signal([{ type: "state", state: "suspended", task_id: task.task_id }])
})

const isUnsettled = ({ slot, log, drain }: Own): boolean =>
  slot === undefined && !drain.draining && (!log.isCertain() || log.state().task !== undefined)

const closing = (own: Own): Outcome =>
  own.lost?.canceled === true ? { status: "canceled" } : { status: "failed", error: errorBody("storage_unavailable") }

const settle = Effect.fnUntraced(function* (own: Own) {
  const { log } = own
  const state = yield* log.certain
  if (!isUnsettled(own)) return
  // A start that nobody was told of is not begun behind their back.
  const known = own.lost?.task_id === state.task?.task_id ? own.lost : undefined
  if (known !== undefined && !known.canceled && known.times <= MAX_LOST && (yield* own.goOn)) return
  yield* log.commit(close(state, closing({ ...own, lost: known }), { crashed: true }))
})

const cancelLost = (own: Own) =>
  Effect.suspend(() => {
    const { task } = own.log.state()
    if (task === undefined || own.slot !== undefined) return Effect.void
    const { task_id } = task
    own.lost = { task_id, times: own.lost?.task_id === task_id ? own.lost.times : 0, canceled: true }
    return settle(own)
  })

export const make = (options: Options): Tasks => {
  const own: Own = { ...options, slot: undefined, canceled: undefined, lost: undefined }
  return {
    current: () => own.slot?.task,
    explain: (reason) => own.slot?.suspension.explain(reason),
    start: (event) => start(own, event, false),
    resume: (from) => resume(own, from),
    // The wish comes before the lock, whose holder may wait for the very task; what it began meanwhile is stopped, too.
    suspend: (graceMs) =>
      Effect.andThen(
        suspend(own, graceMs),
        Effect.suspend(() => (own.slot === undefined ? Effect.void : suspend(own, graceMs)))
      ),
    settle: Effect.suspend(() => settle(own)),
    cancelLost: cancelLost(own),
    isUnsettled: () => isUnsettled(own),
    startQueued: (lift) => startQueued(own, lift)
  }
}
