/**
 * Limits of spending at the prompt. Owns: `/status`, how limits are shown, and what `/budget` understands. Pure but for asking the
 * session. Invariant: an amount is read whole or not at all.
 */
import { Effect } from "effect"
import { amountText, type BudgetUse, capKey, wantedCap } from "../domain/Budget.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime, SessionStatus } from "../runtime/SessionRuntime.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"

type Lines = ReadonlyArray<string>

const names: Readonly<Record<BudgetUse["budget"], Readonly<Record<Locale, string>>>> = {
  turn: { en: "turn", "zh-CN": "本轮" },
  task: { en: "task", "zh-CN": "任务" },
  session: { en: "session", "zh-CN": "会话" },
  tenant: { en: "tenant today", "zh-CN": "租户今日" }
}

const lineOf =
  (locale: Locale) =>
  ({ budget, limit, unit, used }: BudgetUse): string => {
    const [spent, most] = [amountText(used, unit, locale), amountText(limit, unit, locale)]
    const left = amountText(Math.max(0, limit - used), unit, locale)
    const name = names[budget][locale]
    return locale === "en" ? `${name}: ${spent} of ${most}, ${left} left` : `${name}：${spent} / ${most}，剩余 ${left}`
  }

const budgetLines = (budgets: ReadonlyArray<BudgetUse>, locale: Locale): Lines => budgets.map(lineOf(locale))

/** What `/status` says. */
export const statusLines = (found: SessionStatus, locale: Locale): Lines => {
  const { budgets = [], meta, mode, model, position, state } = found
  const [zh, events] = [locale === "zh-CN", locale === "en" ? "events" : "个事件"]
  return [
    `${zh ? "会话" : "session"}    ${meta.session_id}`,
    `${zh ? "目录" : "directory"}  ${sanitise(meta.workspace)}`,
    `${zh ? "模型" : "model"}      ${sanitise(model)}`,
    `${zh ? "模式" : "mode"}       ${mode}`,
    `${zh ? "状态" : "state"}      ${state}, ${position} ${events}`,
    ...budgetLines(budgets, locale).map((line) => `${zh ? "预算" : "budget"}     ${line}`)
  ]
}

const usage: Readonly<Record<Locale, string>> = {
  en: "/budget [task|session] USD, or a number of tokens: /budget 2.50, /budget session 200000 tokens; 0: no limit",
  "zh-CN": "/budget [task|session] 美元，或 token 数：/budget 2.50、/budget session 200000 tokens；0 表示不限"
}

const none: Readonly<Record<Locale, string>> = {
  en: "no limit of spending is set",
  "zh-CN": "未设置费用限制"
}

const elsewhere: Readonly<Record<Locale, string>> = {
  en: "a server's limits are set where it runs",
  "zh-CN": "服务器的限制在其运行处设置"
}

const show = (session: SessionRuntime, locale: Locale) =>
  Effect.map(session.status, ({ budgets = [] }): Lines =>
    budgets.length === 0 ? [none[locale], usage[locale]] : budgetLines(budgets, locale)
  )

/** Shows them, or sets one for the tasks that follow. */
export const budget = (
  session: SessionRuntime,
  argument: string,
  locale: Locale
): Effect.Effect<Lines, RuntimeError> => {
  if (argument === "") return show(session, locale)
  const wanted = wantedCap(argument)
  if (wanted === undefined) return Effect.succeed([usage[locale]])
  if (session.setBudget === undefined) return Effect.succeed([elsewhere[locale]])
  const key = capKey(wanted)
  return Effect.map(session.setBudget({ [key]: wanted.amount }), (caps): Lines => {
    const limit = caps[key] ?? 0
    const said = amountText(limit, wanted.unit, locale)
    const name = names[wanted.scope][locale]
    if (limit === 0) return [locale === "en" ? `${name}: no limit` : `${name}：不限`]
    return [locale === "en" ? `${name}: ${said} from the next task on` : `${name}：下个任务起为 ${said}`]
  })
}
