/**
 * What `allow_session` may cover for one call. Owns: the choices and their words. Invariant: the first is exact; a wider
 * one is offered only where it would ever be honoured (SECURITY P5, P8).
 */
import type { GrantOption, SimpleCommand } from "../domain/Approval.ts"
import type { Matcher } from "../domain/Matcher.ts"
import { isPlain, onlyLooks } from "../domain/Looks.ts"
import { onlyFilters, partCover, type Subject } from "./Cover.ts"
import { canonicalText, noPrefix, relativeTo } from "./matching.ts"

const exact = ({ call, assessment, digest }: Subject): GrantOption => {
  const only = assessment.command?.commands.map(noPrefix).find((why) => why !== undefined)
  const why = only === undefined ? "" : ` (nothing wider: ${only})`
  return { id: "exact", label: `exactly this ${call.tool_name} call${why}`, matcher: { kind: "exact", digest } }
}

const prefixMatcher = (command: SimpleCommand): Matcher | undefined => {
  const [first, ...rest] = command.prefix
  return first === undefined ? undefined : { kind: "command", argv: [first, ...rest] }
}

/** What of a line is not covered yet, and does not only filter what others of it say; undefined: it is not understood. */
const uncovered = (asked: Subject): ReadonlyArray<SimpleCommand> | undefined => {
  const plan = asked.assessment.command
  if (plan === undefined || plan.doubts.length > 0) return undefined
  const filters = plan.commands.length > 1 ? (one: SimpleCommand) => onlyFilters(one, asked) : () => false
  return plan.commands.filter((one) => !filters(one) && partCover(one, asked) === undefined)
}

/** A line of more commands is granted whole or not at all. */
const MOST_PREFIXES = 3

/** What is missing are plain commands: of each its program and subcommand, of which one grant covers one. */
const prefix = (missing: ReadonlyArray<SimpleCommand>): ReadonlyArray<GrantOption> => {
  const found = new Map<string, GrantOption>()
  for (const command of missing) {
    const matcher = isPlain(command) && noPrefix(command) === undefined ? prefixMatcher(command) : undefined
    if (matcher === undefined) return []
    const words = canonicalText(command.prefix)
    const id = found.size === 0 ? "command" : `command:${found.size + 1}`
    if (!found.has(words)) found.set(words, { id, label: `commands that begin with ${words}`, matcher })
  }
  return found.size > MOST_PREFIXES ? [] : [...found.values()]
}

/** Whatever is missing only looks: the next look need not ask. */
const reads = (missing: ReadonlyArray<SimpleCommand>): ReadonlyArray<GrantOption> =>
  missing.length > 0 && missing.every(onlyLooks)
    ? [
        {
          id: "reads",
          label: "every command that only looks at this workspace (ls, cat, git status …)",
          matcher: { kind: "reads" }
        }
      ]
    : []

/** Characters that mean something in a glob are taken for themselves. */
const literal = (path: string): string => path.replace(/[\\*?[\]{}()!+@]/g, "\\$&")

const path = ({ assessment, call, workspace }: Subject): ReadonlyArray<GrantOption> => {
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

export const grantOptions = (asked: Subject): ReadonlyArray<GrantOption> => {
  const { assessment } = asked
  const unsettled = assessment.command?.commands.some((command) => command.unsettled.length > 0) === true
  if (assessment.alwaysAsk === true || unsettled) return []
  const missing = uncovered(asked) ?? []
  return [exact(asked), ...prefix(missing), ...reads(missing), ...path(asked)]
}
