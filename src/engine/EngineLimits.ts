/**
 * The engine's limits, each with a name, a unit and a defined end (DESIGN, idea 7). An ambient setting with defaults.
 */
import { Context, Semaphore } from "effect"
import { defaults as retryDefaults, type RetryPolicy } from "../provider/Retry.ts"

export interface Limits {
  /** Model turns a task may take; then `max_turns`. */
  readonly max_turns: number
  /** Tool calls of one session that run at the same time. */
  readonly tool_concurrency: number
  /** Milliseconds all tools of a task may run, added up; then `budget_exceeded`. */
  readonly tool_time_ms: number
  /** UTF-16 units of one tool result that reach the model; the middle is cut. */
  readonly tool_output_chars: number
  /** UTF-16 units of one call's live output that are shown; the rest is only counted. */
  readonly live_output_chars: number
  /** Tokens in and out of one answer with all its attempts; then `budget_exceeded`, as for all budgets. 0: no limit. */
  readonly turn_tokens: number
  /** Tokens in and out that a task may use. 0: no limit. */
  readonly task_tokens: number
  /** US dollars that a task may cost. 0: no limit. */
  readonly task_cost_usd: number
  /** The same of a whole session. */
  readonly session_tokens: number
  readonly session_cost_usd: number
  /** Output tokens asked of the model for one answer; absent: the server's own limit. */
  readonly max_output_tokens?: number
  /** Tokens that the model takes; absent: what is known of it. */
  readonly context_window?: number
  /** Percent of the room for a request at which older conversation is summarised. */
  readonly compact_at: number
  /** Subagents that a task may begin; 0: none. */
  readonly task_subagents: number
  /** Subagents of one task that run at the same time; further ones wait. */
  readonly subagents_at_once: number
  /** How deep they may begin others; 1: none of them may. */
  readonly subagent_depth: number
  /** Model turns that one may take. */
  readonly subagent_turns: number
  readonly retry: RetryPolicy
  /** Asked in this order, each for the rest of its task, once a model's retries are used up. */
  readonly fallback_models: ReadonlyArray<string>
}

export const defaults: Limits = {
  max_turns: 100,
  tool_concurrency: 8,
  tool_time_ms: 3_600_000,
  turn_tokens: 0,
  task_tokens: 0,
  task_cost_usd: 0,
  session_tokens: 0,
  session_cost_usd: 0,
  task_subagents: 50,
  subagents_at_once: 8,
  subagent_depth: 1,
  subagent_turns: 50,
  tool_output_chars: 100_000,
  live_output_chars: 262_144,
  compact_at: 80,
  retry: retryDefaults,
  fallback_models: []
}

/** Limits of spending, which a person may set anew for a session. */
export type Caps = Partial<Pick<Limits, "task_tokens" | "task_cost_usd" | "session_tokens" | "session_cost_usd">>

export const EngineLimits = Context.Reference<Limits>("claw/engine/EngineLimits", { defaultValue: () => defaults })

/** Tool calls of the whole process that run at the same time (R280). */
export const ProcessSlots = Context.Reference<Semaphore.Semaphore>("claw/engine/ProcessSlots", {
  defaultValue: () => Semaphore.makeUnsafe(64)
})
