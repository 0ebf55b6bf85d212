/**
 * What was spent, as sums that grow with each model call (R158, R261). Owns: how running totals of a session become what
 * it spent on a day. Pure. Invariants: an unknown cost is null, never zero; a sum never shrinks.
 */
import type { Usage } from "../domain/Usage.ts"

export interface Spent {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly reasoning_tokens: number
  /** US dollars; null: no price is known of any of it. */
  readonly cost_usd: number | null
}

export interface SpentDay {
  /** UTC: `2026-03-01`. */
  readonly day: string
  readonly usage: Spent
}

/** What one model was asked for on a day; `model` empty: an older claw did not say. */
export interface SpentModel extends SpentDay {
  readonly model: string
}

export const nothing: Spent = {
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null
}

export const spentOf = (usage: Usage): Spent => ({
  input_tokens: usage.input_tokens,
  output_tokens: usage.output_tokens,
  cached_tokens: usage.cached_tokens ?? 0,
  reasoning_tokens: usage.reasoning_tokens ?? 0,
  cost_usd: usage.cost_usd ?? null
})

const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

export const plus = (a: Spent, b: Spent): Spent => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  cost_usd: sum(a.cost_usd, b.cost_usd)
})

/** What was spent between two totals. */
export const between = (before: Spent, after: Spent): Spent => {
  const more = (from: number, to: number): number => Math.max(0, to - from)
  return {
    input_tokens: more(before.input_tokens, after.input_tokens),
    output_tokens: more(before.output_tokens, after.output_tokens),
    cached_tokens: more(before.cached_tokens, after.cached_tokens),
    reasoning_tokens: more(before.reasoning_tokens, after.reasoning_tokens),
    cost_usd: after.cost_usd === null ? null : more(before.cost_usd ?? 0, after.cost_usd)
  }
}

export const dayOf = (ts: string): string => ts.slice(0, 10)
