/**
 * One session as a running thing (R054–R059): starts and stops its tasks, answers its approvals, tells its watchers.
 * Owns: the contract. A channel, a terminal or a program holds this and nothing below it.
 * Invariants: at most one task runs; what a subscriber sees is committed; replay and live join without gap or overlap.
 */
import type { Effect, Scope } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import type { Answer, ApprovalRequest, Grant } from "../domain/Approval.ts"
import type { BudgetUse } from "../domain/Budget.ts"
import type { Durable, SessionEvent, StateName } from "../domain/Event.ts"
import type { GrantId, PromptId, RequestId, SessionId, TaskId } from "../domain/Ids.ts"
import type { QueuedPrompt, SessionState } from "../domain/Session.ts"
import type { Usage } from "../domain/Usage.ts"
import type { Caps } from "../engine/EngineLimits.ts"
import type { Difference } from "../sandbox/Checkpoints.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { RuntimeError } from "./RuntimeError.ts"
import type { Task } from "./Task.ts"

export interface Prompt {
  readonly content: string
  readonly idempotency_key?: string
  /** What happens while a task runs (default `reject`: `session_busy`). */
  readonly when_busy?: "reject" | "queue" | "steer"
}

/** `task` where one was started (or, for a repeated key, had been); otherwise the prompt waits. */
export interface Accepted {
  readonly prompt_id: PromptId
  readonly task?: Task
  readonly duplicate: boolean
}

export interface ApprovalAnswer {
  readonly request_id: RequestId
  readonly decision: Answer
  readonly grant_option?: string
  readonly reason?: string
  /** Who answered, for the audit. */
  readonly by?: string
  /** Nobody answered: whoever could have may no longer do so. Only with `deny`, and never from a client. */
  readonly withdrawn?: true
}

export interface SessionStatus {
  readonly meta: SessionMeta
  readonly mode: Mode
  readonly model: string
  readonly state: StateName
  readonly task?: { readonly task_id: TaskId; readonly turn: number }
  readonly pending_approvals: ReadonlyArray<ApprovalRequest>
  /** Prompts that wait for the running task, oldest first. */
  readonly queue: ReadonlyArray<Pick<QueuedPrompt, "prompt_id" | "content" | "mode">>
  /** True after an interrupt or a failure: they wait for the next prompt or for `resumeQueue`. */
  readonly queue_paused: boolean
  /** Tasks ever started in this session, and what all of them used. */
  readonly tasks: number
  readonly usage: Usage
  /** Limits of spending in force, and what was used of each; absent: there is none. */
  readonly budgets?: ReadonlyArray<BudgetUse>
  readonly position: number
  /** Stored records that could not be read back; the conversation goes on without them, where it goes on. */
  readonly damaged: number
  /** They may say what counts still: everything that would change the session is refused with `session_damaged`. */
  readonly read_only?: true
}

export interface Position {
  /** Events with a larger `seq` are replayed; absent: live from now. */
  readonly seq: number
  readonly stream_id?: string
  readonly offset?: number
}

export interface Subscription {
  readonly after?: Position
  /** This watcher can answer approvals; without any such watcher a question fails with `approval_required`. */
  readonly answers?: boolean
  /** Called with events in order, synchronously and quickly; must not throw. */
  readonly sink: (events: ReadonlyArray<SessionEvent>) => void
  /** Awaited between the pages of a replay, so that a long one does not outrun its reader. */
  readonly pace?: Effect.Effect<void>
}

export interface RestoreOptions {
  /** Also what a call did that a crash cut off, where others may have changed files since. */
  readonly uncertain?: boolean
}

/** What tasks did to the files; `tasks`: how many. */
export interface TaskDifference extends Difference {
  readonly tasks: number
}

/** A task that changed files: what can be taken back (`done`), or given back (`undone`). */
export interface FileChanges {
  readonly task_id: TaskId
  readonly title: string
  /** When it began (RFC 3339). */
  readonly at: string
  /** Calls that changed something. */
  readonly steps: number
  /** One of them was cut off by a crash. */
  readonly uncertain: boolean
  readonly state: "done" | "undone"
}

export interface SessionRuntime {
  readonly session_id: SessionId
  /** Queues a durable start; a running task answers `session_busy` unless `when_busy` says otherwise. */
  readonly prompt: (prompt: Prompt) => Effect.Effect<Accepted, RuntimeError>
  readonly unqueue: (prompt_id: PromptId) => Effect.Effect<void, RuntimeError>
  /** Cancels the running task and waits for its end; `no_task` where none (or another) runs. `reason`: where no person asked for it. */
  readonly interrupt: (task_id?: TaskId, reason?: string) => Effect.Effect<void, RuntimeError>
  readonly answer: (answer: ApprovalAnswer) => Effect.Effect<void, RuntimeError>
  /** Ends when the scope does; returns once the replay has been handed over. */
  readonly subscribe: (subscription: Subscription) => Effect.Effect<void, RuntimeError, Scope.Scope>
  readonly status: Effect.Effect<SessionStatus>
  readonly state: Effect.Effect<SessionState>
  readonly clear: Effect.Effect<void, RuntimeError>
  /**
   * The conversation becomes a summary that keeps `focus` above all: a task of its own, which has begun when this
   * returns. Refused with `session_busy` while one runs, `nothing_to_compact` where there is nothing.
   */
  readonly compact: (focus?: string) => Effect.Effect<void, RuntimeError>
  readonly setMode: (mode: Mode) => Effect.Effect<void, RuntimeError>
  readonly setModel: (model: string) => Effect.Effect<void, RuntimeError>
  /**
   * Limits of spending from the next task on, none looser than the operator's, nor than the configuration's where they are
   * to stay `within` it; gives what holds now. Part of the session. Absent: they are not set from here.
   */
  readonly setBudget?: (caps: Caps, within?: boolean) => Effect.Effect<Caps, RuntimeError>
  /** Nobody is left who could answer: an open question about a tool fails with `approval_required`. */
  readonly desert: Effect.Effect<void>
  readonly rename: (title: string) => Effect.Effect<void, RuntimeError>
  readonly resumeQueue: Effect.Effect<void, RuntimeError>
  /**
   * Takes back what the newest task that changed files did to them, or gives it back; what was changed meanwhile is left
   * alone and named. `session_busy` while a task runs, `nothing_to_restore` where there is none.
   */
  readonly restore: (
    direction: Durable<"files_restored">["direction"],
    options?: RestoreOptions
  ) => Effect.Effect<Durable<"files_restored">, RuntimeError>
  /**
   * The same for one task after the other up to and including `to`, without anything in between; ends early behind one
   * of which nothing could be put back. `nothing_to_restore` where `to` is not among them.
   */
  readonly restoreTo: (
    direction: Durable<"files_restored">["direction"],
    to: TaskId,
    options?: RestoreOptions
  ) => Effect.Effect<ReadonlyArray<Durable<"files_restored">>, RuntimeError>
  /** What could be taken back next, all that could be, or what one task did. */
  readonly difference: (which?: boolean | TaskId) => Effect.Effect<TaskDifference, RuntimeError>
  /** In the order of their tasks. */
  readonly changes: Effect.Effect<ReadonlyArray<FileChanges>, RuntimeError>
  readonly grants: Effect.Effect<ReadonlyArray<Grant>, RuntimeError>
  /** False where no grant in force has this id; `by`: for the audit. */
  readonly revoke: (id: GrantId, by?: string) => Effect.Effect<boolean, RuntimeError>
}
