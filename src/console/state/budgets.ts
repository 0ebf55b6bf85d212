/** Limits of spending: which leaves the least, and what a person could set in the place of one that was met. Pure. */
import type { BudgetLeft, BudgetUse, WantedCap } from "../../domain/Budget.ts"

/** What may be spent still: the least of all limits in force, as `usage` facts have it. */
export const leftOf = (budgets: ReadonlyArray<BudgetUse>): BudgetLeft | undefined => {
  const least = (unit: BudgetUse["unit"]): number =>
    Math.min(...budgets.filter((one) => one.unit === unit).map(({ limit, used }) => Math.max(0, limit - used)))
  const [tokens, cost_usd] = [least("tokens"), least("usd")]
  const left = {
    ...(Number.isFinite(tokens) ? { tokens } : {}),
    ...(Number.isFinite(cost_usd) ? { cost_usd } : {})
  }
  return Object.keys(left).length === 0 ? undefined : left
}

/** The cap that a person could set in the place of one that was met; none: it is not theirs to set. */
export const raisable = ({ budget, unit }: BudgetUse): Pick<WantedCap, "scope" | "unit"> | undefined =>
  (budget === "task" || budget === "session") && (unit === "tokens" || unit === "usd")
    ? { scope: budget, unit }
    : undefined

/** Twice as much, and enough for what the next request takes; in figures that a person would choose. */
export const suggested = ({ limit, needed = 0, unit, used }: BudgetUse): number => {
  const least = Math.max(limit * 2, used + needed * 2)
  const step = 10 ** Math.max(unit === "usd" ? -4 : 0, Math.floor(Math.log10(least)) - 1)
  return Number((Math.ceil(least / step - 1e-9) * step).toFixed(unit === "usd" ? 4 : 0))
}
