/**
 * The verdict that explains itself (R139, SECURITY §2): of each simple command its words, which rule or grant covers it
 * and what made it ask; of the line what asks as a whole; and why no wider grant is offered. Pure.
 * Owns: the explanation. Does not own: the decision (Policy), whose facts it only names, nor its words on a screen.
 * Invariant: what is left out for its size is counted, and parts that do not pass come before those that do.
 */
import type { Grant, RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import type { ExplainedPart, Explanation } from "../domain/Explanation.ts"
import { isPlain } from "../domain/Looks.ts"
import { namedBy } from "./codeDoubts.ts"
import {
  commandsOf,
  contentOf,
  keyOf,
  meetsCommand,
  meetsWithin,
  onlyFilters,
  partCover,
  sameContent,
  type Subject
} from "./Cover.ts"
import { noPrefix, pathsOf, pathTouched, relativeTo } from "./matching.ts"
import type { Judgement } from "./Policy.ts"
import type { Rule } from "./Rules.ts"

/** What a question carries; a person at `claw policy explain` gets all. */
export const QUESTION_PARTS = 40
/** UTF-16 units of one word, and of the words of one part. */
const MAX_WORD = 400
const MAX_WORDS = 40

const shorten = (word: string): string => (word.length > MAX_WORD ? `${word.slice(0, MAX_WORD).toWellFormed()}…` : word)

const wordsOf = ({ argv }: SimpleCommand): ReadonlyArray<string> => {
  const some = argv.slice(0, MAX_WORDS).map(shorten)
  return argv.length > MAX_WORDS ? [...some, `… ${argv.length - MAX_WORDS} more`] : some
}

const matcherOf = (rule: Rule): Pick<ExplainedPart, "matcher"> =>
  rule.matcher.kind === "tool" || rule.matcher.kind === "effect" ? {} : { matcher: rule.matcher }

const meeting = (command: SimpleCommand, { call, rules }: Subject, action: Rule["action"]): Rule | undefined =>
  rules.find(
    (rule) =>
      rule.action === action && (rule.tool === "*" || rule.tool === call.tool_name) && meetsCommand(rule, command)
  )

const startsWith = (argv: ReadonlyArray<string>, prefix: ReadonlyArray<string>): boolean =>
  prefix.every((word, at) => argv[at] === word)

/** Its end: what `claw grants` and `/revoke` take for the whole. */
const SHORT = 8
const short = (id: string): string => id.slice(-SHORT)

/** Grants that look as if they covered the command, and why they do not. */
const voided = (command: SimpleCommand, { grants, workspace }: Subject): ReadonlyArray<string> =>
  grants.flatMap((grant: Grant) => {
    const { matcher } = grant
    if (grant.tool_name !== "bash" || grant.workspace !== workspace || matcher.kind !== "command") return []
    if (!startsWith(command.argv, matcher.argv) || !isPlain(command)) return []
    const never = noPrefix(command)
    if (never !== undefined) return [`the grant ${short(grant.grant_id)} of its first words is ignored: ${never}`]
    return sameContent(grant, command.content)
      ? []
      : [`what it runs has changed since the grant ${short(grant.grant_id)} was given`]
  })

/** What no word of it says: a command of a script that it runs, or what it takes away. */
const deniedFor = (rule: Rule, command: SimpleCommand): ReadonlyArray<string> => {
  const inner = meetsWithin(rule, command)
  if (inner !== undefined) return [`runs ${inner.text}`]
  const deletes = rule.matcher.kind === "effect" && rule.matcher.effect === "deletes" ? command.deletes : undefined
  return deletes === undefined ? [] : [deletes]
}

const partOf = (command: SimpleCommand, subject: Subject): ExplainedPart => {
  const words = wordsOf(command)
  const denying = meeting(command, subject, "deny")
  if (denying !== undefined)
    return { words, state: "denied", by: denying.name, ...matcherOf(denying), why: deniedFor(denying, command) }
  const why = [...command.unsettled, ...command.notPlain]
  const named = namedBy(command, subject)
  if (named !== undefined) return { words, state: "asks", by: named.rule, why: [named.reason, ...why] }
  const cover = why.length > 0 ? undefined : partCover(command, subject)
  if (cover?.grant !== undefined)
    return { words, state: "covered", by: cover.grant.grant_id, matcher: cover.grant.matcher, why: [] }
  const asking = meeting(command, subject, "ask")
  if (asking !== undefined) return { words, state: "asks", by: asking.name, ...matcherOf(asking), why }
  if (cover !== undefined)
    return { words, state: "covered", by: cover.rule, ...(cover.by === undefined ? {} : matcherOf(cover.by)), why: [] }
  if (commandsOf(subject.assessment).length > 1 && onlyFilters(command, subject))
    return { words, state: "covered", by: "filter", why: [] }
  return why.length > 0 ? { words, state: "asks", why } : { words, state: "uncovered", why: voided(command, subject) }
}

const RANK: Readonly<Record<ExplainedPart["state"], number>> = { denied: 0, asks: 1, uncovered: 2, covered: 3 }

/** Grants of exactly this call, from when it would have run something else. */
const voidedCall = ({ assessment, call, digest, grants, workspace }: Subject): ReadonlyArray<string> =>
  grants.flatMap(({ grant_id, matcher, tool_name, ...grant }) =>
    matcher.kind === "exact" &&
    matcher.digest === digest &&
    tool_name === call.tool_name &&
    grant.workspace === workspace &&
    grant.content !== contentOf(assessment)
      ? [`what it runs has changed since the grant ${short(grant_id)} was given`]
      : []
  )

const alwaysOf = ({ askedBy }: RiskAssessment, touches: string): string =>
  askedBy === undefined ? `${touches} a file that is asked about every time` : `the ${askedBy} wants it asked about`

/** What stands in no command of the line: a path that a rule on paths denies, a file that a redirect empties. */
const ruledBy = ({ matcher, name, tool }: Rule, { assessment, call, workspace }: Subject): ReadonlyArray<string> => {
  if (tool !== "*" && tool !== call.tool_name) return []
  if (matcher.kind === "path") {
    const path = pathsOf(assessment).find((one) => pathTouched(matcher.glob, [one], workspace))
    return path === undefined ? [] : [`comes by ${relativeTo(workspace, path) ?? path}, which the rule ${name} denies`]
  }
  const emptied = assessment.command?.overwrites?.[0]
  return matcher.kind === "effect" && matcher.effect === "deletes" && emptied !== undefined
    ? [`empties ${emptied}, which the rule ${name} denies`]
    : []
}

const lineOf = (subject: Subject): ReadonlyArray<string> => {
  const { assessment, rules, call } = subject
  const plan = assessment.command
  const refused = plan?.refused === undefined ? [] : [plan.refused]
  const always = assessment.alwaysAsk === true ? [alwaysOf(assessment, "touches")] : []
  const tool = rules.find(
    ({ action, matcher, tool: name }) =>
      action === "ask" && (matcher.kind === "tool" || matcher.kind === "path") && name === call.tool_name
  )
  const rule = tool === undefined ? [] : [`the rule ${tool.name} asks about ${call.tool_name}`]
  const reached = rules.flatMap((one) => (one.action === "deny" ? ruledBy(one, subject) : []))
  return [...new Set([...reached, ...refused, ...(plan?.doubts ?? []), ...always, ...rule, ...voidedCall(subject)])]
}

const SEVERAL = "the line has several commands; a grant of first words covers one"

/** Why only this very call, or not even that, can be granted. */
const narrowOf = (subject: Subject, { action, grant_options }: Judgement): string | undefined => {
  const { assessment } = subject
  if (action !== "ask" || grant_options.length > 1) return undefined
  if (assessment.alwaysAsk === true) return alwaysOf(assessment, "it touches")
  const all = commandsOf(assessment)
  const commands = all.length === 1 ? all : all.filter((one) => one.filter !== true)
  const unsettled = commands.find((command) => command.unsettled.length > 0)
  if (unsettled !== undefined) return unsettled.unsettled[0]
  const whole = assessment.command?.doubts[0]
  if (commands.length > 1) {
    const alone = commands.filter((one) => partCover(one, subject) === undefined)
    const one = alone.find((command) => noPrefix(command) !== undefined || command.notPlain.length > 0)
    return whole ?? one?.notPlain[0] ?? (one && noPrefix(one)) ?? SEVERAL
  }
  const [only] = commands
  const never = only === undefined ? undefined : noPrefix(only)
  if (never !== undefined) return never
  return only?.notPlain[0] ?? whole
}

/** A rule on the tool alone, which lets the line pass whatever its parts are. */
const allowingWhole = ({ rules }: Subject, name: string): Rule | undefined =>
  rules.find(({ action, matcher, ...rule }) => action === "allow" && matcher.kind === "tool" && rule.name === name)

const coveredBy = (rule: Rule, { matcher, ...part }: ExplainedPart): ExplainedPart =>
  part.state === "covered"
    ? { ...part, ...(matcher === undefined ? {} : { matcher }) }
    : { ...part, state: "covered", by: rule.name, why: [] }

/** `limit`: parts that are listed at most. */
export const explain = (subject: Subject, judgement: Judgement, limit = Number.POSITIVE_INFINITY): Explanation => {
  // A long line of like parts is explained once.
  const known = new Map<string, ExplainedPart>()
  const parts = commandsOf(subject.assessment).flatMap((command) => {
    const key = keyOf(command)
    const part = known.get(key) ?? partOf(command, subject)
    known.set(key, part)
    // A reading of words that stand there already is worth a line where a rule denies it.
    return part.state !== "denied" && command.notPlain.includes("has what a variable holds") ? [] : [part]
  })
  const kept =
    parts.length <= limit
      ? parts
      : parts
          .map((part, at) => ({ ...part, at: at + 1 }))
          .toSorted((a, b) => RANK[a.state] - RANK[b.state])
          .slice(0, limit)
  const narrow = narrowOf(subject, judgement)
  const whole = judgement.action === "allow" ? allowingWhole(subject, judgement.rule) : undefined
  return {
    action: judgement.action,
    rule: judgement.rule,
    // Why it asked stands with the parts; what it would do stands here.
    reason: shorten(judgement.action === "ask" ? subject.assessment.reason : judgement.reason),
    parts: whole === undefined ? kept : kept.map((part) => coveredBy(whole, part)),
    line: lineOf(subject),
    ...(kept.length < parts.length ? { more: parts.length - kept.length } : {}),
    ...(narrow === undefined ? {} : { narrow })
  }
}
