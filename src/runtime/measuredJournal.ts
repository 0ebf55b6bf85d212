/**
 * How long appends take (issue 5). Owns: the measurement around a journal, from handing facts over to their commit, the
 * waiting for others included. Invariant: what is measured is what was asked for, failures too; nothing is changed.
 */
import { Effect } from "effect"
import { appendLatency } from "../observability/Metrics.ts"
import type { Journal } from "../store/Journal.ts"

/** Measures into the registry of the fiber that asks. */
export const measured = (journal: Journal["Service"]): Effect.Effect<Journal["Service"]> =>
  Effect.map(Effect.context<never>(), (context) => ({
    ...journal,
    append: (session, epoch, records, as) =>
      Effect.suspend(() => {
        const begun = performance.now()
        return Effect.onExit(journal.append(session, epoch, records, as), () =>
          Effect.sync(() => appendLatency.updateUnsafe((performance.now() - begun) / 1000, context))
        )
      })
  }))
