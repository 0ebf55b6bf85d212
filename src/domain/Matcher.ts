/** By what a grant or a rule recognises a call. Owns: the shape. Decides nothing. */
import { Schema } from "effect"

/**
 * What a command does, as far as tables of programs know: `changes` all but what is known to only look; `deletes` what takes
 * something away for good, or empties, overwrites, packs away or changes in place a file that is there; `network` what is for
 * reaching other machines.
 */
export const Consequence = Schema.Literals(["changes", "deletes", "network"])
export type Consequence = typeof Consequence.Type

/** How a stored grant recognises a later call. Paths and globs are relative to the workspace, with `/`. */
export const Matcher = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("exact"), digest: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("command"), argv: Schema.NonEmptyArray(Schema.String) }),
  Schema.Struct({ kind: Schema.Literal("path"), glob: Schema.String }),
  /** Every command that looks at the workspace and changes nothing. */
  Schema.Struct({ kind: Schema.Literal("reads") })
])
export type Matcher = typeof Matcher.Type
