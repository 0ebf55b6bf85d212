/**
 * What the calls of one session did to its workspace, so that a person can take it back (issue 5). Owns: the contract and
 * a driver that keeps nothing. Does not own: which calls change anything (tools), what of it is a fact (runtime).
 * Invariants: looking and keeping never fail a call; the workspace's own repository is neither read nor written; what
 * was changed by others meanwhile is never overwritten: it is named, and left alone.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Durable, KeptFile } from "../domain/Event.ts"
import type { CallId, TaskId } from "../domain/Ids.ts"

/** Which files a call may change: those it names (absolute, resolved), or any. */
export type Touch = { readonly kind: "paths"; readonly paths: ReadonlyArray<string> } | { readonly kind: "anything" }

export interface ChangingCall {
  readonly task_id: TaskId
  readonly call_id: CallId
  readonly touch: Touch
}

export type SkipReason = Durable<"checkpoint_skipped">["reason"]

/** What became of the files while a call ran. */
export interface Step {
  readonly step: string
  /** The call was cut off by a crash: others may have changed files before this was looked at. */
  readonly uncertain?: boolean
}

/** One call, from before its effect to behind it. */
export interface Window {
  /** Nothing is kept of this call. */
  readonly skipped?: SkipReason
  /** Once, when the call has ended; absent: it changed nothing. */
  readonly end: Effect.Effect<{ readonly step?: Step; readonly skipped?: SkipReason }>
}

/** What is to be reversed: the steps of a task, oldest first, or a plan that was carried out. */
export type Reversal =
  | { readonly direction: "undo"; readonly steps: ReadonlyArray<Step>; readonly uncertain: boolean }
  | { readonly direction: "redo"; readonly plan: string }

/** Its name; every content that it needs is kept with it. */
export interface Plan {
  readonly plan: string
}

export interface Restored {
  /** Paths below the workspace, sorted; names that are no UTF-8 are shown as well as that goes. */
  readonly files: ReadonlyArray<string>
  /** What was left alone, by the plan or because it was changed since. */
  readonly kept: ReadonlyArray<KeptFile>
}

/** A unified diff, bounded; `hidden`: files that it has no place for. */
export interface Difference {
  readonly text: string
  readonly files: number
  readonly hidden: number
}

/** The store of checkpoints cannot be read or written. */
export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  code: Schema.Literal("storage_unavailable"),
  detail: Schema.String,
  /** It was there once, and will not be again. */
  gone: Schema.optionalKey(Schema.Literal(true)),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail
  }
}

export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /**
     * Called uninterruptibly, so that a window that was opened is always ended; its own look is interruptible, and then
     * there is no window.
     */
    readonly begin: (call: ChangingCall) => Effect.Effect<Window>
    /** The newest calls of an earlier process, also one that ran when it died; asked before anything begins. */
    readonly left: Effect.Effect<ReadonlyArray<Omit<ChangingCall, "touch"> & Step>>
    /** Decides on every file by three versions: what it was, what it became, what it is. Changes nothing. */
    readonly plan: (reversal: Reversal) => Effect.Effect<Plan, CheckpointError>
    /** Carries a plan out, or the rest of it: what it has done already is seen and not done again. */
    readonly apply: (plan: string) => Effect.Effect<Restored, CheckpointError>
    /** What these steps did, as one difference. */
    readonly diff: (steps: ReadonlyArray<Step>) => Effect.Effect<Difference, CheckpointError>
  }
>()("claw/sandbox/Checkpoints") {}

const nothing = new CheckpointError({ code: "storage_unavailable", detail: "No checkpoints are kept here." })

/** Keeps nothing: nothing can be taken back. */
export const none = Checkpoints.of({
  begin: () => Effect.succeed({ end: Effect.succeed({}) }),
  left: Effect.succeed([]),
  plan: () => Effect.fail(nothing),
  apply: () => Effect.fail(nothing),
  diff: () => Effect.fail(nothing)
})

export const layerNoop = Layer.succeed(Checkpoints, none)
