/** By what a grant or a rule recognises a call. Owns: the shape. Decides nothing. */
import { Schema } from "effect"

/** How a stored grant recognises a later call. Paths and globs are relative to the workspace, with `/`. */
export const Matcher = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("exact"), digest: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("command"), argv: Schema.NonEmptyArray(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal("path"), glob: Schema.String })
])
export type Matcher = typeof Matcher.Type
