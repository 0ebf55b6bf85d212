/**
 * The token counts a server reports, made usable. Owns: where servers put them, clamping, and a guess in the place of what
 * is missing or impossible, so that a budget holds all the same.
 * Invariant: every count is a whole number from 0 to `MOST`; parts never exceed their whole; `estimated` says that a
 * figure of the server's was missing or impossible (RELIABILITY 3.6).
 */
import type { Usage } from "../../domain/Usage.ts"

/** No call counts more tokens than this; a larger figure is a mistake that would drain a budget at once. */
const MOST = 100_000_000

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields | undefined =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : undefined

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= MOST ? Math.floor(value) : undefined

const clamp = (value: unknown): number => count(value) ?? (typeof value === "number" && value > MOST ? MOST : 0)

/** Tokens of so many bytes of text, in whatever language: three or four bytes each. */
export const guess = (bytes: number): number => Math.ceil(bytes / 4)

export interface Guess {
  readonly input_tokens: number
  readonly output_tokens: number
}

const part = (value: unknown, whole: number): number | undefined => {
  const found = count(value)
  return found === undefined ? undefined : Math.min(found, whole)
}

/** `undefined` where there is nothing to read at all. `guessed`: what stands for a figure that cannot be. */
export const usageOf = (value: unknown, guessed?: Guess): Usage | undefined => {
  const found = fields(value)
  if (found === undefined) return undefined
  const prompt = found.prompt_tokens ?? found.input_tokens
  const completion = found.completion_tokens ?? found.output_tokens
  if (prompt === undefined && completion === undefined) return undefined
  // A prompt is never empty, and an answer that has something took something: there 0 is a figure nobody counted.
  const promptCount = count(prompt) || undefined
  const completionCount = count(completion) || ((guessed?.output_tokens ?? 0) > 0 ? undefined : count(completion))
  const input_tokens = promptCount ?? guessed?.input_tokens ?? clamp(prompt)
  const output_tokens = completionCount ?? guessed?.output_tokens ?? clamp(completion)
  const inDetail = fields(found.prompt_tokens_details ?? found.input_tokens_details)
  const outDetail = fields(found.completion_tokens_details ?? found.output_tokens_details)
  const cached = part(inDetail?.cached_tokens ?? found.prompt_cache_hit_tokens, input_tokens)
  const reasoning = part(outDetail?.reasoning_tokens, output_tokens)
  const estimated = promptCount === undefined || completionCount === undefined
  return {
    input_tokens,
    output_tokens,
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(estimated ? { estimated: true } : {})
  }
}
