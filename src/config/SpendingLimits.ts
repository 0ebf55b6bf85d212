/**
 * How far a person may set limits of spending in a running session. Owns: the operator's ceiling, and what of a wanted
 * limit holds under it. Pure. Invariant: 0 is no limit, and nothing is ever looser than the operator's own.
 */
import type { Tiered } from "./tiers.ts"

/** Limits of spending that a person may set for a session. */
const spending = ["task_tokens", "task_cost_usd", "session_tokens", "session_cost_usd"] as const
export type Spending = Readonly<Record<(typeof spending)[number], number>>

const stricterCap = (one: number, other: number): number =>
  one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)

/** The operator's. */
export const ceilingOf = (files: ReadonlyArray<Tiered>): Spending => {
  const ceiling: Record<keyof Spending, number> = {
    task_tokens: 0,
    task_cost_usd: 0,
    session_tokens: 0,
    session_cost_usd: 0
  }
  for (const { file, tier } of files) {
    if (tier !== "operator") continue
    for (const name of spending) ceiling[name] = stricterCap(ceiling[name], file.limits?.[name] ?? 0)
  }
  return ceiling
}

/** What holds of a wanted limit. */
export const cappedBy = (ceiling: Spending, wanted: Partial<Spending>): Partial<Spending> =>
  Object.fromEntries(
    spending.flatMap((name) => {
      const value = wanted[name]
      return value === undefined ? [] : [[name, stricterCap(value, ceiling[name])]]
    })
  )
