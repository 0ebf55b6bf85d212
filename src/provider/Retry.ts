/**
 * Whether and when a failed model call is tried again (R110, R111, R114, LESSONS 10). Owns: the decision, as a pure
 * function. Does not own: the waiting, the `retrying` and `stream_reset` events, the cancel that ends a wait at once;
 * those are the engine's. This is the one retry layer: the SDK's own is off.
 * Invariant: a decision never waits longer than `max_retry_after_ms` plus jitter, nor past `max_elapsed_ms`.
 */
import type { ProviderError } from "./ProviderError.ts"

export interface RetryPolicy {
  /** Calls in all, the first one included. */
  readonly max_attempts: number
  /** The shortest wait of our own choosing, and the ceiling that doubles with every attempt. */
  readonly base_ms: number
  readonly max_backoff_ms: number
  /** The most that is honoured of what a server asks. */
  readonly max_retry_after_ms: number
  /** From the first call: no retry begins later than this. It bounds retries only, never an answer. */
  readonly max_elapsed_ms: number
}

export const defaults: RetryPolicy = {
  max_attempts: 3,
  base_ms: 500,
  max_backoff_ms: 20_000,
  max_retry_after_ms: 120_000,
  max_elapsed_ms: 300_000
}

export interface RetryInput {
  /** How many calls have failed, the last one included; 1 after the first. */
  readonly attempt: number
  readonly error: ProviderError
  /** Monotonic milliseconds since the first call began. */
  readonly elapsed_ms: number
  /** Uniform in [0, 1). */
  readonly random: number
  /** Nothing was done for this prompt yet, so that nothing is lost by telling the person at once. */
  readonly fresh?: boolean
  /** Another model can be asked. */
  readonly other?: boolean
}

export type RetryDecision =
  | { readonly _tag: "retry"; readonly delay_ms: number }
  | {
      readonly _tag: "stop"
      readonly reason: "not_retryable" | "attempts" | "elapsed" | "open" | "lasting" | "too_long"
    }

/** The server asks for a longer wait than is honoured. */
export const asksTooLong = ({ max_retry_after_ms }: RetryPolicy, { retryAfterMs = 0 }: ProviderError): boolean =>
  retryAfterMs > max_retry_after_ms

const delay = (policy: RetryPolicy, { attempt, error, random }: RetryInput): number => {
  if (error.retryAfterMs !== undefined) {
    return Math.min(error.retryAfterMs, policy.max_retry_after_ms) + Math.floor(random * policy.base_ms)
  }
  const ceiling = Math.min(policy.max_backoff_ms, policy.base_ms * 2 ** attempt)
  // Waiting is what a server that limits us wants, and all that helps.
  const least = error.code === "provider_rate_limited" ? Math.max(policy.base_ms, ceiling / 2) : policy.base_ms
  return Math.floor(least + random * Math.max(0, ceiling - least))
}

export const decide = (policy: RetryPolicy, input: RetryInput): RetryDecision => {
  const { error, fresh = false, other = false } = input
  if (!error.isRetryable) return { _tag: "stop", reason: "not_retryable" }
  if (error.open === true && (fresh || other)) return { _tag: "stop", reason: "open" }
  // Where it went well before, it may again.
  if (error.lasting === true && fresh) return { _tag: "stop", reason: "lasting" }
  if (asksTooLong(policy, error) && other) return { _tag: "stop", reason: "too_long" }
  if (input.attempt >= policy.max_attempts) return { _tag: "stop", reason: "attempts" }
  const delay_ms = delay(policy, input)
  if (input.elapsed_ms + delay_ms > policy.max_elapsed_ms) return { _tag: "stop", reason: "elapsed" }
  return { _tag: "retry", delay_ms }
}
