/**
 * What a person knows of models better than the built-in catalogue (`models` in a configuration file). Owns: the shape.
 * Does not own: the catalogue, and which row counts (provider/Catalogue.ts).
 * Invariants: a price is whole, input and output, or not there, since half a price would be a wrong cost; a name is one
 * that a server could have, and never one of JavaScript's own.
 */
import { Schema } from "effect"
import { key } from "./schemaParts.ts"

const usd = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
const tokens = (description: string) =>
  key(Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 100_000_000 })), description)

export const ModelPrices = Schema.Struct({
  input: usd.annotate({ description: "US$ for a million input tokens." }),
  cached_input: key(usd, "US$ for a million input tokens that came from the server's cache; absent: as input."),
  output: usd.annotate({ description: "US$ for a million output tokens, reasoning included." })
})

export type ModelPrices = typeof ModelPrices.Type

export const ModelSetting = Schema.Struct({
  context_window_tokens: tokens("Tokens that the model can take, prompt and answer together."),
  output_tokens: tokens("Tokens that one answer can have."),
  prices: key(ModelPrices, "What it costs; absent: what the catalogue says, else unknown."),
  tools: key(Schema.Boolean, "It can call tools."),
  images: key(Schema.Boolean, "It can look at images."),
  reasoning: key(Schema.Boolean, "It reasons before it answers.")
})
export type ModelSetting = typeof ModelSetting.Type

/** `*` at the end: every model whose name begins so. */
const name = Schema.String.check(
  Schema.isPattern(/^(?!constructor$|prototype$)[A-Za-z0-9][\w./:@+-]{0,199}\*?$/, {
    message: "Expected the name of a model, perhaps with * at its end"
  })
)

export const Models = Schema.Record(name, ModelSetting)
export type Models = typeof Models.Type
