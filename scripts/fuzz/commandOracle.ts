/**
 * Was what happened covered by the verdict? Owns: what counts as covered (SECURITY P2–P11): each program is one of the
 * commands that were judged, word for word, and each file written is one that its command names, inside the workspace.
 * A program that a judged `git` starts of its own parts is git's; git keeps its records below `.git`.
 */
import { join } from "node:path"
import type { CommandPlan, SimpleCommand } from "../../src/domain/Approval.ts"
import type { Effect } from "./commandTrace.ts"

const GLOB = /[*?[]/

/** The words as run are those of the command; behind a glob they are what it became. */
const isSame = (argv: ReadonlyArray<string>, command: SimpleCommand): boolean => {
  const open = command.argv.findIndex((word) => GLOB.test(word))
  if (open < 0) return argv.length === command.argv.length && argv.every((word, at) => word === command.argv[at])
  return command.argv.slice(0, open).every((word, at) => argv[at] === word)
}

/** What `find` found follows the words that xargs was given: names below the work tree, none of them an option. */
const isHandedOn = (argv: ReadonlyArray<string>, { argv: own }: SimpleCommand, cwd: string): boolean =>
  argv.length > own.length &&
  own.every((word, at) => argv[at] === word) &&
  argv.slice(own.length).every((word) => /^(?:\.|src|docs)(?:\/|$)/.test(word) && isInside(join(cwd, word), cwd))

const HARMLESS = /^\/dev\/(?:null|tty|stdout|stderr|fd\/\d+|pts\/\d+)$|^\/proc\/self\/fd\/\d+$/
/** Where bash keeps a here-document that is too long for a pipe. */
const HEREDOC = /\/sh-thd\.\w+$/
const GIT_PARTS = /^(?:\/usr\/lib\/git-core\/|\/usr\/libexec\/git-core\/|\/usr\/bin\/git$)/

/** `mkdir -p a/b`, `install -D x a/b`: the directories above are made too. */
const MAKES_PARENTS: ReadonlySet<string> = new Set(["mkdir", "install"])

const isInside = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

export interface Judged {
  readonly plan: CommandPlan
  /** Where it was judged, and where it ran: the same files. */
  readonly workspace: string
  readonly cwd: string
}

const programFault = ({ argv, by = [], path }: Effect, { cwd, plan }: Judged): string | undefined => {
  if (plan.commands.some((command) => isSame(argv, command))) return undefined
  const handed = by[0] === "xargs" && plan.commands.find((one) => isHandedOn(argv, one, cwd))
  if (handed !== undefined && handed !== false && handed.readOnly) return undefined
  if (by[0] === "git" && GIT_PARTS.test(path) && plan.commands.some((command) => command.argv[0] === "git"))
    return undefined
  return `started ${JSON.stringify(argv)} (${path})`
}

const writeFault = ({ argv, path }: Effect, { cwd, plan, workspace }: Judged): string | undefined => {
  if (HARMLESS.test(path) || HEREDOC.test(path)) return undefined
  const fault = `${argv.join(" ").slice(0, 80)} wrote ${path}`
  if (!isInside(path, cwd)) return fault
  const place = `${workspace}${path.slice(cwd.length)}`
  const control = isInside(place, `${workspace}/.git`) || isInside(place, `${workspace}/.claw`)
  if (argv[0] === "git") {
    if (!isInside(place, `${workspace}/.git`)) return fault
    return /\/\.git\/(?:hooks(?:\/|$)|config(?:\.lock)?$)/.test(place) ? fault : undefined
  }
  if (control) return fault
  const commands = plan.commands.filter((command) => isSame(argv, command))
  // Granted word for word: what it writes inside was granted with it.
  if (commands.some(({ exactOnly }) => exactOnly !== undefined)) return undefined
  const named = commands.flatMap(({ paths }) => paths)
  const covered = named.some(
    (one) => isInside(place, one) || (MAKES_PARENTS.has(argv[0] ?? "") && isInside(one, place))
  )
  return covered ? undefined : fault
}

/** The first effect that the verdict did not cover. The shell that carries the line out is no part of it. */
export const faultOf = (effects: ReadonlyArray<Effect>, judged: Judged, line: string): string | undefined => {
  for (const effect of effects) {
    const isShell = effect.argv[0] === "bash" && effect.argv[1] === "-c" && effect.argv[2] === line
    if (isShell && effect.kind === "exec") continue
    const fault =
      effect.kind === "connect"
        ? `${effect.argv[0] ?? "?"} opened a connection`
        : effect.kind === "exec"
          ? programFault(effect, judged)
          : writeFault(effect, judged)
    if (fault !== undefined) return fault
  }
  return undefined
}
