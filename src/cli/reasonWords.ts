/**
 * Why a call is asked about, in the person's language. Pure. Owns: the form `first (more; more)` in which policy puts
 * several reasons. Invariant: a sentence is of one language: where a part is not known all of it stays as it came.
 */
import { isKnownReason, reasonText } from "../domain/ReasonTexts.ts"
import type { Locale } from "./Commands.ts"

const SEVERAL = /^(.+?) \((.+)\)$/s

export const reasonWords = (reason: string, locale: Locale): string => {
  if (locale === "en" || isKnownReason(reason)) return reasonText(reason, locale)
  const [, first = "", more = ""] = SEVERAL.exec(reason) ?? []
  const parts = [first, ...more.split("; ")]
  if (first === "" || !parts.every(isKnownReason)) return reason
  const [own = "", ...rest] = parts.map((part) => reasonText(part, locale))
  return `${own}（${rest.join("；")}）`
}
