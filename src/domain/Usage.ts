/** Token and money counts of model calls. Units: tokens; `cost_usd` in US dollars. Never negative, never shrinking. */
import { Schema } from "effect"

const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

export const Usage = Schema.Struct({
  /** Prompt tokens, cached ones included. */
  input_tokens: Count,
  /** Completion tokens, reasoning ones included. */
  output_tokens: Count,
  /** The part of `input_tokens` that the provider served from its prompt cache. */
  cached_tokens: Schema.optionalKey(Count),
  reasoning_tokens: Schema.optionalKey(Count),
  /** Absent: the price of the model is unknown (never zero for unknown). */
  cost_usd: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** True where some of these tokens have no known price: it was `cost_usd` at least. */
  cost_partial: Schema.optionalKey(Schema.Boolean),
  /** True where the provider gave no usable figures and these are ours. */
  estimated: Schema.optionalKey(Schema.Boolean)
})
export type Usage = typeof Usage.Type

export const none: Usage = { input_tokens: 0, output_tokens: 0 }

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

/** Whether tokens were counted whose cost is not known. */
const lacksCost = (usage: Usage): boolean =>
  usage.cost_partial === true || (usage.cost_usd === undefined && (usage.input_tokens > 0 || usage.output_tokens > 0))

/** Adds two counts. The cost of a sum is known where at least one part's is, and says so where it is not all. */
export const add = (a: Usage, b: Usage): Usage => {
  const cached = sum(a.cached_tokens, b.cached_tokens)
  const reasoning = sum(a.reasoning_tokens, b.reasoning_tokens)
  const cost = sum(a.cost_usd, b.cost_usd)
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    ...(cost !== undefined && (lacksCost(a) || lacksCost(b)) ? { cost_partial: true } : {}),
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {})
  }
}
