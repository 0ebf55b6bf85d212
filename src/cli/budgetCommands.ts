/**
 * Limits of spending at the prompt. Owns: `/status`, how limits are shown, and what `/budget` understands. Pure but for asking the
 * session. Invariant: an amount is read whole or not at all.
 */
import { Effect } from "effect"
import { amountText, type BudgetUse, capKey, wantedCap } from "../domain/Budget.ts"
import { lastCalls, type SessionState } from "../domain/Session.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime, SessionStatus } from "../runtime/SessionRuntime.ts"
import type { Locale } from "./Commands.ts"
import { sanitise, sanitiseLine } from "./Sanitise.ts"
import { texts } from "./texts.ts"
import { toolStarted } from "./toolNotes.ts"
import { pad } from "./Width.ts"

type Caps = Parameters<NonNullable<SessionRuntime["setBudget"]>>[0]
type Lines = ReadonlyArray<string>

const names: Readonly<Record<BudgetUse["budget"], Readonly<Record<Locale, string>>>> = {
  turn: { en: "turn", "zh-CN": "本轮" },
  task: { en: "task", "zh-CN": "任务" },
  session: { en: "session", "zh-CN": "会话" },
  tenant: { en: "tenant today", "zh-CN": "租户今日" }
}

const inAll = (budget: BudgetUse["budget"], most: string, locale: Locale): string =>
  locale === "en" ? `${names[budget].en}: ${most} for each` : `${names[budget]["zh-CN"]}：每次 ${most}`

/** `running`: whether a task runs, of which something may be used. A turn's is known to the engine alone. */
const lineOf =
  (locale: Locale, running: boolean) =>
  ({ budget, limit, unit, used }: BudgetUse): string => {
    const [spent, most] = [amountText(used, unit, locale), amountText(limit, unit, locale)]
    if (budget === "turn" || (budget === "task" && !running)) return inAll(budget, most, locale)
    const left = amountText(Math.max(0, limit - used), unit, locale)
    const name = names[budget][locale]
    return locale === "en" ? `${name}: ${spent} of ${most}, ${left} left` : `${name}：${spent} / ${most}，剩余 ${left}`
  }

const budgetLines = ({ budgets = [], task }: Pick<SessionStatus, "budgets" | "task">, locale: Locale): Lines =>
  budgets.map(lineOf(locale, task !== undefined))

const doing = (inside: SessionState): string => {
  const call = lastCalls(inside).find(({ result }) => result === undefined)
  return call === undefined ? "" : ` · ${toolStarted(call.tool_name, call.arguments)}`
}

/** A label of any script, and what stands below the others' values. */
const row = (label: string, value: string): string => `${pad(label, 11)}${value}`

/** Who works beside the task, or below it. */
const subagentLines = ({ subagents }: Pick<SessionState, "subagents">, locale: Locale): Lines =>
  Array.from(subagents.values(), ({ background, state, title }) => {
    const where = background ? ` · ${texts[locale].background}` : ""
    return row(locale === "zh-CN" ? "子代理" : "subagent", `${sanitiseLine(title)}${where}${doing(state)}`)
  })

/** What `/status` says. */
export const statusLines = (
  found: SessionStatus,
  locale: Locale,
  running: Pick<SessionState, "subagents"> = { subagents: new Map() }
): Lines => {
  const { meta, mode, model, position, state } = found
  const [zh, events] = [locale === "zh-CN", locale === "en" ? "events" : "个事件"]
  return [
    row(zh ? "会话" : "session", meta.session_id),
    row(zh ? "目录" : "directory", sanitise(meta.workspace)),
    row(zh ? "模型" : "model", sanitise(model)),
    row(zh ? "模式" : "mode", mode),
    row(zh ? "状态" : "state", `${state}, ${position} ${events}`),
    ...subagentLines(running, locale),
    ...budgetLines(found, locale).map((line) => row(zh ? "预算" : "budget", line))
  ]
}

const usage: Readonly<Record<Locale, string>> = {
  en: "/budget [task|session] USD, or a number of tokens: /budget 2.50, /budget session 200000 tokens; 0: no limit of either",
  "zh-CN": "/budget [task|session] 美元，或 token 数：/budget 2.50、/budget session 200000 tokens；0 表示两者都不限"
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
  Effect.map(session.status, (found): Lines => {
    const lines = budgetLines(found, locale)
    return lines.length === 0 ? [none[locale], usage[locale]] : lines
  })

/** What holds of a limit from the next task on. */
const setLine = (key: keyof Caps, limit: number, locale: Locale): string => {
  const [unit, scope] = [key.endsWith("usd") ? "usd" : "tokens", key.startsWith("task") ? "task" : "session"] as const
  const name = names[scope][locale]
  const amount = amountText(limit, unit, locale)
  if (limit > 0) return locale === "en" ? `${name}: ${amount} from the next task on` : `${name}：下个任务起为 ${amount}`
  if (locale === "en") return `${name}: no limit of ${unit === "usd" ? "money" : "tokens"} from the next task on`
  return `${name}：下个任务起不限${unit === "usd" ? "费用" : " token 数"}`
}

/** Each prompt would be refused; another model, or a price, may still come. */
const unpricedLine = (model: string, scope: "task" | "session", locale: Locale): string => {
  const shown = sanitiseLine(model)
  return locale === "en"
    ? `The price of ${shown} is not known, so that prompts are refused while this holds. /budget ${scope} $0 takes it back; models.${shown}.prices gives a price.`
    : `${shown} 的价格未知，此限制生效期间提示会被拒绝。/budget ${scope} $0 可取消；models.${shown}.prices 可设置价格。`
}

/** Shows them, or sets one for the tasks that follow. `priced`: whether a limit of money can be kept with the model. */
export const budget = (
  session: SessionRuntime,
  argument: string,
  locale: Locale,
  priced: (model: string) => boolean = () => true
): Effect.Effect<Lines, RuntimeError> => {
  if (argument === "") return show(session, locale)
  const wanted = wantedCap(argument)
  if (wanted === undefined) return Effect.succeed([usage[locale]])
  if (session.setBudget === undefined) return Effect.succeed([elsewhere[locale]])
  // No limit means none, in whatever it was counted.
  const lifted = wanted.amount === 0 && !/\$|token|usd/.test(argument)
  const keys = lifted ? (["usd", "tokens"] as const).map((unit) => capKey({ ...wanted, unit })) : [capKey(wanted)]
  const asked = Object.fromEntries(keys.map((key) => [key, wanted.amount]))
  return Effect.zipWith(session.setBudget(asked), session.status, (set, { model }): Lines => [
    ...keys.map((key) => setLine(key, set[key] ?? 0, locale)),
    ...(wanted.unit === "usd" && wanted.amount > 0 && !priced(model) ? [unpricedLine(model, wanted.scope, locale)] : [])
  ])
}
