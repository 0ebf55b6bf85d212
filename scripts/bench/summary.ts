/**
 * From single measurements to what is said of them: medians, ratios to raw in the same round, and whether must and goal
 * are reached. Pure.
 */
import type { ContenderName } from "./contenders/contender.ts"
import type { Numbers } from "./jobs/job.ts"
import type { Limit, Metric, Plan } from "./plan.ts"
import { median } from "./samples.ts"

export interface Result {
  readonly job: string
  readonly round: number
  readonly contender: ContenderName
  /** What the measurement took in all. */
  readonly seconds: number
  readonly numbers?: Numbers
  readonly error?: string
}

export type Verdict = "goal" | "must" | "missed"

export interface Line {
  readonly job: string
  readonly metric: string
  readonly label: string
  readonly contender: ContenderName
  readonly median: number
  /** Median of the rounds' ratios to raw; absent for raw, and where raw has no such number. */
  readonly ratio?: number
  readonly limit?: Limit & { readonly of: "ratio" | "absolute" }
  readonly verdict?: Verdict
  readonly gate?: true
}

const valueIn = (results: ReadonlyArray<Result>, round: number, contender: ContenderName, key: string) =>
  results.find((result) => result.round === round && result.contender === contender)?.numbers?.[key]

const ratiosOf = (results: ReadonlyArray<Result>, contender: ContenderName, key: string): ReadonlyArray<number> =>
  results.flatMap((result) => {
    if (result.contender !== contender) return []
    const own = result.numbers?.[key]
    const raw = valueIn(results, result.round, "raw", key)
    return own === undefined || raw === undefined || raw === 0 ? [] : [own / raw]
  })

export const judge = (value: number, { must, goal }: Limit, more: boolean): Verdict => {
  const within = (limit: number) => (more ? value >= limit : value <= limit)
  return within(goal) ? "goal" : within(must) ? "must" : "missed"
}

const isOurs = (contender: ContenderName): boolean => contender === "claw" || contender === "claw-sqlite"

const judged = (metric: Metric, contender: ContenderName, value: number, ratio: number | undefined) => {
  if (!isOurs(contender) || Number.isNaN(value)) return {}
  const more = metric.more === true
  const relative = contender === "claw-sqlite" ? metric.sqlite : metric.ratio
  if (relative !== undefined && ratio !== undefined) {
    return { limit: { ...relative, of: "ratio" as const }, verdict: judge(ratio, relative, more) }
  }
  if (metric.absolute === undefined) return {}
  return { limit: { ...metric.absolute, of: "absolute" as const }, verdict: judge(value, metric.absolute, more) }
}

const lineOf = (plan: Plan, metric: Metric, contender: ContenderName, results: ReadonlyArray<Result>): Line => {
  const values = results.flatMap((result) =>
    result.contender === contender && result.numbers?.[metric.key] !== undefined
      ? [result.numbers[metric.key] ?? 0]
      : []
  )
  const value = median(values)
  const ratios = contender === "raw" ? [] : ratiosOf(results, contender, metric.key)
  const ratio = ratios.length === 0 ? undefined : median(ratios)
  return {
    job: plan.job,
    metric: metric.key,
    label: metric.label,
    contender,
    median: value,
    ...(ratio === undefined ? {} : { ratio }),
    ...judged(metric, contender, value, ratio),
    ...(metric.gate === true ? { gate: true as const } : {})
  }
}

export const summarise = (
  plans: ReadonlyArray<Plan>,
  contenders: ReadonlyArray<ContenderName>,
  results: ReadonlyArray<Result>
): ReadonlyArray<Line> =>
  plans.flatMap((plan) => {
    const own = results.filter((result) => result.job === plan.job)
    const present = plan.contenders.filter((name) => contenders.includes(name))
    if (own.length === 0) return []
    return plan.metrics.flatMap((metric) => present.map((contender) => lineOf(plan, metric, contender, own)))
  })

/** Gates that do not hold: counts that must be 0, and the like. Times never fail a run, they only show. */
export const brokenGates = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.filter((line) => line.gate === true && line.verdict === "missed")
