/** Which of our two languages a client asked for: by quality (RFC 9110), the first of equals. */
import type { WireLocale } from "../protocol/WireError.ts"

export const localeOf = (header: string | undefined, fallback: WireLocale): WireLocale => {
  const ranked = (header ?? "").split(",").flatMap((part) => {
    const [tag = "", ...parameters] = part.trim().toLowerCase().split(";")
    const given = parameters.map((one) => /^\s*q=([0-9.]+)\s*$/.exec(one)?.[1]).find((q) => q !== undefined)
    const quality = given === undefined ? 1 : Number(given)
    const locale: WireLocale | undefined = /^zh\b/.test(tag) ? "zh-CN" : /^en\b/.test(tag) ? "en" : undefined
    return locale === undefined || !(quality > 0) ? [] : [{ locale, quality }]
  })
  return ranked.toSorted((a, b) => b.quality - a.quality)[0]?.locale ?? fallback
}
