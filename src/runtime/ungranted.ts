/**
 * A grant that cannot be stored is worth the one call that it was asked for (SETTLED 8, LESSONS 31). Owns: what its
 * decision becomes. Invariant: nothing that was refused is allowed by it, and nobody is told of a grant that is not.
 */
import { Effect } from "effect"
import type { ReportBody } from "../domain/Event.ts"
import type { Journal, JournalRecord } from "../store/Journal.ts"
import type { SessionKey } from "../domain/Principal.ts"

const REASON = "the grant could not be saved, so it counts only this once"

export const ungranted = (body: ReportBody): ReportBody => {
  if (body.type !== "approval_resolved") return body
  const { grant, ...rest } = body
  // A use that cannot be counted is no reason to lose the decision; the audit names the grant by the reason then.
  if (grant === undefined) {
    const { grant_id, ...uncounted } = rest
    return grant_id === undefined
      ? rest
      : { ...uncounted, reason: `${rest.reason ?? "a grant allowed it"} (${grant_id})` }
  }
  return { ...rest, decision: rest.decision === "allow_session" ? "allow_once" : rest.decision, reason: REASON }
}

/** Appends; where only the grants are refused, appends the same without them. Gives the records that were stored. */
export const append = (
  journal: Journal["Service"],
  key: SessionKey,
  epoch: number,
  records: ReadonlyArray<JournalRecord>
) =>
  journal.append(key, epoch, records).pipe(
    Effect.as(records),
    Effect.catchIf(
      ({ part }) => part === "grants",
      (error) => {
        const without = records.map((record) => ({ ...record, body: ungranted(record.body) }))
        return Effect.logWarning("a grant could not be saved and counts once", { detail: error.detail }).pipe(
          Effect.andThen(journal.append(key, epoch, without)),
          Effect.as(without)
        )
      }
    )
  )
