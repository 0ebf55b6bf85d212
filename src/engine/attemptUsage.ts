/**
 * What one attempt at a model used, where its server did not say or nobody heard it to the end (R117). Pure. Owns: the
 * estimates, which are marked as such. Does not own: whether it is told (metering). Invariant: of an attempt that failed
 * nothing counts of which nothing came, as far as anybody knows.
 */
import { Cause, type Exit } from "effect"
import { answerTokens, estimated } from "../context/Tokens.ts"
import type * as Usage from "../domain/Usage.ts"
import type { Completed } from "../provider/ModelPart.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import type { ShownAnswer } from "./parts.ts"

/** Tokens of the question; estimated when somebody needs it. */
type Input = () => number

export const guessed = (input: Input, output_tokens: number): Usage.Usage => ({
  input_tokens: input(),
  output_tokens,
  estimated: true
})

/** Limits or not. */
export const failedUsage = (
  input: Input,
  exit: Exit.Failure<Completed, unknown>,
  shown: ShownAnswer
): Usage.Usage | undefined => {
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (error instanceof ProviderError && error.usage !== undefined) return error.usage
  return shown.any() ? guessed(input, estimated.count(shown.content()) + estimated.count(shown.reasoning())) : undefined
}

/** The answer of a server that counted nothing. */
export const withCount = (input: Input, completed: Completed): Completed =>
  completed.usage === undefined
    ? { ...completed, usage: guessed(input, answerTokens(estimated, completed.message)) }
    : completed
