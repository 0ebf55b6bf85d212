/**
 * What a call may do, before a person is asked (R137, R138, DESIGN §6). Owns: the order of checks and the reason for each
 * answer. Pure: the same call, rules and grants give the same answer. Does not own: asking, storing (gate).
 * Invariants: deny beats every grant and mode; a shell line is allowed only where each of its commands is; a grant
 * never covers what asks every time.
 */
import type { Grant, GrantOption, RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import type { GrantId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { Mode } from "./ApprovalGate.ts"
import { argumentsRefusal, parseArguments } from "./arguments.ts"
import { grantOptions } from "./grantOptions.ts"
import {
  canonicalText,
  digestOf,
  grantCovers,
  isPlain,
  pathTouched,
  pathsCovered,
  pathsOf,
  ruleCovers,
  ruleMeets
} from "./matching.ts"
import { type Action, builtin, type Rule } from "./Rules.ts"

export interface Subject {
  readonly call: ToolCall
  readonly digest: string
  readonly assessment: RiskAssessment
  readonly mode: Mode
  /** The user's and operator's rules; the built-in ones come after them. */
  readonly rules: ReadonlyArray<Rule>
  /** In force now, of this session. */
  readonly grants: ReadonlyArray<Grant>
  readonly workspace: string
}

export interface Judgement {
  readonly action: Action
  readonly rule: string
  readonly reason: string
  /** The stored grant that allows it (the first, where several cover the parts). */
  readonly grant_id?: GrantId
  /** What `allow_session` may cover; empty: only once. */
  readonly grant_options: ReadonlyArray<GrantOption>
}

const commandsOf = (assessment: RiskAssessment): ReadonlyArray<SimpleCommand> => assessment.command?.commands ?? []

const meets = (rule: Rule, { assessment, call, workspace }: Subject): boolean => {
  if (rule.tool !== "*" && rule.tool !== call.tool_name) return false
  const { matcher } = rule
  if (matcher.kind === "tool") return matcher.risk === undefined || matcher.risk === assessment.risk
  if (matcher.kind === "path") return pathTouched(matcher.glob, pathsOf(assessment), workspace)
  return commandsOf(assessment).some((command) => ruleMeets(matcher.argv, command))
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

/** Looks and changes nothing, as far as can be known: what `plan` lets be asked about. */
const onlyReads = (assessment: RiskAssessment): boolean => {
  const plan = assessment.command
  if (plan === undefined) return assessment.risk === "safe" && !assessment.opaque
  return (
    plan.doubts.length === 0 &&
    plan.writes.length === 0 &&
    plan.commands.length > 0 &&
    plan.commands.every((c) => c.readOnly && isPlain(c))
  )
}

interface Cover {
  readonly rule: string
  readonly grant_id?: GrantId
}

/** Digests that an exact grant of this one command would have, with the call's other arguments as they are. */
const partDigests = (command: SimpleCommand, { call }: Subject): ReadonlyArray<string> => {
  const args = parseArguments(call.arguments)
  if (args === null || typeof args !== "object" || !("command" in args) || !isPlain(command)) return []
  return [canonicalText(command.argv), command.text].map((text) => digestOf(call.tool_name, { ...args, command: text }))
}

const sameContent = (grant: Grant, content: string | undefined): boolean =>
  grant.content === undefined || grant.content === content

const partGrant = (command: SimpleCommand, subject: Subject): Grant | undefined => {
  const exact = subject.grants.some(({ matcher }) => matcher.kind === "exact") ? partDigests(command, subject) : []
  return subject.grants.find(
    (grant) =>
      sameContent(grant, command.content) &&
      ((grant.matcher.kind === "command" && grantCovers(grant.matcher.argv, command)) ||
        (grant.matcher.kind === "exact" && exact.includes(grant.matcher.digest)))
  )
}

/** A rule or grant for one command of the line. */
const partCover = (command: SimpleCommand, subject: Subject): Cover | undefined => {
  const asks = subject.rules.some(
    ({ action, matcher }) => action === "ask" && matcher.kind === "command" && ruleMeets(matcher.argv, command)
  )
  const rule = (asks ? [] : subject.rules).find(
    ({ action, matcher, tool }) =>
      action === "allow" &&
      (tool === "*" || tool === subject.call.tool_name) &&
      matcher.kind === "command" &&
      ruleCovers(matcher.argv, command)
  )
  if (rule !== undefined) return { rule: rule.name }
  const grant = partGrant(command, subject)
  return grant === undefined ? undefined : { rule: "grant", grant_id: grant.grant_id }
}

/** Each command is covered; the first grant that helped is named. */
const lineCover = (subject: Subject): Cover | undefined => {
  const plan = subject.assessment.command
  if (plan === undefined || plan.doubts.length > 0 || plan.commands.length === 0) return undefined
  const known = new Map<string, Cover | undefined>()
  let first: Cover | undefined
  for (const command of plan.commands) {
    const key = JSON.stringify([command.argv, command.notPlain])
    if (!known.has(key)) known.set(key, partCover(command, subject))
    const cover = known.get(key)
    if (cover === undefined) return undefined
    first = first?.grant_id === undefined ? cover : first
  }
  return first
}

/** The digest of everything that the call would run from files; undefined: there is nothing of the kind. */
export const contentOf = (assessment: RiskAssessment): string | undefined => {
  const found = commandsOf(assessment).flatMap((command) => (command.content === undefined ? [] : [command.content]))
  return found.length === 0 ? undefined : [...new Set(found)].join("\n")
}

const callGrant = ({ assessment, digest, grants, workspace }: Subject): Grant | undefined =>
  grants.find(
    ({ matcher, ...grant }) =>
      (matcher.kind === "exact" &&
        matcher.digest === digest &&
        (grant.content === undefined || grant.content === contentOf(assessment))) ||
      (matcher.kind === "path" && !assessment.opaque && pathsCovered(matcher.glob, assessment.paths, workspace))
  )

const granted = (subject: Subject): Cover | undefined => {
  const { assessment, grants, workspace } = subject
  if (assessment.alwaysAsk === true || commandsOf(assessment).some((command) => command.unsettled.length > 0))
    return undefined
  const here = {
    ...subject,
    grants: grants.filter((grant) => grant.tool_name === subject.call.tool_name && grant.workspace === workspace)
  }
  const whole = callGrant(here)
  return whole === undefined ? lineCover(here) : { rule: "grant", grant_id: whole.grant_id }
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

const allow = (reason: string, cover: Cover): Judgement => ({ action: "allow", reason, grant_options: [], ...cover })

/** The one decision: allow, deny, or ask a person. */
export const decide = (subject: Subject): Judgement => {
  const { assessment, mode, rules } = subject
  const refused = refusal(subject)
  if (refused !== undefined) return refused
  if (mode === "plan" && !onlyReads(assessment)) return deny("mode: plan", "plan mode changes nothing")
  if (mode === "bypass") return allow("bypass mode allows what is not denied", { rule: "mode: bypass" })
  const cover = granted(subject)
  if (cover?.grant_id !== undefined) return allow("an earlier approval covers it", cover)
  const asking = rules.find((rule) => rule.action === "ask" && meets(rule, subject))
  if (asking !== undefined) return ask(asking.name, subject)
  if (assessment.alwaysAsk === true) return ask("always-ask", subject)
  if (cover !== undefined) return allow(`the rule ${cover.rule} allows it`, cover)
  const rule = allowRule(subject)
  if (rule !== undefined) return allow(`the rule ${rule.name} allows it`, { rule: rule.name })
  if (mode === "accept-edits" && isEdit(subject))
    return allow("file edits are accepted", { rule: "mode: accept-edits" })
  return ask(builtin.find((one) => one.action === "ask" && meets(one, subject))?.name ?? "default", subject)
}
