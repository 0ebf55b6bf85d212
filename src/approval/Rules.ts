/**
 * Policy rules as data. Owns: their shape and the built-in ones. Does not own: how they are weighed (Policy).
 * Invariant: the strictest matching rule wins; that one names more than another changes nothing (SECURITY P1).
 */
import { Schema } from "effect"
import { Risk } from "../domain/Approval.ts"
import { Consequence, Matcher } from "../domain/Matcher.ts"

export const Action = Schema.Literals(["allow", "ask", "deny"])
export type Action = typeof Action.Type

/** `effect`: whatever does that; `command`: argv prefix on whole words; `path`: glob relative to the workspace; `tool`: every call of the tool. */
export const RuleMatcher = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("tool"), risk: Schema.optionalKey(Risk) }),
  Schema.Struct({ kind: Schema.Literal("effect"), effect: Consequence }),
  Matcher.members[1],
  Matcher.members[2]
])
export type RuleMatcher = typeof RuleMatcher.Type

export const Rule = Schema.Struct({
  /** Shown to the person and kept in the audit record. */
  name: Schema.NonEmptyString,
  /** A tool's name, or `*`. */
  tool: Schema.NonEmptyString,
  matcher: RuleMatcher,
  action: Action
})
export type Rule = typeof Rule.Type

const tool = (name: string, risk: Risk, action: Action): Rule => ({
  name,
  tool: "*",
  matcher: { kind: "tool", risk },
  action
})

/** Reads inside the workspace pass, whatever changes something asks, and so does every command (R140, R141, R142). */
export const builtin: ReadonlyArray<Rule> = [
  tool("safe-read", "safe", "allow"),
  { ...tool("command", "safe", "ask"), tool: "bash" },
  tool("change", "mutating", "ask"),
  tool("far-reaching", "dangerous", "ask")
]
