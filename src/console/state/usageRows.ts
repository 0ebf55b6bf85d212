/**
 * What was spent, by day, by model and by session, as `claw usage` groups it. Pure. Invariants: an unknown cost stays
 * unknown; a sum of which only a part has a known price says that it is at least so much.
 */
import type { Spent, UsageReport } from "../net/api.ts"

export interface UsageRow {
  readonly key: string
  /** Empty: it was not recorded, or the session has no name. */
  readonly name: string
  readonly usage: Spent
  /** Some of it has no known price. */
  readonly partly: boolean
}

const none: Spent = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, cost_usd: null }
const sizeOf = ({ input_tokens, output_tokens }: Spent): number => input_tokens + output_tokens
const isUnpriced = (usage: Spent): boolean => usage.cost_usd === null && sizeOf(usage) > 0

const plus = (a: Spent, b: Spent): Spent => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  cost_usd: a.cost_usd === null && b.cost_usd === null ? null : (a.cost_usd ?? 0) + (b.cost_usd ?? 0)
})

const summed = (name: string, parts: ReadonlyArray<Spent>): UsageRow => ({
  key: name,
  name,
  usage: parts.reduce(plus, none),
  partly: parts.some(isUnpriced)
})

const most = (rows: ReadonlyArray<UsageRow>): ReadonlyArray<UsageRow> =>
  rows.filter(({ usage }) => sizeOf(usage) > 0).toSorted((a, b) => sizeOf(b.usage) - sizeOf(a.usage))

export const usageRows = ({ models, sessions }: Pick<UsageReport, "models" | "sessions">) => {
  const groups = (by: "day" | "model") => {
    const found = new Map<string, Array<Spent>>()
    for (const one of models) found.set(one[by], [...(found.get(one[by]) ?? []), one.usage])
    return Array.from(found, ([name, parts]) => summed(name, parts))
  }
  return {
    /** Newest first; the others by what they used. */
    day: groups("day").toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    model: most(groups("model")),
    session: most(sessions.map(({ session_id, title, usage }) => ({ ...summed(title, [usage]), key: session_id }))),
    total: summed(
      "",
      models.map(({ usage }) => usage)
    )
  }
}

/** `partly`: more than that. */
export const costText = (
  { usage, partly }: Pick<UsageRow, "usage" | "partly">,
  money: (usd: number) => string,
  unknown: string
): string => (usage.cost_usd === null ? unknown : `${partly ? "≥ " : ""}${money(usage.cost_usd)}`)
