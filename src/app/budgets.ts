/**
 * The budgets of this process, put together: the accounts of tenants, which all sessions of a tenant share.
 * Owns: one account for each tenant and day. Invariant: before a task begins, its tenant's account knows at least what the
 * store knows of this day, also what other processes and removed sessions spent.
 */
import { Effect } from "effect"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { Owner } from "../domain/Principal.ts"
import { atLeast, type BudgetParts, type Cap, type Ledger, makeDayLedger, unlimited } from "../engine/Budget.ts"
import { TaskFailure } from "../engine/TaskFailure.ts"
import type { SessionIndex } from "../store/SessionIndex.ts"
import { dayOf } from "../store/Spent.ts"

const today = (): string => dayOf(new Date().toISOString())

const capOf = ({ limits, server }: ConfigShape, tenant: string): Cap => {
  const own = server.tenants?.[tenant]
  return {
    tokens: own?.day_tokens ?? limits.tenant_day_tokens,
    usd: own?.day_cost_usd ?? limits.tenant_day_cost_usd
  }
}

export type Budgets = (owner: Owner) => BudgetParts

/** Of one process: who asks twice for a tenant gets the same account. */
export const makeBudgets = (config: ConfigShape, index: SessionIndex["Service"]): Budgets => {
  const tenants = new Map<string, Ledger>()
  const accountOf = (tenant: string): Ledger => {
    const found = tenants.get(tenant)
    if (found !== undefined) return found
    const made = makeDayLedger(() => capOf(config, tenant), today)
    tenants.set(tenant, made)
    return made
  }
  return ({ tenant }) => {
    const { tokens, usd } = capOf(config, tenant)
    if (tokens === 0 && usd === 0) return unlimited
    const account = accountOf(tenant)
    const refresh = Effect.suspend(() => index.spentOn(tenant, today())).pipe(
      Effect.mapError(({ code, message: detail }) => new TaskFailure({ code, detail })),
      Effect.map(({ input_tokens, output_tokens, cost_usd }) =>
        atLeast(account, { input_tokens, output_tokens, ...(cost_usd === null ? {} : { cost_usd }) })
      )
    )
    return { ...unlimited, outer: [account], refresh }
  }
}
