/**
 * What a call may do, before a person is asked (R137, R138, DESIGN §6). Owns: the order of checks and the reason for each
 * answer. Pure: the same call, rules and grants give the same answer. Does not own: asking, storing (gate).
 * Invariants: deny beats every grant and mode; a shell line is allowed only where each of its commands is; a grant
 * never covers what asks every time.
 */
import type { GrantOption, RiskAssessment } from "../domain/Approval.ts"
import type { GrantId } from "../domain/Ids.ts"
import { lineOnlyLooks } from "../domain/Looks.ts"
import { argumentsRefusal } from "./arguments.ts"
import { namedInCode, unnamed } from "./codeDoubts.ts"
import { type Cover, granted, meets, type Subject } from "./Cover.ts"
import { grantOptions } from "./grantOptions.ts"
import { pathsCovered } from "./matching.ts"
import { type Action, builtin, type Rule } from "./Rules.ts"

export interface Judgement {
  readonly action: Action
  readonly rule: string
  readonly reason: string
  /** The stored grant that allows it (the first, where several cover the parts). */
  readonly grant_id?: GrantId
  /** What `allow_session` may cover; empty: only once. */
  readonly grant_options: ReadonlyArray<GrantOption>
}

const deny = (rule: string, reason: string): Judgement => ({ action: "deny", rule, reason, grant_options: [] })

/** What no mode and no grant lifts. */
const refusal = (subject: Subject): Judgement | undefined => {
  const { assessment, call, rules } = subject
  if (assessment.forbidden !== undefined) return deny("forbidden", assessment.forbidden)
  const text = argumentsRefusal(call.arguments)
  if (text !== undefined) return deny("ill-formed", text)
  if (assessment.command?.refused !== undefined)
    return deny("refused-command", `the command ${assessment.command.refused}`)
  const rule = rules.find((one) => one.action === "deny" && meets(one, subject))
  return rule === undefined ? undefined : deny(rule.name, `the rule ${rule.name} denies it`)
}

/** What a rule denies, or nobody is asked about, stands in code that the call evaluates: whether it runs, nobody can say. */
const doubt = (subject: Subject): Judgement | undefined => {
  const named = namedInCode(subject) ?? (subject.mode === "bypass" ? unnamed(subject) : undefined)
  if (named === undefined) return undefined
  const { reason, rule } = named
  return subject.mode === "never-ask" ? deny(rule, reason) : { action: "ask", rule, reason, grant_options: [] }
}

/** Looks and changes nothing, as far as can be known: what `plan` lets be asked about. */
const onlyReads = (assessment: RiskAssessment): boolean => {
  const plan = assessment.command
  return plan === undefined ? assessment.risk === "safe" && !assessment.opaque : lineOnlyLooks(plan)
}

/** A rule that lets the call pass without its parts being looked at: by tool or path. */
const allowRule = (subject: Subject): Rule | undefined =>
  [...subject.rules, ...builtin].find(({ action, matcher, tool }) => {
    if (action !== "allow" || (tool !== "*" && tool !== subject.call.tool_name)) return false
    if (matcher.kind === "tool") {
      const risk = matcher.risk === undefined || matcher.risk === subject.assessment.risk
      return risk && ((!subject.assessment.opaque && subject.assessment.command === undefined) || tool !== "*")
    }
    return (
      matcher.kind === "path" &&
      !subject.assessment.opaque &&
      pathsCovered(matcher.glob, subject.assessment.paths, subject.workspace)
    )
  })

const isEdit = ({ assessment, workspace }: Subject): boolean =>
  assessment.risk === "mutating" && !assessment.opaque && pathsCovered("**", assessment.paths, workspace)

/** What a shell takes for the name that it spells. */
const isLiteral = (target: string): boolean => /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(target)

const PRINTS: ReadonlySet<string> = new Set(["cat", "echo", "printf"])

/** `cat > notes.md <<'EOF'`: it writes what stands in the line into new files, or behind what others hold, as the file tools do. */
const writesText = ({ assessment, workspace }: Subject): boolean => {
  const plan = assessment.command
  const [only, ...more] = plan?.commands ?? []
  if (plan === undefined || only === undefined || plan.overwrites !== undefined) return false
  if (more.length + plan.doubts.length + plan.reads.length > 0 || !plan.writes.every(isLiteral)) return false
  const writes = new Set(plan.writes.map((target) => `writes ${target}`))
  return (
    PRINTS.has(only.argv[0] ?? "") &&
    only.readOnly &&
    only.paths.length + only.unsettled.length === 0 &&
    only.notPlain.length > 0 &&
    only.notPlain.every((why) => writes.has(why)) &&
    pathsCovered("**", assessment.paths, workspace)
  )
}

const whyAsked = ({ assessment }: Subject): string => {
  const plan = assessment.command
  if (plan === undefined) return assessment.reason
  const why = [...plan.doubts, ...plan.commands.flatMap(({ notPlain, unsettled }) => [...unsettled, ...notPlain])]
  const shown = [...new Set(why)].slice(0, 5)
  const more = shown.filter((one) => one !== assessment.reason)
  return more.length === 0 ? assessment.reason : `${assessment.reason} (${more.join("; ")})`
}

const ask = (rule: string, subject: Subject): Judgement =>
  subject.mode === "never-ask"
    ? deny("mode: never-ask", `it would need an approval: ${whyAsked(subject)}`)
    : { action: "ask", rule, reason: whyAsked(subject), grant_options: grantOptions(subject) }

const allow = (reason: string, { rule, grant }: Cover): Judgement => ({
  action: "allow",
  reason,
  grant_options: [],
  rule,
  ...(grant === undefined ? {} : { grant_id: grant.grant_id })
})

/** The one decision: allow, deny, or ask a person. */
export const decide = (subject: Subject): Judgement => {
  const { assessment, mode, rules } = subject
  const refused = refusal(subject)
  if (refused !== undefined) return refused
  if (mode === "plan" && assessment.newPlan !== true && !onlyReads(assessment))
    return deny("mode: plan", "plan mode changes nothing; write_plan writes a plan")
  const doubted = doubt(subject)
  if (doubted !== undefined) return doubted
  if (mode === "bypass") return allow("bypass mode allows what is not denied", { rule: "mode: bypass" })
  const cover = granted(subject)
  if (cover?.grant !== undefined) return allow("an earlier approval covers it", cover)
  const asking = rules.find((rule) => rule.action === "ask" && meets(rule, subject))
  if (asking !== undefined) return ask(asking.name, subject)
  if (assessment.alwaysAsk === true) return ask("always-ask", subject)
  if (cover !== undefined) return allow(`the rule ${cover.rule} allows it`, cover)
  if (mode === "plan" && assessment.newPlan === true) return allow("it makes a new plan file", { rule: "mode: plan" })
  const rule = allowRule(subject)
  if (rule !== undefined) return allow(`the rule ${rule.name} allows it`, { rule: rule.name })
  if (mode === "accept-edits" && (isEdit(subject) || writesText(subject)))
    return allow("file edits are accepted", { rule: "mode: accept-edits" })
  return ask(builtin.find((one) => one.action === "ask" && meets(one, subject))?.name ?? "default", subject)
}
