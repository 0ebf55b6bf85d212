/**
 * What others may say before and after a task's steps (issue 7). Owns: the contract only; who is asked, and what a guard
 * that fails says, is provided from above. An ambient setting: nobody, by default.
 * Invariant: an opinion refuses, makes a person be asked, or adds words; there is none that allows.
 */
import { Context, Effect } from "effect"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { ToolStatus } from "../domain/Event.ts"
import type { CallId, SessionId, TaskId } from "../domain/Ids.ts"

export interface TaskAbout {
  readonly session_id: SessionId
  readonly task_id: TaskId
}

export interface CallAbout extends TaskAbout {
  readonly call_id: CallId
  readonly tool_name: string
  /** JSON. */
  readonly arguments: string
}

export interface Opinion {
  readonly decision?: "ask" | "deny"
  /** Whose, and why: a sentence without its end. Present with every decision. */
  readonly reason?: string
  /** The hook that decided. */
  readonly by?: string
  /** For the model. */
  readonly context?: string
}

export interface HooksShape {
  readonly beforeTool: (about: CallAbout) => Effect.Effect<Opinion>
  /** Whether anybody is told of this tool's ends. */
  readonly hears: (tool_name: string) => boolean
  /** What the model reads besides the result. */
  readonly afterTool: (
    about: CallAbout & { readonly status: ToolStatus; readonly result: string }
  ) => Effect.Effect<string | undefined>
  readonly beforePrompt: (about: TaskAbout & { readonly prompt: string }) => Effect.Effect<Opinion>
  readonly afterTask: (
    about: TaskAbout & { readonly status: "completed" | "failed"; readonly code?: ErrorCode }
  ) => Effect.Effect<void>
}

export const none: HooksShape = {
  beforeTool: () => Effect.succeed({}),
  hears: () => false,
  afterTool: () => Effect.undefined,
  beforePrompt: () => Effect.succeed({}),
  afterTask: () => Effect.void
}

export const Hooks = Context.Reference<HooksShape>("claw/engine/Hooks", { defaultValue: () => none })
