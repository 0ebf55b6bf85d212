/**
 * Figures, times and names as people read them. Pure. Units: milliseconds, tokens, US dollars. Invariant: no line of what
 * somebody else wrote comes out turned around.
 */
import { amountText, type BudgetUnit } from "../../domain/Budget.ts"
import type { Usage } from "../../domain/Usage.ts"
import { inOrder } from "./reveal.ts"

export const tokens = (count: number): string => {
  if (count < 1_000) return String(count)
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

export const money = (usd: number): string => `$${usd.toFixed(usd === 0 || usd >= 0.1 ? 2 : 4)}`
/** An amount of a budget with its unit. */
export const amount = (value: number, unit: BudgetUnit, locale: Parameters<typeof amountText>[2]): string =>
  unit === "usd" || unit === "tokens" || unit === "subagents" ? amountText(value, unit, locale) : duration(value)

/** What some calls cost; `unknown` where no price is known: never nothing. `≈`: counted by us, not by the model's server. */
export const costOf = ({ cost_usd, cost_partial, estimated }: Usage, unknown: string): string => {
  if (cost_usd === undefined) return unknown
  return `${estimated === true ? "≈ " : ""}${cost(cost_usd, cost_partial)}`
}

/** `partial`: some of it has no known price, so that it was more. */
export const cost = (usd: number, partial: boolean | undefined): string =>
  `${partial === true ? "≥ " : ""}${money(usd)}`

export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`
}

/** What is left of a while: `1:05`. */
export const countdown = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0")]
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}

/** How long ago, in one word: the list's. */
export const ago = (then: number, now: number, locale: string): string => {
  const seconds = Math.max(0, Math.round((now - then) / 1_000))
  const format = new Intl.RelativeTimeFormat(locale, { style: "narrow", numeric: "auto" })
  if (seconds < 60) return format.format(0, "second")
  if (seconds < 3_600) return format.format(-Math.floor(seconds / 60), "minute")
  if (seconds < 86_400) return format.format(-Math.floor(seconds / 3_600), "hour")
  return format.format(-Math.floor(seconds / 86_400), "day")
}

export const clock = (at: number, locale: string): string =>
  new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" })

export const moment = (at: number, locale: string): string =>
  new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })

/** The end of a path, which tells more than its beginning. */
export const pathTail = (path: string, parts = 2): string => {
  const names = path.split("/").filter((name) => name !== "")
  return inOrder(names.length <= parts ? path : `…/${names.slice(-parts).join("/")}`)
}

export const firstLine = (text: string, most = 120): string => {
  const line = text.trim().split("\n", 1)[0] ?? ""
  return inOrder(line.length > most ? `${line.slice(0, most - 1)}…` : line)
}
