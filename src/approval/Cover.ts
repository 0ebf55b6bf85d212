/**
 * What covers a call: the rule or the grant that lets it pass. Owns: how the parts of a line are covered one by one, and
 * what voids a grant. Pure. Does not own: the order in which this counts (Policy).
 * Invariants: a line is covered only where each of its commands is; a grant whose content changed covers nothing.
 */
import type { Grant, RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import type { ToolCall } from "../domain/Message.ts"
import { isPlain, onlyLooks } from "../domain/Looks.ts"
import type { Mode } from "./ApprovalGate.ts"
import { parseArguments } from "./arguments.ts"
import {
  canonicalText,
  digestOf,
  grantCovers,
  hasEffect,
  pathTouched,
  pathsCovered,
  pathsOf,
  ruleCovers,
  ruleMeets
} from "./matching.ts"
import type { Rule } from "./Rules.ts"

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

/** Words as one text, quoted where a shell needs it. */
export const commandLine = (argv: ReadonlyArray<string>): string => canonicalText(argv)

export const commandsOf = (assessment: RiskAssessment): ReadonlyArray<SimpleCommand> =>
  assessment.command?.commands ?? []

export const meets = (rule: Rule, { assessment, call, workspace }: Subject): boolean => {
  if (rule.tool !== "*" && rule.tool !== call.tool_name) return false
  const { matcher } = rule
  if (matcher.kind === "tool") return matcher.risk === undefined || matcher.risk === assessment.risk
  if (matcher.kind === "path") return pathTouched(matcher.glob, pathsOf(assessment), workspace)
  return commandsOf(assessment).some((command) => meetsCommand(rule, command)) || changesBeside(rule, assessment)
}

const meetsItself = ({ matcher }: Rule, command: SimpleCommand): boolean =>
  (matcher.kind === "command" && ruleMeets(matcher.argv, command)) ||
  (matcher.kind === "effect" && hasEffect(matcher.effect, command))

/** A rule on commands meets this one, or one of a script that it runs from a file. */
export const meetsCommand = (rule: Rule, command: SimpleCommand): boolean =>
  meetsItself(rule, command) || meetsWithin(rule, command) !== undefined

/** The command of such a script. */
export const meetsWithin = (rule: Rule, { within }: SimpleCommand): SimpleCommand | undefined =>
  within?.commands.find((one) => meetsItself(rule, one))

/** Without a command: a tool that changes files, or a redirect. What a tool of claw's own overwrites can be undone. */
const changesBeside = ({ matcher }: Rule, { command, risk }: RiskAssessment): boolean => {
  if (matcher.kind !== "effect" || matcher.effect === "network") return false
  if (matcher.effect === "deletes") return (command?.overwrites ?? []).length > 0
  return command === undefined ? risk !== "safe" : command.writes.length > 0
}

/** Whether a rule on paths denies a tool a path, or asks about it: for tools that come by more than they name. */
export const ruledPath = (rules: ReadonlyArray<Rule>, workspace: string) => {
  const strict = rules.flatMap(({ action, matcher, tool }) =>
    action !== "allow" && matcher.kind === "path" ? [{ tool, glob: matcher.glob }] : []
  )
  return (tool: string, path: string): boolean =>
    strict.some((rule) => (rule.tool === "*" || rule.tool === tool) && pathTouched(rule.glob, [path], workspace))
}

export interface Cover {
  readonly rule: string
  /** The rule itself, where it is one. */
  readonly by?: Rule
  readonly grant?: Grant
}

/** What tells two commands of a line apart. */
export const keyOf = ({ argv, code, content, fed, notPlain, patterns, unsettled }: SimpleCommand): string =>
  JSON.stringify([argv, patterns, fed, content, notPlain, unsettled, code?.texts])

/**
 * Digests that an exact grant of this one command would have, with the call's other arguments as they are. What does
 * more than look was granted without what is fed to it, and what a pattern was granted as is its own text alone.
 */
const partDigests = (command: SimpleCommand, { call }: Subject): ReadonlyArray<string> => {
  const args = parseArguments(call.arguments)
  if (args === null || typeof args !== "object" || !("command" in args)) return []
  if (!isPlain(command) || (command.fed === true && !command.readOnly)) return []
  const written = command.patterns === undefined ? [canonicalText(command.argv)] : []
  return [...written, command.text].map((text) => digestOf(call.tool_name, { ...args, command: text }))
}

/** For a grant of many calls: what was granted without files that say what runs is bound to none. */
export const sameContent = (grant: Grant, content: string | undefined): boolean =>
  grant.content === undefined || grant.content === content

const partGrant = (command: SimpleCommand, subject: Subject): Grant | undefined => {
  const exact = subject.grants.some(({ matcher }) => matcher.kind === "exact") ? partDigests(command, subject) : []
  return subject.grants.find(
    (grant) =>
      sameContent(grant, command.content) &&
      ((grant.matcher.kind === "command" && grantCovers(grant.matcher.argv, command)) ||
        (grant.matcher.kind === "reads" && onlyLooks(command)) ||
        (grant.matcher.kind === "exact" &&
          exact.includes(grant.matcher.digest) &&
          // A file that has come since counts as a change.
          grant.content === command.content))
  )
}

const isAsked = (command: SimpleCommand, { rules }: Subject): boolean =>
  rules.some((rule) => rule.action === "ask" && meetsCommand(rule, command))

/** `| tail -n 20` shows less of what the others of its line say, and does nothing else. */
export const onlyFilters = (command: SimpleCommand, subject: Subject): boolean =>
  command.filter === true && isPlain(command) && !isAsked(command, subject)

/** A rule or grant for one command of the line. */
export const partCover = (command: SimpleCommand, subject: Subject): Cover | undefined => {
  const rule = (isAsked(command, subject) ? [] : subject.rules).find(
    ({ action, matcher, tool }) =>
      action === "allow" &&
      (tool === "*" || tool === subject.call.tool_name) &&
      matcher.kind === "command" &&
      ruleCovers(matcher.argv, command)
  )
  if (rule !== undefined) return { rule: rule.name, by: rule }
  const grant = partGrant(command, subject)
  return grant === undefined ? undefined : { rule: "grant", grant }
}

/** Each command is covered or only filters, not all of them filter; the first grant that helped is named. */
const lineCover = (subject: Subject): Cover | undefined => {
  const plan = subject.assessment.command
  if (plan === undefined || plan.doubts.length > 0 || plan.commands.length === 0) return undefined
  const known = new Map<string, Cover | undefined>()
  let first: Cover | undefined
  for (const command of plan.commands) {
    const key = keyOf(command)
    if (!known.has(key)) known.set(key, partCover(command, subject))
    const cover = known.get(key)
    if (cover === undefined && onlyFilters(command, subject)) continue
    if (cover === undefined) return undefined
    first = first?.grant === undefined ? cover : first
  }
  return first
}

/** The digest of everything that the call would run from files; undefined: there is nothing of the kind. */
export const contentOf = (assessment: RiskAssessment): string | undefined => {
  const found = commandsOf(assessment).flatMap((command) => (command.content === undefined ? [] : [command.content]))
  return found.length === 0 ? undefined : [...new Set(found)].join("\n")
}

export const callGrant = ({ assessment, digest, grants, workspace }: Subject): Grant | undefined =>
  grants.find(
    ({ matcher, ...grant }) =>
      (matcher.kind === "exact" && matcher.digest === digest && grant.content === contentOf(assessment)) ||
      (matcher.kind === "path" && !assessment.opaque && pathsCovered(matcher.glob, assessment.paths, workspace))
  )

export const granted = (subject: Subject): Cover | undefined => {
  const { assessment, grants, workspace } = subject
  if (assessment.alwaysAsk === true || commandsOf(assessment).some((command) => command.unsettled.length > 0))
    return undefined
  const here = {
    ...subject,
    grants: grants.filter((grant) => grant.tool_name === subject.call.tool_name && grant.workspace === workspace)
  }
  const whole = callGrant(here)
  return whole === undefined ? lineCover(here) : { rule: "grant", grant: whole }
}
