/**
 * Taking back what a task did to the files, and giving it back. Owns: which task that is, the facts around it, what is
 * left of a process that died in the middle. Invariants: the intent is stored before the first file is touched, its end
 * behind the last; what was begun is finished before anything else; a task that runs is never undone; who asked and had
 * no answer has it when they ask again, and nothing more is undone for it.
 */
import { Effect, type Scope } from "effect"
import type { Durable } from "../domain/Event.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { ReportError } from "../engine/Reporter.ts"
import { type CheckpointError, type Checkpoints, none, type Reversal } from "../sandbox/Checkpoints.ts"
import { RuntimeError } from "./RuntimeError.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { FileChanges, RestoreOptions, SessionRuntime, TaskDifference } from "./SessionRuntime.ts"
import { type Changed, restOf } from "./undoLog.ts"

type Restored = Durable<"files_restored">

interface Restoring {
  readonly log: SessionLog
  readonly checkpoints: Checkpoints["Service"]
  readonly scope: Scope.Scope
  /** What was given as an answer, and is not owed any more. */
  answered: Restored | undefined
}

const LISTED = 100
/** Longer than an answer takes to where it is seen. */
const ANSWERED_MS = 250

const refuse = (code: ErrorCode) => Effect.fail(new RuntimeError({ code }))
const translate = (error: ReportError | CheckpointError) =>
  new RuntimeError({ code: error.code, ...("detail" in error ? { detail: error.detail } : {}), cause: error })

/** Carries out what the newest `restore_started` says, or the rest of it. */
const finish = Effect.fnUntraced(function* ({ log, checkpoints }: Pick<Restoring, "log" | "checkpoints">) {
  const { open } = log.undo()
  if (open === undefined) return undefined
  const { direction, restored_task_id, plan } = open
  const { files, kept } = yield* checkpoints.apply(plan)
  const event: Restored = {
    type: "files_restored",
    direction,
    restored_task_id,
    files: files.slice(0, LISTED),
    count: files.length,
    kept: kept.slice(0, LISTED)
  }
  yield* log.commit([event, { type: "restore_owed", owed: true }])
  return event
})

/** The answer is on its way; that it was given is stored behind it, or when the session is closed. */
const answer = Effect.fnUntraced(function* (own: Restoring, event: Restored) {
  own.answered = own.log.undo().owed
  const told = Effect.suspend(() =>
    own.log.undo().owed === undefined
      ? Effect.void
      : Effect.ignore(own.log.commit([{ type: "restore_owed", owed: false }]))
  )
  yield* Effect.forkIn(Effect.ensuring(Effect.sleep(ANSWERED_MS), told), own.scope)
  return event
})

const restore = Effect.fnUntraced(function* (own: Restoring, restored_task_id: TaskId, reversal: Reversal) {
  const { plan } = yield* own.checkpoints.plan(reversal)
  const { direction } = reversal
  const carriedOut = Effect.andThen(
    own.log.commit([{ type: "restore_started", direction, restored_task_id, plan }]),
    finish(own)
  )
  return yield* Effect.uninterruptible(carriedOut)
})

const next = (own: Restoring, direction: Restored["direction"], { uncertain = false }: RestoreOptions) => {
  const { changed, undone } = own.log.undo()
  if (direction === "undo") {
    const task = (uncertain ? restOf(own.log.undo()) : undefined) ?? changed.at(-1)
    return task === undefined ? undefined : restore(own, task.task_id, { direction, steps: task.steps, uncertain })
  }
  const last = undone.at(-1)
  return last === undefined
    ? undefined
    : restore(own, last.task.task_id, { direction, plan: last.plans.at(-1) as string })
}

const owedFor = ({ log, answered }: Restoring, direction: Restored["direction"]): Restored | undefined => {
  const { owed } = log.undo()
  return owed !== answered && owed?.direction === direction ? owed : undefined
}

/** What cannot be finished any more is given up: its task can be undone anew, as far as that goes. */
const finishOrGiveUp = (own: Restoring) =>
  Effect.catchIf(
    finish(own),
    (error) => error._tag === "CheckpointError" && error.gone === true,
    () => {
      const { open } = own.log.undo()
      if (open === undefined) return Effect.void
      const { direction, restored_task_id } = open
      const kept = [{ path: ".", reason: "gone" }] as const
      return own.log.commit([{ type: "files_restored", direction, restored_task_id, files: [], count: 0, kept }])
    }
  )

/** Of the newest task that changed files. */
const restoreFiles = Effect.fnUntraced(function* (
  own: Restoring,
  direction: Restored["direction"],
  options: RestoreOptions
) {
  if (own.log.state().task !== undefined) return yield* refuse("session_busy")
  yield* Effect.mapError(finishOrGiveUp(own), translate)
  const owed = owedFor(own, direction)
  if (owed !== undefined) return yield* answer(own, owed)
  const done = next(own, direction, options)
  const event = done === undefined ? undefined : yield* Effect.mapError(done, translate)
  return event === undefined ? yield* refuse("nothing_to_restore") : yield* answer(own, event)
})

/** Which tasks wait for this direction, the next one first. */
const waiting = (
  { log }: Restoring,
  direction: Restored["direction"],
  { uncertain = false }: RestoreOptions
): ReadonlyArray<TaskId> => {
  const { changed, undone } = log.undo()
  const rest = uncertain ? restOf(log.undo()) : undefined
  const tasks =
    direction === "redo" ? undone.map(({ task }) => task) : rest === undefined ? changed : [...changed, rest]
  return tasks.map(({ task_id }) => task_id).toReversed()
}

const restoreTo = Effect.fnUntraced(function* (
  own: Restoring,
  direction: Restored["direction"],
  to: TaskId,
  options: RestoreOptions
) {
  const done: Array<Restored> = []
  if (own.log.state().task === undefined && !waiting(own, direction, options).includes(to)) {
    const owed = owedFor(own, direction)
    return owed?.restored_task_id === to ? [yield* answer(own, owed)] : yield* refuse("nothing_to_restore")
  }
  while (true) {
    const event = yield* restoreFiles(own, direction, options)
    done.push(event)
    const isStuck = event.count === 0 && event.kept.length > 0
    if (event.restored_task_id === to || isStuck || !waiting(own, direction, options).includes(to)) return done
  }
})

const changesOf = ({ log }: Restoring): ReadonlyArray<FileChanges> => {
  const { changed, undone } = log.undo()
  const told = (state: FileChanges["state"]) => (task: Changed) => ({
    task_id: task.task_id,
    title: task.title,
    at: task.at,
    steps: task.steps.length,
    uncertain: task.steps.some(({ uncertain }) => uncertain === true),
    state
  })
  return [...changed.map(told("done")), ...undone.map(({ task }) => told("undone")(task)).toReversed()]
}

const asked = ({ log }: Restoring, which: boolean | TaskId): ReadonlyArray<Changed> => {
  const { changed, undone } = log.undo()
  if (typeof which === "boolean") return which ? changed : changed.slice(-1)
  return [...changed, ...undone.map(({ task }) => task)].filter(({ task_id }) => task_id === which)
}

const difference = Effect.fnUntraced(function* (own: Restoring, which: boolean | TaskId) {
  const { checkpoints } = own
  const tasks = asked(own, which)
  if (tasks.length === 0) return yield* refuse("nothing_to_restore")
  const found = yield* Effect.mapError(checkpoints.diff(tasks.flatMap((task) => task.steps)), translate)
  return { ...found, tasks: tasks.length } satisfies TaskDifference
})

/** This part of a session's contract; `ordered` runs one command of the session at a time. */
export const restoring = (
  log: SessionLog,
  checkpoints: Checkpoints["Service"] = none,
  scope: Scope.Scope,
  ordered: <A>(command: Effect.Effect<A, RuntimeError>) => Effect.Effect<A, RuntimeError>
): Pick<SessionRuntime, "restore" | "restoreTo" | "difference" | "changes"> => {
  const own: Restoring = { log, checkpoints, scope, answered: undefined }
  return {
    restore: (direction, options = {}) => ordered(restoreFiles(own, direction, options)),
    restoreTo: (direction, to, options = {}) => ordered(restoreTo(own, direction, to, options)),
    difference: (which = false) => difference(own, which),
    changes: Effect.sync(() => changesOf(own))
  }
}

/** What a process that died left behind: steps that nobody was told of, a restore that was cut off. */
export const settleFiles = (log: SessionLog, checkpoints: Checkpoints["Service"] = none) =>
  Effect.gen(function* () {
    const left = (yield* checkpoints.left).filter(({ step }) => !log.undo().seen.has(step))
    if (left.length > 0) yield* log.commit(left.map((one) => ({ type: "checkpoint", ...one }) as const))
    yield* finish({ log, checkpoints })
  }).pipe(
    Effect.catch((error) => Effect.logWarning("an undo that was cut off could not be finished", { code: error.code }))
  )
