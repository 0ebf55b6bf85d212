/** By what a grant or a rule recognises a call. Owns: the shape. Decides nothing. */
import { Schema } from "effect"

/** How a stored grant recognises a later call. Paths and globs are relative to the workspace, with `/`. */
export const Matcher = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("exact"), digest: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("command"), argv: Schema.NonEmptyArray(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal("path"), glob: Schema.String }),
  /** Every command that looks at the workspace and changes nothing. */
  Schema.Struct({ kind: Schema.Literal("reads") })
])
export type Matcher = typeof Matcher.Type
