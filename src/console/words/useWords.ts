/** The sentences of the language that was chosen. */
import { useStore } from "zustand"
import { look } from "../state/look.ts"
import { en } from "./en.ts"
import type { Words } from "./Words.ts"
import { zhCN } from "./zhCN.ts"

const tables = { en, "zh-CN": zhCN } satisfies Record<string, Words>

export const useLocale = () => useStore(look, ({ locale }) => locale)
export const useWords = (): Words => tables[useLocale()]
/** Outside of what is drawn. */
export const wordsNow = (): Words => tables[look.getState().locale]
