/** The sentences of the language that was chosen. Invariant: English is always there; another one is loaded where it is wanted. */
import { useStore } from "zustand"
import { type Locale, look } from "../state/look.ts"
import { en } from "./en.ts"
import type { Words } from "./Words.ts"

const tables: Partial<Record<Locale, Words>> = { en }

/** Before its first sentence is shown. */
export const loadWords = async (locale: Locale): Promise<void> => {
  if (locale === "zh-CN") tables["zh-CN"] = (await import("./zhCN.ts")).zhCN
}

export const useLocale = () => useStore(look, ({ locale }) => locale)
export const useWords = (): Words => tables[useLocale()] ?? en
/** Outside of what is drawn. */
export const wordsNow = (): Words => tables[look.getState().locale] ?? en
