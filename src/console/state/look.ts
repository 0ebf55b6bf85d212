/** How the page looks and in which language it speaks: what a person chose, else what the browser says. */
import { createStore } from "zustand/vanilla"
import { keep, kept } from "./kept.ts"

export type Theme = "system" | "light" | "dark"
export type Locale = "en" | "zh-CN"

export interface Look {
  readonly theme: Theme
  readonly locale: Locale
  readonly notify: boolean
}

const localeOf = (language: string): Locale => (language.toLowerCase().startsWith("zh") ? "zh-CN" : "en")

export const look = createStore<Look>(() => ({
  theme: kept<Theme>("theme", "system"),
  locale: kept<Locale>("locale", localeOf(navigator.language)),
  notify: kept("notify", false)
}))

const apply = ({ theme, locale }: Look): void => {
  const { documentElement: root } = document
  root.lang = locale
  if (theme === "system") delete root.dataset["theme"]
  else root.dataset["theme"] = theme
}

export const setLook = (change: Partial<Look>): void => {
  look.setState(change)
  for (const [name, value] of Object.entries(change)) keep(name, value)
}

export const beginLook = (): void => {
  apply(look.getState())
  look.subscribe(apply)
}
