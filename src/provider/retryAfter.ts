/**
 * What a server asks us to wait, in all the forms servers use (R110, LESSONS 10, SETTLED 19). Owns: reading the two
 * headers. Does not own: whether to retry (Retry.ts). Pure: the clock is an argument.
 * Invariant: the answer is a whole number of milliseconds from 0 to a day, or undefined where the server said nothing
 * that can be used; a date in the past is 0. How much of it is honoured is Retry.ts's.
 */
/** A wait beyond a day is a mistake, not a wish. */
const ABSURD_MS = 86_400_000

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, sec: 1000, m: 60_000, min: 60_000, h: 3_600_000 }
const ONE = /(\d+(?:\.\d+)?)\s*(ms|sec|s|min|m|h)/g
const WITH_UNITS = /^(?:\d+(?:\.\d+)?\s*(?:ms|sec|s|min|m|h)\s*)+$/
const NUMBER = /^\d+(?:\.\d+)?$/
/** The three forms of an HTTP date, and ISO 8601. V8 finds a date in almost any text, so the shape is checked first. */
const HTTP_DATE =
  /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,\s*\d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} (?:gmt|utc)$/i
const ASCTIME = /^(?:mon|tue|wed|thu|fri|sat|sun) [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/

const usable = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms >= 0 && ms <= ABSURD_MS ? Math.ceil(ms) : undefined

const units = (text: string): number | undefined => {
  if (!WITH_UNITS.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(ONE)) total += Number(amount) * (UNIT_MS[unit ?? ""] ?? Number.NaN)
  return total
}

const date = (text: string): number | undefined => {
  if (HTTP_DATE.test(text) || ISO.test(text)) return Date.parse(text)
  return ASCTIME.test(text) ? Date.parse(`${text} GMT`) : undefined
}

const read = (value: string | null | undefined, unit_ms: number, now_ms: number): number | undefined => {
  const text = value?.trim() ?? ""
  if (NUMBER.test(text)) return usable(Number(text) * unit_ms)
  const duration = units(text.toLowerCase())
  if (duration !== undefined) return usable(duration)
  const at = date(text)
  return at === undefined ? undefined : usable(Math.max(0, at - now_ms))
}

const IN_WORDS = /(?:try|retry)(?: again)? (?:in|after) ((?:\d+(?:\.\d+)?\s*(?:ms|s|m|h)(?![a-z])\s*)+)/i

/** What a sentence asks, where no header did: `Please try again in 1m2.5s.` */
export const retryAfterIn = (sentence: string): number | undefined => {
  const [, amount] = IN_WORDS.exec(sentence.slice(0, 2000)) ?? []
  return amount === undefined ? undefined : read(amount, 1000, 0)
}

/** `retry-after-ms` wins over `retry-after`; header names in any case are the caller's business. */
export const retryAfterMs = (header: (name: string) => string | null | undefined, now_ms: number): number | undefined =>
  read(header("retry-after-ms"), 1, now_ms) ?? read(header("retry-after"), 1000, now_ms)
