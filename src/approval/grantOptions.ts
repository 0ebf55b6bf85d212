/**
 * What `allow_session` may cover for one call. Owns: the choices and their words. Invariant: the first is exact; a wider
 * one is offered only where it would ever be honoured (SECURITY P5, P8).
 */
import type { GrantOption, RiskAssessment, SimpleCommand } from "../domain/Approval.ts"
import type { Matcher } from "../domain/Matcher.ts"
import type { ToolCall } from "../domain/Message.ts"
import { canonicalText, isPlain, noPrefix, relativeTo } from "./matching.ts"

interface Asked {
  readonly call: ToolCall
  readonly digest: string
  readonly assessment: RiskAssessment
  readonly workspace: string
}

const exact = ({ call, assessment, digest }: Asked): GrantOption => {
  const only = assessment.command?.commands.map(noPrefix).find((why) => why !== undefined)
  const why = only === undefined ? "" : ` (nothing wider: ${only})`
  return { id: "exact", label: `exactly this ${call.tool_name} call${why}`, matcher: { kind: "exact", digest } }
}

const prefixMatcher = (command: SimpleCommand): Matcher | undefined => {
  const [first, ...rest] = command.prefix
  return first === undefined ? undefined : { kind: "command", argv: [first, ...rest] }
}

/** A line of one plain command, and filters of what it says: its program and subcommand. */
const prefix = ({ assessment }: Asked): ReadonlyArray<GrantOption> => {
  const plan = assessment.command
  const all = plan?.commands ?? []
  const others = all.filter((one) => one.filter !== true || !isPlain(one))
  const [command, ...more] = all.length === 1 ? all : others
  if (plan === undefined || command === undefined || more.length > 0 || plan.doubts.length > 0) return []
  if (!isPlain(command) || noPrefix(command) !== undefined) return []
  const matcher = prefixMatcher(command)
  return matcher === undefined
    ? []
    : [{ id: "command", label: `commands that begin with ${canonicalText(command.prefix)}`, matcher }]
}

/** Characters that mean something in a glob are taken for themselves. */
const literal = (path: string): string => path.replace(/[\\*?[\]{}()!+@]/g, "\\$&")

const path = ({ assessment, call, workspace }: Asked): ReadonlyArray<GrantOption> => {
  const [only, ...more] = assessment.paths
  const relative = only === undefined || more.length > 0 || assessment.opaque ? undefined : relativeTo(workspace, only)
  if (relative === undefined || relative === ".") return []
  const option = (id: string, glob: string, shown: string): GrantOption => ({
    id,
    label: `every ${call.tool_name} of ${shown}`,
    matcher: { kind: "path", glob }
  })
  const slash = relative.lastIndexOf("/")
  const file = option("file", literal(relative), relative)
  if (slash < 0) return [file]
  const directory = relative.slice(0, slash)
  return [file, option("directory", `${literal(directory)}/**`, `${directory}/ and below`)]
}

export const grantOptions = (asked: Asked): ReadonlyArray<GrantOption> => {
  const { assessment } = asked
  const unsettled = assessment.command?.commands.some((command) => command.unsettled.length > 0) === true
  if (assessment.alwaysAsk === true || unsettled) return []
  return [exact(asked), ...prefix(asked), ...path(asked)]
}
