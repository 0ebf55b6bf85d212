/**
 * A rule against its own examples (R138). Owns: what "match" means for each kind and action. Pure but for the analysis
 * that it is handed. Invariant: an allowing rule matches only what it would let pass by itself, a denying or asking one
 * whatever it would stop: the same judgement as at the gate.
 */
import type { CommandPlan, RiskAssessment } from "../domain/Approval.ts"
import type { CallId } from "../domain/Ids.ts"
import { meets, type Subject } from "./Cover.ts"
import { decide } from "./Policy.ts"
import type { Rule } from "./Rules.ts"

export interface Examples {
  readonly match?: ReadonlyArray<string>
  readonly no_match?: ReadonlyArray<string>
}

export interface ExampleContext {
  readonly plan: (line: string) => CommandPlan
  readonly workspace: string
}

const assessmentOf = (rule: Rule, example: string, { plan, workspace }: ExampleContext): RiskAssessment => {
  const plain = { risk: "mutating", reason: "an example" } as const
  if (rule.matcher.kind === "command" || rule.matcher.kind === "effect")
    return { ...plain, paths: [], opaque: true, command: plan(example) }
  const path = example.startsWith("/") ? example : `${workspace}/${example}`
  return { ...plain, paths: rule.matcher.kind === "path" ? [path] : [], opaque: false }
}

const toolOf = (rule: Rule, example: string): string => {
  if (rule.matcher.kind === "tool") return example
  return rule.tool === "*" ? "bash" : rule.tool
}

const matches = (rule: Rule, example: string, context: ExampleContext): boolean => {
  const subject: Subject = {
    call: { call_id: "call_example" as CallId, tool_name: toolOf(rule, example), arguments: "{}" },
    digest: "",
    assessment: assessmentOf(rule, example, context),
    mode: "ask",
    rules: [rule],
    grants: [],
    workspace: context.workspace
  }
  if (rule.action !== "allow") return meets(rule, subject)
  const { action, rule: by } = decide(subject)
  return action === "allow" && by === rule.name
}

/** What the first example that fails asks of the rule; undefined: all hold. */
export const failing = (rule: Rule, { match = [], no_match = [] }: Examples, context: ExampleContext) => {
  const missed = match.find((example) => !matches(rule, example, context))
  if (missed !== undefined) return `match ${JSON.stringify(missed)} and does not`
  const met = no_match.find((example) => matches(rule, example, context))
  return met === undefined ? undefined : `not match ${JSON.stringify(met)} and does`
}
