/**
 * What a rule denies and a text of code names (SECURITY P4, T2): `python -c "os.system('rm x')"`. Owns: when a name counts as
 * named. Pure. Invariant: it makes a call stricter, and never decides that one may run.
 */
import { resolve } from "node:path"
import type { SimpleCommand } from "../domain/Approval.ts"
import { commandsOf, type Subject } from "./Cover.ts"
import { deletesInCode, denied, namedInFile } from "./hiddenNames.ts"
import { pathTouched } from "./matching.ts"
import type { Rule } from "./Rules.ts"

const escaped = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** As a word of its own: `rm` is not named by `perform` or `a.rm_x`. */
const names = (text: string, word: string): boolean => new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`).test(text)

const MAX_TOKENS = 4_000

const touches = (text: string, glob: string, workspace: string): boolean =>
  text
    .split(/[\s'"`()[\]{},;<>|&=]+/)
    .slice(0, MAX_TOKENS)
    .some((token) => token !== "" && pathTouched(glob, [resolve(workspace, token)], workspace))

/** It goes through a directory, and names of what lies there need not stand in it. */
const WALKS =
  /\b(?:os\.walk|scandir|listdir|i?glob|rglob|iterdir|readdir(?:Sync)?|opendir|opendirSync|File::Find|Dir\.\w+|Find\.find|walkDir|readDir(?:Sync)?|RecursiveDirectoryIterator)\b|<[^<>\n]*[*?][^<>\n]*>/

const isNamed = ({ matcher }: Rule, text: string, workspace: string): boolean => {
  if (matcher.kind === "path") return WALKS.test(text) || touches(text, matcher.glob, workspace)
  if (matcher.kind === "effect") return matcher.effect === "deletes" && deletesInCode(text)
  return (
    matcher.kind === "command" &&
    matcher.argv.filter((word) => !word.startsWith("-")).every((word) => names(text, word))
  )
}

export interface Named {
  readonly rule: string
  readonly reason: string
}

/** By the code of this command. */
export const namedBy = ({ argv, code }: SimpleCommand, { call, rules, workspace }: Subject): Named | undefined => {
  if (code === undefined) return undefined
  const program = argv[0] ?? ""
  if (code.refused !== undefined)
    return { rule: "refused-command", reason: `the code that ${program} is given may be refused: ${code.refused}` }
  const rule = rules.find(
    (one) =>
      one.action === "deny" &&
      (one.tool === "*" || one.tool === call.tool_name) &&
      code.texts.some((text) => isNamed(one, text, workspace))
  )
  return (
    rule && { rule: rule.name, reason: `the code that ${program} is given names what the rule ${rule.name} denies` }
  )
}

/** The first that is named; undefined: nothing is. */
export const namedInCode = (subject: Subject): Named | undefined => {
  for (const command of commandsOf(subject.assessment)) {
    const named = namedBy(command, subject)
    if (named !== undefined) return named
  }
  return undefined
}

const UNNAMED = "the program's name is not literal"

const denies = ({ call, rules }: Subject, kind: (one: Rule["matcher"]["kind"]) => boolean): Rule | undefined =>
  rules.find(
    ({ action, matcher, tool }) => action === "deny" && kind(matcher.kind) && (tool === "*" || tool === call.tool_name)
  )

/** A rule denies paths, and a word of the line may be one of them. */
const unknownPath = (subject: Subject): Named | undefined => {
  const unknown = subject.assessment.command?.unknown
  const rule = unknown === undefined ? undefined : denies(subject, (kind) => kind === "path")
  return (
    rule && { rule: rule.name, reason: `${unknown} may name what the rule ${rule.name} denies: nobody can know before` }
  )
}

/** The first rule that the line may meet by words that it does not show. */
const hidden = (subject: Subject): Named | undefined => {
  for (const rule of subject.rules) {
    if (rule.action !== "deny" || (rule.tool !== "*" && rule.tool !== subject.call.tool_name)) continue
    const text = denied(rule, subject) ?? namedInFile(rule, subject)
    if (text !== undefined)
      return { rule: rule.name, reason: `${text} may name what the rule ${rule.name} denies: nobody can know before` }
  }
  return undefined
}

/** A rule denies something, and which program would run, or which script or file, the line does not say. */
export const unnamed = (subject: Subject): Named | undefined => {
  const { assessment } = subject
  const rule = denies(subject, (kind) => kind !== "tool")
  if (rule === undefined) return undefined
  const isHidden =
    commandsOf(assessment).some(({ notPlain }) => notPlain.includes(UNNAMED)) ||
    assessment.command?.doubts.some((doubt) => doubt.endsWith("runs a script that is not literal")) === true
  return isHidden
    ? {
        rule: rule.name,
        reason: `what it would run stands in no word of it, and the rule ${rule.name} denies something`
      }
    : (unknownPath(subject) ?? hidden(subject))
}
