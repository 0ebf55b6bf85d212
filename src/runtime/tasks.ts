/**
 * The one task slot of a session (R055–R057). Owns: starting a task as a fiber of the session's scope, its broadcast
 * end, its cancellation, the next waiting prompt. Invariant: a task's fiber ends before its `await` does, and a slot
 * is only cleared by the task that holds it.
 */
import { Deferred, Effect, Fiber, type Scope, type Semaphore } from "effect"
import { close, nextQueued } from "../domain/Decide.ts"
import { errorBody } from "../domain/ErrorCode.ts"
import type { Durable } from "../domain/Event.ts"
import { newTaskId, type TaskId } from "../domain/Ids.ts"
import type { EndedTask } from "../domain/Session.ts"
import type { Engine } from "../engine/Engine.ts"
import type { ReportError } from "../engine/Reporter.ts"
import { annotate, attributes, spans } from "../observability/Telemetry.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { Task } from "./Task.ts"

interface Slot {
  readonly task: Task
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

export interface Tasks {
  readonly current: () => Task | undefined
  /** Commits the start and runs it. The caller holds the session's command lock. */
  readonly start: (event: Durable<"task_started">) => Effect.Effect<Task, ReportError>
  /** Ends a task that the state still holds although nothing runs it (its store failed it). Under the lock, too. */
  readonly closeOrphan: Effect.Effect<void, ReportError>
  /** Starts the next waiting prompt, where there is one and none runs. Under the lock, too. */
  readonly startQueued: (resume: boolean) => Effect.Effect<void, ReportError>
}

export interface Options {
  readonly log: SessionLog
  readonly engine: Engine["Service"]
  readonly scope: Scope.Scope
  /** The session's command lock. */
  readonly lock: Semaphore.Semaphore
  readonly settings: () => { readonly model?: string; readonly max_turns?: number }
}

const lost = (task_id: TaskId): EndedTask => ({
  task_id,
  status: "failed",
  error: { ...errorBody("storage_unavailable"), task_id },
  usage: { input_tokens: 0, output_tokens: 0 }
})

/** The end of one task: told once, to everyone. */
interface Ending {
  readonly end: Deferred.Deferred<EndedTask>
  told: EndedTask | undefined
}

const handle = (event: Durable<"task_started">, ending: Ending, cancel: Effect.Effect<unknown>): Task => ({
  task_id: event.task_id,
  prompt_id: event.prompt_id,
  status: Effect.sync(() => ending.told?.status ?? "running"),
  await: Deferred.await(ending.end),
  cancel: Effect.andThen(cancel, Deferred.await(ending.end))
})

export const make = ({ log, engine, scope, lock, settings }: Options): Tasks => {
  let slot: Slot | undefined

  const cancel = (task_id: TaskId) =>
    Effect.suspend(() => {
      if (slot?.task.task_id !== task_id) return Effect.void
      log.signal([{ type: "state", state: "cancelling", task_id }])
      return Fiber.interrupt(slot.fiber)
    })

  const finish = (task_id: TaskId, ending: Ending) =>
    Effect.sync(() => {
      const last = log.state().last
      if (slot?.task.task_id === task_id) slot = undefined
      ending.told = last?.task_id === task_id ? last : lost(task_id)
      Deferred.doneUnsafe(ending.end, Effect.succeed(ending.told))
    })

  const start = Effect.fnUntraced(function* (event: Durable<"task_started">) {
    yield* log.commit([event])
    const { task_id } = event
    const ending: Ending = { end: Deferred.makeUnsafe(), told: undefined }
    const task = handle(event, ending, cancel(task_id))
    const run = engine.run({ session_id: log.session_id, task_id, ...settings() }).pipe(
      Effect.tap((end) => Effect.logDebug("task ended", { outcome: end.status, code: end.error?.code })),
      Effect.withSpan(spans.task),
      annotate({ [attributes.session]: log.session_id, [attributes.task]: task_id }),
      Effect.onExit(() => finish(task_id, ending)),
      Effect.andThen(lock.withPermits(1)(Effect.suspend(() => startQueued(false)))),
      Effect.ignore
    )
    // At once: a fiber that is interrupted before its first step would end nothing and tell nobody.
    const fiber = yield* Effect.forkIn(Effect.interruptible(run), scope, { startImmediately: true })
    if (ending.told === undefined) slot = { task, fiber }
    return task
  }, Effect.uninterruptible)

  const startQueued = (resume: boolean): Effect.Effect<void, ReportError> => {
    const event = nextQueued(log.state(), newTaskId(), resume)
    return event === undefined ? Effect.void : Effect.asVoid(start(event))
  }

  const closeOrphan = Effect.suspend(() => {
    const orphan = slot === undefined ? log.state().task : undefined
    if (orphan === undefined) return Effect.void
    const error = errorBody("storage_unavailable")
    return Effect.asVoid(log.commit(close(log.state(), { status: "failed", error }, { crashed: true })))
  })

  return { current: () => slot?.task, start, closeOrphan, startQueued }
}
