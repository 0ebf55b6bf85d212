/**
 * What sessions spent, in memory, as the tables on a disk have it. Owns: each session's total and each owner's days.
 * Invariant: a day keeps what a session spent that is removed.
 */
import { isOfTenant, type Owner, scopeKey, type SessionKey, sessionOf } from "../../domain/Principal.ts"
import type { JournalRecord } from "../Journal.ts"
import { between, dayOf, nothing, plus, type Spent, type SpentDay, type SpentModel, spentOf } from "../Spent.ts"

export const make = () => {
  const totals = new Map<SessionKey, Spent>()
  const days = new Map<string, Map<string, Spent>>()
  const models = new Map<string, Map<string, SpentModel>>()
  const addModel = (scope: string, day: string, model: string, usage: Spent): void => {
    const own = models.get(scope) ?? new Map<string, SpentModel>()
    const key = `${day} ${model}`
    models.set(scope, own.set(key, { day, model, usage: plus(own.get(key)?.usage ?? nothing, usage) }))
  }
  return {
    append: (session: SessionKey, records: ReadonlyArray<JournalRecord>): void => {
      for (const { ts, body } of records) {
        if (body.type !== "usage") continue
        const after = spentOf(body.session_usage)
        const scope = scopeKey(sessionOf(session).owner)
        const own = days.get(scope) ?? new Map<string, Spent>()
        const spent = between(totals.get(session) ?? nothing, after)
        addModel(scope, dayOf(ts), body.model ?? "", spent)
        days.set(scope, own.set(dayOf(ts), plus(own.get(dayOf(ts)) ?? nothing, spent)))
        totals.set(session, after)
      }
    },
    forget: (session: SessionKey): void => void totals.delete(session),
    /** Of all owners of a tenant. */
    on: (tenant: string, day: string): Spent =>
      Array.from(days)
        .filter(([scope]) => isOfTenant(scope, tenant))
        .reduce((sum, [, own]) => plus(sum, own.get(day) ?? nothing), nothing),
    total: (session: SessionKey): Spent | undefined => totals.get(session),
    models: (owner: Owner): ReadonlyArray<SpentModel> =>
      Array.from(models.get(scopeKey(owner)) ?? [])
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, one]) => one),
    days: (owner: Owner): ReadonlyArray<SpentDay> =>
      Array.from(days.get(scopeKey(owner)) ?? [], ([day, usage]) => ({ day, usage })).toSorted((a, b) =>
        a.day < b.day ? -1 : 1
      )
  }
}

export type MemorySpent = ReturnType<typeof make>
