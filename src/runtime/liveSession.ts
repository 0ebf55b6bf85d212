/**
 * The running form of one session: its log, its task slot, its approver, behind the contract of SessionRuntime.
 * Owns: the order of commands (one at a time), opening a stored session. Invariant: what a command answers is already
 * committed; a session that was running when its process ended goes on or is closed before anything new is accepted.
 */
import { Effect, Result, type Scope, Semaphore } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import {
  clear,
  compact as decideCompact,
  isRepeated,
  prompt as decidePrompt,
  type QueueLimit,
  unqueue as decideUnqueue
} from "../domain/Decide.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import { newPromptId, newTaskId, type PromptId, type TaskId } from "../domain/Ids.ts"
import type { Caps } from "../engine/EngineLimits.ts"
import { attributes, annotate } from "../observability/Telemetry.ts"
import { type OwnedIndex, SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { closeCrashed, endLeftovers } from "./crashed.ts"
import { giveUp, goOn, recoverTask } from "./goingOn.ts"
import * as JournalApprover from "./journalApprover.ts"
import { measuring } from "./measuring.ts"
import * as Mending from "./mending.ts"
import { readOnly } from "./readOnly.ts"
import { restoring, settleFiles } from "./restoring.ts"
import { type Parts, RuntimeFactory } from "./RuntimeFactory.ts"
import { RuntimeError } from "./RuntimeError.ts"
import * as SetCaps from "./setCaps.ts"
import * as SessionLog from "./sessionLog.ts"
import type { Accepted, ApprovalAnswer, Prompt, SessionRuntime, Subscription } from "./SessionRuntime.ts"
import { statusOf } from "./statusOf.ts"
import { stopping } from "./stopping.ts"
import * as Tasks from "./tasks.ts"
import type { TaskSlots } from "./TaskSlots.ts"
import { titleOf } from "./title.ts"

interface Live {
  readonly log: SessionLog.SessionLog
  readonly approver: JournalApprover.JournalApprover
  readonly parts: Parts
  readonly tasks: Tasks.Tasks
  readonly lock: Semaphore.Semaphore
  readonly index: OwnedIndex
  readonly scope: Scope.Scope
  readonly drain: Tasks.Drain
  readonly queue: QueueLimit
  readonly settings: { meta: SessionMeta; mode: Mode | undefined; max_turns: number | undefined }
}

const refuse = (code: ErrorCode) => Effect.fail(new RuntimeError({ code }))

/** Any error with a code of the table, as this room's. */
const translate = (error: { readonly code: ErrorCode; readonly message: string }) =>
  new RuntimeError({ code: error.code, ...(error.message === "" ? {} : { detail: error.message }), cause: error })

const orRefuse = <A>(result: Result.Result<A, ErrorCode>) =>
  Result.isFailure(result) ? refuse(result.failure) : Effect.succeed(result.success)

const touch = (live: Live, change: Parameters<OwnedIndex["update"]>[1]) =>
  live.index.update(live.log.session_id, { ...change, updated_at: new Date().toISOString() }).pipe(
    Effect.map((meta) => {
      live.settings.meta = meta
    }),
    Effect.mapError(translate)
  )

/** The list of sessions may learn of it a moment later; no task waits for that. */
const later = (live: Live, change = {}) =>
  Effect.forkIn(
    Effect.suspend(() => Effect.ignore(touch(live, change))),
    live.scope
  )

const prompt = Effect.fnUntraced(function* (live: Live, given: Prompt) {
  yield* Effect.mapError(live.tasks.settle, translate)
  if (!isRepeated(live.log.state(), given)) yield* giveUp(live)
  const ids = { prompt_id: newPromptId(), task_id: newTaskId() }
  const command = { ...given, ...ids, when_busy: given.when_busy ?? "reject" }
  const decision = yield* orRefuse(decidePrompt(live.log.state(), command, live.queue))
  if (decision.kind === "duplicate") {
    const current = live.tasks.current()
    const task = current?.task_id === decision.task_id ? current : undefined
    return {
      prompt_id: decision.prompt_id,
      duplicate: true,
      ...(task === undefined ? {} : { task })
    } satisfies Accepted
  }
  const { prompt_id } = decision.event
  if (decision.kind === "wait") {
    yield* Effect.mapError(live.log.commit([decision.event]), translate)
    return { prompt_id, duplicate: false } satisfies Accepted
  }
  const task = yield* Effect.mapError(live.tasks.start(decision.event), translate)
  const title = live.settings.meta.title === "" ? { title: titleOf(given.content) } : {}
  live.settings.meta = { ...live.settings.meta, ...title }
  yield* later(live, title)
  return { prompt_id, task, duplicate: false } satisfies Accepted
})

const unqueue = Effect.fnUntraced(function* (live: Live, id: PromptId) {
  const event = yield* orRefuse(decideUnqueue(live.log.state(), id))
  yield* Effect.mapError(live.log.commit([event]), translate)
})

const interrupt = (live: Live, id: TaskId | undefined, reason?: string) =>
  Effect.suspend(() => {
    const task = live.tasks.current()
    const stored = live.log.state().task
    const meant = stored !== undefined && (id === undefined || id === stored.task_id)
    if (task !== undefined && meant && task.task_id === stored.task_id) {
      if (reason !== undefined) live.tasks.explain(reason)
      return Effect.andThen(task.cancel, orUnstored(live, task.task_id))
    }
    if (stored !== undefined && live.drain.draining) return refuse("server_draining")
    return meant ? Effect.andThen(cancelLost(live), orUnstored(live, stored.task_id)) : refuse("no_task")
  })

/** One that nothing runs, since it could not be stored; or one that is just about to run. */
const cancelLost = ({ lock, tasks }: Live) =>
  Effect.andThen(
    lock.withPermits(1)(Effect.mapError(tasks.cancelLost, translate)),
    Effect.suspend(() => tasks.current()?.cancel ?? Effect.void)
  )

/** Its end could not be stored. */
const orUnstored = ({ log, drain }: Live, id: TaskId) =>
  Effect.suspend(() =>
    log.state().task?.task_id === id && !drain.draining ? refuse("storage_unavailable") : Effect.void
  )

/** An answer counts once it is stored; whoever could not store it may be answered again. */
const answer = Effect.fnUntraced(function* (live: Live, given: ApprovalAnswer) {
  const { approver, drain, lock, log, tasks } = live
  if (drain.draining) return yield* refuse("server_draining")
  if (tasks.isUnsettled()) yield* Effect.mapError(lock.withPermits(1)(tasks.settle), translate)
  const task = tasks.current()
  const code = yield* approver.answer(given)
  if (code !== undefined) return yield* refuse(code)
  if (task === undefined || (yield* JournalApprover.stored(log, given.request_id, task.await))) return
  return yield* refuse(drain.draining ? "server_draining" : "storage_unavailable")
})

const subscribe = Effect.fnUntraced(function* (
  live: Live,
  { after, answers = false, sink, pace = Effect.void }: Subscription
) {
  const end = live.log.state().seq
  if (after !== undefined && after.seq > end) return yield* refuse("position_ahead")
  const joining = yield* Effect.acquireRelease(
    Effect.sync(() => live.log.hub.add(sink, { answers, after })),
    ({ leave }) => Effect.sync(leave)
  )
  if (after !== undefined) yield* Effect.mapError(live.log.replay(after.seq, end, sink, pace), translate)
  joining.join()
})

const capsOf = ({ log, parts }: Pick<Live, "log" | "parts">): Caps => SetCaps.inForce(log.marks.caps(), parts.capped)

/** It holds once it is stored. */
const setBudget = Effect.fnUntraced(function* (live: Live, caps: Caps, within = false) {
  const set = { type: "budget_set", ...caps, ...(within ? { within } : {}) } as const
  yield* Effect.mapError(live.log.commit([set]), translate)
  return capsOf(live)
})

const clearHistory = Effect.fnUntraced(function* (live: Live) {
  const event = yield* orRefuse(clear(live.log.state()))
  yield* Effect.mapError(live.log.commit([event]), translate)
})

const compactHistory = Effect.fnUntraced(function* (live: Live, focus = "") {
  yield* Effect.mapError(live.tasks.settle, translate)
  const ids = { prompt_id: newPromptId(), task_id: newTaskId() }
  const event = yield* orRefuse(decideCompact(live.log.state(), { ...ids, focus }))
  yield* Effect.mapError(live.tasks.start(event), translate)
})

const contract = (live: Live): SessionRuntime => {
  const { log, lock, parts, settings } = live
  const ordered = <A>(command: Effect.Effect<A, RuntimeError>) =>
    lock.withPermits(1)(Effect.suspend(() => (live.drain.draining ? refuse("server_draining") : command)))
  return {
    session_id: log.session_id,
    prompt: (given) => ordered(prompt(live, given)),
    unqueue: (id) => ordered(unqueue(live, id)),
    interrupt: (id, reason) => interrupt(live, id, reason),
    answer: (given) => answer(live, given),
    subscribe: (subscription) => subscribe(live, subscription),
    status: Effect.map(parts.engine.budgets, (budgets) => statusOf({ ...live, caps: capsOf(live) }, budgets)),
    setBudget: (caps, within) => setBudget(live, caps, within),
    state: Effect.sync(log.state),
    clear: ordered(Effect.suspend(() => clearHistory(live))),
    compact: (focus) => ordered(compactHistory(live, focus)),
    setMode: Effect.fnUntraced(function* (mode) {
      const allowed = yield* parts.allowsMode?.(mode) ?? Effect.succeed(true)
      if (!allowed) return yield* refuse("forbidden")
      yield* touch(live, { mode })
      settings.mode = mode
    }),
    setModel: (model) => touch(live, { model }),
    rename: (title) => touch(live, { title }),
    desert: Effect.sync(live.approver.desert),
    resumeQueue: ordered(Effect.suspend(() => Effect.mapError(live.tasks.startQueued(true), translate))),
    ...restoring(log, parts.checkpoints, live.scope, ordered),
    grants: Effect.mapError(parts.grants.list(log.session_id), translate),
    revoke: (id, by) => Effect.mapError(parts.grants.revoke(log.session_id, id, by), translate)
  }
}

/** The slot of the session, and who looks after it when its store fails. */
const withTasks = (parts: Omit<Live, "tasks">, settings: Tasks.Options["settings"], slots: TaskSlots): Live => {
  const { log, lock, scope, drain } = parts
  const engine = stopping(parts.parts.engine, drain)
  const going = Effect.suspend(() => goOn(live))
  const onLost = Effect.suspend(() => mending)
  const onEnded = Effect.suspend(() => later(live))
  const tasks = Tasks.make({ log, engine, scope, lock, settings, slots, drain, goOn: going, onEnded, onLost })
  const live: Live = { ...parts, tasks }
  const settle = lock.withPermits(1)(Effect.andThen(tasks.settle, tasks.startQueued(false)))
  const mending = Mending.make({ log, scope, needed: tasks.isUnsettled, settle })
  return live
}

export interface OpenOptions {
  readonly owner: string
  readonly mode?: Mode
  readonly max_turns?: number
  /** A task that was stopped goes on; otherwise it is closed. */
  readonly recover?: boolean
  readonly slots: TaskSlots
  readonly drain: Tasks.Drain
}

/** The running session, and its way to stop without an end. */
export interface Opened {
  readonly runtime: SessionRuntime
  /** Its task was stopped before, and went on. */
  readonly wentOn: boolean
  readonly suspend: (graceMs: number) => Effect.Effect<void>
}

/** The log of a session, its crash settled as far as that needs no engine. */
const openLog = Effect.fnUntraced(function* (meta: SessionMeta, options: OpenOptions) {
  const log = yield* SessionLog.open(meta, options.owner)
  const isLeft = options.recover === true || log.isReadOnly
  const settled = Effect.andThen(endLeftovers(log), isLeft ? Effect.void : closeCrashed(log))
  const warned = Effect.logWarning("damaged records may still count: the session can only be read", {
    damaged: log.damaged.length
  })
  yield* annotate({ [attributes.session]: meta.session_id })(log.isReadOnly ? Effect.andThen(settled, warned) : settled)
  return log
})

/** Brings a stored session to life in the caller's scope. */
export const open = Effect.fnUntraced(function* (meta: SessionMeta, options: OpenOptions) {
  const [factory, scope] = [yield* RuntimeFactory, yield* Effect.scope]
  const index = (yield* SessionIndex).for(meta.owner)
  const { slots, drain } = options
  const log = yield* Effect.mapError(openLog(meta, options), translate)
  const settings: Live["settings"] = {
    meta,
    mode: options.mode ?? (meta.mode as Mode | undefined),
    max_turns: options.max_turns
  }
  const approver = JournalApprover.make(log)
  let fallback: Mode = "ask"
  const mode = Effect.sync(() => settings.mode ?? fallback)
  const parts = yield* factory.build({
    meta,
    reporter: log.reporter,
    approver: approver.approver,
    mode,
    hooksTold: log.marks.hooksTold
  })
  fallback = parts.mode
  yield* measuring(log.hub, parts.tools)
  if (!log.isReadOnly) yield* settleFiles(log, parts.checkpoints)
  const lock = yield* Semaphore.make(1)
  const taskSettings = () => ({
    ...(settings.meta.model === undefined ? {} : { model: settings.meta.model }),
    ...(settings.max_turns === undefined ? {} : { max_turns: settings.max_turns }),
    caps: capsOf({ log, parts })
  })
  const own = { log, approver, parts, lock, index, scope, settings, drain, queue: slots.queue }
  const live = withTasks(own, taskSettings, slots)
  const goesOn = options.recover === true && !log.isReadOnly
  const wentOn = goesOn && (yield* Effect.mapError(lock.withPermits(1)(recoverTask(live)), translate))
  const runtime = log.isReadOnly ? readOnly(contract(live)) : contract(live)
  return { runtime, wentOn, suspend: live.tasks.suspend } satisfies Opened
})
