/**
 * A decision taken apart for a person: each simple command of a line, what covers it, what made it ask. Owns: the shape,
 * which a question carries to whoever is asked. Decides nothing, and nothing reads it to decide.
 */
import { Schema } from "effect"
import { Matcher } from "./Matcher.ts"

/**
 * `covered`: a rule or a grant lets it pass. `uncovered`: it is plain, and nothing covers it. `asks`: something about it
 * asks, whatever is granted for its words. `denied`: a rule or claw itself refuses it.
 */
export const PartState = Schema.Literals(["covered", "uncovered", "asks", "denied"])
export type PartState = typeof PartState.Type

export const ExplainedPart = Schema.Struct({
  /** As its program would get them; a word that is not literal as it was written. */
  words: Schema.Array(Schema.String),
  state: PartState,
  /** Its number in the line, from 1; absent: its place in this list. */
  at: Schema.optionalKey(Schema.Int),
  /** Name of the rule, or id of the grant, that covers it, asks about it or denies it. */
  by: Schema.optionalKey(Schema.String),
  /** What that rule or grant recognises it by. */
  matcher: Schema.optionalKey(Matcher),
  /** Sentence parts: "runs a command inside a word". */
  why: Schema.Array(Schema.String)
})
export type ExplainedPart = typeof ExplainedPart.Type

export const Explanation = Schema.Struct({
  action: Schema.Literals(["allow", "ask", "deny"]),
  rule: Schema.String,
  reason: Schema.String,
  parts: Schema.Array(ExplainedPart),
  /** What of the whole line made it ask. */
  line: Schema.Array(Schema.String),
  /** Parts that are not listed; those that do not pass are listed first. */
  more: Schema.optionalKey(Schema.Int),
  /** Why nothing, or nothing wider than this very call, can be granted. */
  narrow: Schema.optionalKey(Schema.String)
})
export type Explanation = typeof Explanation.Type
