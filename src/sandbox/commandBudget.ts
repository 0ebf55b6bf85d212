/**
 * How much one line may cost to be judged (SECURITY T13, T14). Owns: the count and the clock of that. Invariant: what costs
 * more is not judged in part: the line is refused.
 */

/** Names looked up or read from directories, and words that braces make. */
const MAX_STEPS = 30_000
/** A net below the count, far above what an ordinary line takes on a slow machine. */
const MAX_MS = 2_000
/** Steps between two looks at the clock. */
const CLOCK_EVERY = 256

export interface Budget {
  /** Throws `Exhausted` when it is used up. */
  readonly spend: (steps?: number) => void
}

export class Exhausted extends Error {
  override readonly name = "Exhausted"
}

export const makeBudget = (steps = MAX_STEPS, ms = MAX_MS): Budget => {
  const until = performance.now() + ms
  let left = steps
  let look = CLOCK_EVERY
  return {
    spend: (count = 1) => {
      left -= count
      look -= count
      const late = look <= 0 && performance.now() > until
      if (look <= 0) look = CLOCK_EVERY
      if (left < 0 || late) throw new Exhausted("is too much to be judged")
    }
  }
}

export const UNBOUNDED: Budget = { spend: () => undefined }
