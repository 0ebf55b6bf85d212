/**
 * Limits of spending that were set for the session: a fold of its records, so that they outlive the process. Pure. Owns:
 * whose word counts for each of them: the newest. Does not own: how far a word may go (config/SpendingLimits).
 */
import type { PrivateBody } from "../domain/Event.ts"
import type { Caps } from "../engine/EngineLimits.ts"
import type { Parts } from "./RuntimeFactory.ts"

type BudgetSet = Extract<PrivateBody, { readonly type: "budget_set" }>

export interface SetCaps {
  /** By whoever may manage the server. */
  readonly free: Caps
  /** By others: never looser than the server's own, whatever those are by now. */
  readonly within: Caps
}

export const initial: SetCaps = { free: {}, within: {} }

const without = (caps: Caps, gone: Caps): Caps =>
  Object.fromEntries(Object.entries(caps).filter(([name]) => !(name in gone)))

export const fold = ({ free, within: narrow }: SetCaps, { type: _, within, ...caps }: BudgetSet): SetCaps =>
  within === true
    ? { free: without(free, caps), within: { ...narrow, ...caps } }
    : { free: { ...free, ...caps }, within: without(narrow, caps) }

const all = (caps: Caps): Caps => caps

/** What holds of them here. */
export const inForce = ({ free, within }: SetCaps, capped: NonNullable<Parts["capped"]> = all): Caps => ({
  ...capped(free),
  ...capped(within, true)
})
