/** The few shapes that every setting is made of. */
import { Schema } from "effect"

export type Filled<S extends { readonly Type: object }> = Required<S["Type"]>

export const key = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

export const int = (minimum: number, maximum: number, fallback: number, description: string) =>
  key(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ default: fallback }), description)

/** US dollars. */
export const dollars = (fallback: number, description: string) =>
  key(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({ default: fallback }),
    description
  )

export const text = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(4096))

export const url = text.check(
  Schema.isPattern(/^https?:\/\/[^\s/]+/i, { message: "Expected a URL that begins with http:// or https://" })
)

/** Stands in the first words to a model, so it is a name and nothing else. */
export const language = Schema.String.check(
  Schema.isPattern(/^[\p{L}\p{M}][\p{L}\p{M}\p{N} ()-]{0,39}$/u, { message: "Expected the name of a language" })
)
