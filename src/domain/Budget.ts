/**
 * Which budget was met, for programs and for people (R117–R121). Owns: names, units, and the sentence in both languages.
 * Decides nothing. Invariant: a sentence names the budget, what was used, its limit, and the setting that raises it.
 */
import { Schema } from "effect"

/** `turn`: one answer of the model with all its attempts; `task`: one run; `tenant`: all sessions of a tenant on a day. */
export const BudgetName = Schema.Literals(["turn", "task", "session", "tenant"])
export type BudgetName = typeof BudgetName.Type

export const BudgetUnit = Schema.Literals(["tokens", "usd", "tool_ms", "subagents"])
export type BudgetUnit = typeof BudgetUnit.Type

const Amount = Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

export const BudgetUse = Schema.Struct({
  budget: BudgetName,
  unit: BudgetUnit,
  used: Amount,
  limit: Amount,
  /** What the next step takes at least, where something is left but not so much. */
  needed: Schema.optionalKey(Amount)
})
export type BudgetUse = typeof BudgetUse.Type

/** The smallest that is left of the limits in force; a unit without a limit is absent. */
export const BudgetLeft = Schema.Struct({
  tokens: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  cost_usd: Schema.optionalKey(Amount)
})
export type BudgetLeft = typeof BudgetLeft.Type

type Locale = "en" | "zh-CN"

/** The setting that raises it. */
export const settingOf = ({ budget, unit }: Pick<BudgetUse, "budget" | "unit">): string => {
  if (unit === "tool_ms") return "limits.tool_time_ms"
  if (unit === "subagents") return "limits.task_subagents"
  const scope = budget === "tenant" ? "tenant_day" : budget
  return `limits.${scope}_${unit === "usd" ? "cost_usd" : "tokens"}`
}

/** Other ways to raise it, where there are: a flag, and what a person can say in the session. */
const besides = ({ budget, unit }: BudgetUse): ReadonlyArray<string> => {
  if (unit !== "usd" && unit !== "tokens") return []
  if (budget === "session") return ["/budget session"]
  return budget === "task" ? [...(unit === "usd" ? ["--max-cost"] : []), "/budget"] : []
}

const dollars = (amount: number): string =>
  `$${amount === 0 || amount >= 1 ? amount.toFixed(2) : amount.toFixed(6).replace(/0{1,4}$/, "")}`

/** An amount with its unit: `1200 tokens`, `$0.05`. */
export const amountText = (amount: number, unit: BudgetUnit, locale: Locale): string => {
  switch (unit) {
    case "usd":
      return dollars(amount)
    case "tokens":
      return locale === "en" ? `${amount} tokens` : `${amount} 个 token`
    case "tool_ms":
      return locale === "en" ? `${amount} ms of tool time` : `${amount} 毫秒工具时间`
    case "subagents":
      return locale === "en" ? `${amount} subagents` : `${amount} 个子代理`
  }
}

const whose: Readonly<Record<BudgetName, Readonly<Record<Locale, string>>>> = {
  turn: { en: "The turn's", "zh-CN": "本轮" },
  task: { en: "The task's", "zh-CN": "此任务" },
  session: { en: "The session's", "zh-CN": "此会话" },
  tenant: { en: "The tenant's daily", "zh-CN": "此租户今日" }
}

const plain = (amount: number, unit: BudgetUnit): string => (unit === "usd" ? dollars(amount) : String(amount))

/** The whole sentence, with the way on. */
export const budgetText = (use: BudgetUse, locale: Locale): string => {
  const { budget, unit, used, limit, needed } = use
  const limited = amountText(limit, unit, locale)
  const ways = besides(use)
  if (locale === "en") {
    const more = needed === undefined ? "" : `, and the next request takes about ${plain(needed, unit)}`
    const state = needed === undefined ? "is used up" : "does not reach"
    return `${whose[budget].en} budget of ${limited} ${state}: ${plain(used, unit)} used${more}. Raise ${settingOf(use)}${ways.length === 0 ? "" : ` (or ${ways.join(", ")})`} to go on.`
  }
  const more = needed === undefined ? "" : `，下次请求约需 ${plain(needed, unit)}`
  const state = needed === undefined ? "已用尽" : "不足"
  return `${whose[budget]["zh-CN"]}的预算${state}：上限 ${limited}，已用 ${plain(used, unit)}${more}。提高 ${settingOf(use)}${ways.length === 0 ? "" : `（或 ${ways.join("、")}）`} 后可继续。`
}

/** A limit that a person asks for: `2.50`, `session 200000 tokens`. */
export interface WantedCap {
  readonly scope: "task" | "session"
  readonly unit: "tokens" | "usd"
  /** 0: no limit. */
  readonly amount: number
}

const FORM = /^(?:(task|session)\s+)?\$?(\d{1,12}(?:\.\d{1,6})?)(?:\s+(tokens?|usd))?$/

/** Read whole or not at all. */
export const wantedCap = (text: string): WantedCap | undefined => {
  const [whole, scope = "task", amount = "", word = "usd"] = FORM.exec(text.trim()) ?? []
  const unit = word === "usd" ? "usd" : "tokens"
  if (whole === undefined || (unit === "tokens" && amount.includes("."))) return undefined
  return { scope: scope as WantedCap["scope"], unit, amount: Number(amount) }
}

/** As the settings and the wire call it. */
export const capKey = ({ scope, unit }: Pick<WantedCap, "scope" | "unit">) =>
  `${scope}_${unit === "usd" ? "cost_usd" : "tokens"}` as const
