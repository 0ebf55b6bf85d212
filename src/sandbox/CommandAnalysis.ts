/**
 * A shell line taken apart before it may run (SECURITY P1–P11, LESSONS 27–28). Owns: `analyse` and the limits of what is
 * read at all. Does not own: rules and grants (approval), running (ProcessRunner). Looks at the file system (where a path
 * leads, what a repository's configuration names) and changes nothing.
 * Invariant: what is not understood is a doubt, and a doubt asks; a line that cannot be shown as it runs is refused.
 */
import { userInfo } from "node:os"
import type { CommandPlan, SimpleCommand } from "../domain/Approval.ts"
import { Exhausted, makeBudget } from "./commandBudget.ts"
import { gitVetting } from "./commandGitConfig.ts"
import { whereMoved } from "./commandMoved.ts"
import { holdsOpenRepositories } from "./commandNested.ts"
import { withLooksFrom } from "./commandLooksMoved.ts"
import { withMovedPaths } from "./commandMovedPaths.ts"
import { isNotYet } from "./commandOperands.ts"
import { makePaths, type Paths } from "./commandPaths.ts"
import { inOrder } from "./commandOrder.ts"
import { unknownWord } from "./commandUnknown.ts"
import { collect } from "./commandWalk.ts"

/** UTF-8 bytes of one line. */
export const MAX_COMMAND_BYTES = 65_536

export interface CommandContext {
  /** Absolute path; the command's working directory. */
  readonly workspace: string
  /** The child's PATH. */
  readonly path?: string
  /** The child's HOME; default: the user's. */
  readonly home?: string
}

const textRefusal = (source: string): string | undefined => {
  if (source.length > MAX_COMMAND_BYTES || Buffer.byteLength(source) > MAX_COMMAND_BYTES) return "is longer than 64 KiB"
  if (!source.isWellFormed()) return "is not valid Unicode"
  if (source.includes("\u0000")) return "contains a NUL character"
  return undefined
}

const empty = (source: string): CommandPlan => ({ source, commands: [], writes: [], reads: [], doubts: [] })

/** Judged in the order and the directories of the line; what that would cost too much is refused. */
const inPlace = (commands: ReadonlyArray<SimpleCommand>, paths: Paths) => {
  try {
    let found: boolean | undefined
    const open = () => (found ??= holdsOpenRepositories(paths.workspace))
    const { commands: moved, lost } = withMovedPaths(whereMoved(commands, paths), paths)
    return { commands: inOrder(moved, { workspace: paths.workspace, open }), lost }
  } catch (error) {
    if (error instanceof Exhausted) return { commands, refused: error.message, lost: true }
    throw error
  }
}

/** While nothing of a line makes files, no pattern of it comes to mean an option. */
const settled = (commands: ReadonlyArray<SimpleCommand>, quiet: boolean): ReadonlyArray<SimpleCommand> => {
  const looks = quiet && commands.every(({ notPlain, readOnly }) => readOnly && notPlain.every(isNotYet))
  return looks ? commands.map((command) => ({ ...command, notPlain: [] })) : commands
}

export const analyse = (source: string, context: CommandContext): CommandPlan => {
  const refusal = textRefusal(source)
  if (refusal !== undefined) return { ...empty(source), doubts: [refusal], refused: refusal }
  const paths = makePaths(context.workspace, context.home ?? userInfo().homedir, makeBudget())
  const found = collect(source, { paths, path: context.path, vetted: gitVetting(paths.workspace) })
  const nothing = found.commands.length === 0 ? ["runs nothing that can be named"] : []
  const placed = inPlace(found.commands, paths)
  const refused = found.refused ?? placed.refused
  const unknown = unknownWord(found.unknown, found.held, found.commands, source) ?? (placed.lost ? "cd" : undefined)
  const quiet = found.doubts.size === 0 && found.writes.size === 0 && refused === undefined
  // A carriage return ends no line for the shell, and for the eye it does.
  const hidden = source.includes("\r") ? ["contains carriage returns"] : []
  return {
    source,
    commands: settled(withLooksFrom(placed.commands, quiet, paths), quiet),
    writes: [...found.writes],
    ...(found.overwrites.size === 0 ? {} : { overwrites: [...found.overwrites] }),
    reads: [...found.reads],
    doubts: [...found.doubts, ...nothing, ...hidden],
    ...(unknown === undefined ? {} : { unknown }),
    ...(refused === undefined ? {} : { refused })
  }
}
