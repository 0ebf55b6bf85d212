/**
 * What sessions spent, in memory, as the tables on a disk have it. Owns: each session's total and each owner's days.
 * Invariant: a day keeps what a session spent that is removed.
 */
import { type Owner, scopeKey, type SessionKey, sessionOf } from "../../domain/Principal.ts"
import type { JournalRecord } from "../Journal.ts"
import { between, dayOf, nothing, plus, type Spent, type SpentDay, spentOf } from "../Spent.ts"

export const make = () => {
  const totals = new Map<SessionKey, Spent>()
  const days = new Map<string, Map<string, Spent>>()
  return {
    append: (session: SessionKey, records: ReadonlyArray<JournalRecord>): void => {
      for (const { ts, body } of records) {
        if (body.type !== "usage") continue
        const after = spentOf(body.session_usage)
        const scope = scopeKey(sessionOf(session).owner)
        const own = days.get(scope) ?? new Map<string, Spent>()
        const spent = between(totals.get(session) ?? nothing, after)
        days.set(scope, own.set(dayOf(ts), plus(own.get(dayOf(ts)) ?? nothing, spent)))
        totals.set(session, after)
      }
    },
    forget: (session: SessionKey): void => void totals.delete(session),
    total: (session: SessionKey): Spent | undefined => totals.get(session),
    days: (owner: Owner): ReadonlyArray<SpentDay> =>
      Array.from(days.get(scopeKey(owner)) ?? [], ([day, usage]) => ({ day, usage })).toSorted((a, b) =>
        a.day < b.day ? -1 : 1
      )
  }
}

export type MemorySpent = ReturnType<typeof make>
