/**
 * bash (R082, R131, R159, LESSONS 17–19, 27): one script, in the workspace, with nothing left of it afterwards.
 * Owns: what the model is told of an ending, and what a line's redirects mean for its risk. Does not own: the
 * grammar (CommandAnalysis), processes (ProcessRunner).
 * Invariant: every ending that is not exit 0 is an error result that names its exit code, signal or limit.
 */
import { relative, resolve } from "node:path"
import { Effect, Schema } from "effect"
import type { CommandPlan, Risk, RiskAssessment } from "../../domain/Approval.ts"
import { processMark } from "../../domain/Ids.ts"
import { lineOnlyLooks } from "../../domain/Looks.ts"
import {
  entriesBelow,
  leftOut,
  listsNames,
  perhapsWalkedBy,
  reachedByGit,
  takenBy,
  walkedBy
} from "../../sandbox/CommandWalks.ts"
import type { ProcessResult, ProcessRunner } from "../../sandbox/ProcessRunner.ts"
import type { Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { ToolError } from "../ToolError.ts"
import { MAY_HOLD_SECRETS, refused } from "./pathRisk.ts"
import type { ReadGuard } from "./readGuard.ts"

export type Analyse = (source: string) => CommandPlan

export interface BashOptions {
  readonly workspace: (typeof Workspace)["Service"]
  readonly runner: (typeof ProcessRunner)["Service"]
  readonly analyse: Analyse
  readonly guard: ReadGuard
}

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000
/** For the ending itself (TERM, grace, KILL), so that the tool's own limit always comes first. */
const MARGIN_MS = 30_000

const Parameters = Schema.Struct({
  command: Schema.String.annotate({ description: "The bash script to run, in the workspace's root." }),
  timeout_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_TIMEOUT_MS })).annotate({
      description: `Stop it after so many milliseconds. Default ${DEFAULT_TIMEOUT_MS}.`
    })
  ),
  description: Schema.optionalKey(
    Schema.String.annotate({ description: "What the command does, in a few words, for the user." })
  )
})
type Args = typeof Parameters.Type

const ending = (result: ProcessResult, timeout: number): string | undefined => {
  if (result.limit !== undefined) return `${result.limit.kind}: ended, for ${result.limit.detail}`
  if (result.timed_out) return `stopped after ${timeout} ms, the time limit; the output until then is above`
  if (result.signal !== undefined) return `ended by signal ${result.signal}`
  return result.exit_code === 0 ? undefined : `exit code ${result.exit_code ?? "unknown"}`
}

/** How programs say that they found no network; some minutes late, and never why. */
const NO_NETWORK = new RegExp(
  [
    "EAI_AGAIN|ENETUNREACH|ENOTFOUND|EAI_NONAME|no such host",
    "network is unreachable|name or service not known|nodename nor servname",
    "(?:temporary failure in|failure in) name resolution|name resolution fail",
    "(?:could not|couldn't|cannot|can't|failed to|unable to) resolve"
  ].join("|"),
  "i"
)
const OFFLINE = "claw gives commands no network here: isolation.network, a setting of the user, allows it"
const LISTED =
  "claw lets commands reach listed hosts alone, by HTTP: isolation.hosts and .network, settings of the user, allow more"

const REFUSED = {
  not_listed: "not in isolation.hosts, a setting of the user",
  private_address: "its address is not public",
  not_found: "not found"
} as const
const MOST_REFUSED = 5

/** What it asked for and did not reach. */
const refusedNotes = ({ visits = [] }: ProcessResult): ReadonlyArray<string> => {
  const all = visits.flatMap(({ host, port, refused }) =>
    refused === undefined ? [] : [`${host}:${port} was not reached: ${REFUSED[refused]}`]
  )
  const more = all.length - MOST_REFUSED
  return more > 0 ? [...all.slice(0, MOST_REFUSED), `and ${more} more hosts were not reached`] : all
}

const outputOf = (result: ProcessResult, timeout: number): Tool.ToolOutput => {
  const { text, truncated } = result.output
  const note = ending(result, timeout)
  const offline = result.offline === true && note !== undefined && NO_NETWORK.test(text)
  const why = result.visits === undefined ? OFFLINE : LISTED
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...refusedNotes(result),
    ...(offline ? [why] : []),
    ...(result.notes ?? [])
  ]
  const lines = notes.map((line) => `[${line}]`)
  const separator = text === "" || text.endsWith("\n") ? "" : "\n"
  const content = lines.length === 0 ? (text === "" ? "(no output)" : text) : `${text}${separator}${lines.join("\n")}`
  return {
    content,
    is_error: note !== undefined,
    truncated,
    timed_out: result.timed_out,
    ...(result.exit_code === undefined ? {} : { exit_code: result.exit_code }),
    ...(result.signal === undefined ? {} : { signal: result.signal })
  }
}

const run = ({ runner, workspace }: BashOptions, args: Args, context: Tool.ToolContext) => {
  const timeout_ms = args.timeout_ms ?? DEFAULT_TIMEOUT_MS
  return runner
    .run({
      id: processMark(context.task_id, context.call_id),
      command: { script: args.command },
      cwd: workspace.root,
      timeout_ms,
      emit: context.emit,
      processStarted: context.processStarted
    })
    .pipe(
      Effect.map((result) => {
        if (result.visits !== undefined) context.recorded?.({ visits: result.visits })
        return outputOf(result, timeout_ms)
      }),
      Effect.mapError((error) => new ToolError({ code: "tool_failed", detail: error.detail }))
    )
}

/** Descriptors and the null device are no files (P2). */
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"])
const moves = (plan: CommandPlan): boolean =>
  plan.commands.some(({ argv }) => argv[0] === "cd" || argv[0] === "pushd" || argv[0] === "popd")

interface Redirect {
  readonly real?: string
  readonly forbidden?: string
  readonly alwaysAsk?: boolean
}

/** A redirect is a write (P10). After a `cd` a relative one cannot be placed; then it asks like all the rest. */
const judgeRedirect = (
  workspace: BashOptions["workspace"],
  moved: boolean,
  target: string
): Effect.Effect<Redirect> => {
  if (HARMLESS.has(target)) return Effect.succeed({})
  return workspace.locate(target).pipe(
    Effect.map((place): Redirect => {
      if (place.guard.kind === "forbidden")
        return { forbidden: `The command writes ${JSON.stringify(target)}, which ${place.guard.why}.` }
      return { real: place.real, alwaysAsk: place.guard.kind === "alwaysAsk" }
    }),
    Effect.catch((error) => {
      if (moved && !target.startsWith("/") && !target.startsWith("~"))
        return Effect.succeed<Redirect>({ alwaysAsk: true })
      return Effect.succeed<Redirect>({ forbidden: `The command writes where it may not: ${error.detail}` })
    })
  )
}

/** Where a redirect reads, for the rules on paths; outside it is for them, and the person, to say. */
const readPath = (workspace: BashOptions["workspace"], path: string): Effect.Effect<string> =>
  workspace.locate(path).pipe(
    Effect.map(({ real }) => real),
    Effect.catch(() => Effect.succeed(resolve(workspace.root, path)))
  )

/** What only looks is safe, though bash asks all the same (R142); what destroys, or may be more than it seems, is not. */
const riskOf = (plan: CommandPlan, doubts: ReadonlyArray<string>): Risk => {
  if (doubts.length > 0 || plan.commands.some(({ destroys }) => destroys !== undefined)) return "dangerous"
  return lineOnlyLooks(plan) ? "safe" : "mutating"
}

interface Reached {
  /** What rules judge beside the names in the line. */
  readonly paths: ReadonlyArray<string>
  /** Why it asks every time. */
  readonly why?: string
  /** What it may come by besides, for the mode that asks about nothing else. */
  readonly perhaps: ReadonlyArray<string>
}

/** What the commands come by without naming it, and whether any of it, or what they name, may hold secrets (T2, T6). */
const reached = ({ guard, workspace }: BashOptions, plan: CommandPlan, redirected: ReadonlyArray<string>): Reached => {
  const walked = plan.commands.flatMap((command) => walkedBy(command, workspace.root))
  const names = listsNames(plan)
  const ignored = leftOut(plan, workspace.root)
  const isKept = (path: string) => (guard.ruled("bash", path) || (!names && guard.secret(path))) && !ignored(path)
  const below = entriesBelow(walked, isKept)
  const byGit = reachedByGit(plan.commands, workspace.root, (path) => guard.ruled("bash", path), guard.secret)
  const ruledBelow = (directories: ReadonlyArray<string>) =>
    directories.length === 0 ? [] : entriesBelow(directories, (path) => guard.ruled("bash", path)).found
  // Of files that may hold secrets the person has the say when it is asked about; a rule says it once for all.
  const along = ruledBelow(plan.commands.flatMap((command) => takenBy(command, workspace.root)))
  const perhaps = ruledBelow(plan.commands.flatMap((command) => perhapsWalkedBy(command, workspace.root)))
  const { complete, found } = { complete: below.complete, found: [...below.found, ...byGit] }
  const named = [...redirected, ...plan.commands.flatMap((command) => command.paths)]
  const secret = [...named, ...(names ? [] : found)].find(guard.secret)
  const shown = secret === undefined ? undefined : relative(workspace.root, secret)
  const paths = [...found, ...along]
  if (shown !== undefined)
    return { perhaps, paths, why: `reaches ${shown.startsWith("..") ? secret : shown}, ${MAY_HOLD_SECRETS}` }
  return complete ? { perhaps, paths } : { perhaps, paths, why: "walks over too much to be looked through" }
}

const assess = Effect.fnUntraced(function* (options: BashOptions, args: Args) {
  const { analyse, workspace } = options
  const plan = analyse(args.command)
  if (plan.refused !== undefined) {
    return { ...refused("dangerous", `The command ${plan.refused}.`), opaque: true, command: plan }
  }
  const redirects = yield* Effect.forEach(plan.writes, (target) => judgeRedirect(workspace, moves(plan), target))
  const forbidden = redirects.find((redirect) => redirect.forbidden !== undefined)?.forbidden
  if (forbidden !== undefined) return { ...refused("dangerous", forbidden), opaque: true, command: plan }
  const reads = yield* Effect.forEach(plan.reads, (path) => readPath(workspace, path))
  const touched = [...redirects.flatMap(({ real }) => real ?? []), ...reads]
  const { paths, perhaps, why } = reached(options, plan, touched)
  const doubts = [...plan.doubts, ...plan.commands.flatMap((command) => command.notPlain)]
  // A file of the workspace that the line names is changed, and nothing further.
  const known = redirects.every(({ alwaysAsk, real }) => real !== undefined && alwaysAsk !== true)
  const named = new Set(known ? plan.writes.map((target) => `writes ${target}`) : [])
  const assessment: RiskAssessment = {
    risk: riskOf(
      plan,
      doubts.filter((one) => !named.has(one))
    ),
    reason: why ?? doubts[0] ?? `runs ${plan.commands.map(({ text }) => text).join(", ") || "a command"}`,
    paths: [...touched, ...paths],
    opaque: true,
    command: plan,
    ...(perhaps.length === 0 ? {} : { perhaps }),
    ...(why !== undefined || redirects.some((redirect) => redirect.alwaysAsk === true) ? { alwaysAsk: true } : {})
  }
  return assessment
})

export const makeBash = (options: BashOptions): Tool.Tool =>
  Tool.make({
    name: "bash",
    description:
      "Runs a bash script in the workspace's root and returns what it printed (stdout and stderr together) and its " +
      "exit code if it is not 0. Every call starts afresh: no working directory, variable or background process is " +
      "kept. There is no input and no terminal. Where it runs isolated, only the workspace and /tmp can be written, " +
      "/tmp lasts for one call, and there may be no network. Long output is cut in the middle.",
    parameters: Parameters,
    effect: "once",
    announced: true,
    timeout_ms: MAX_TIMEOUT_MS + MARGIN_MS,
    assess: (args) => assess(options, args),
    preview: ({ command }) => {
      const { commands } = options.analyse(command)
      return Effect.succeed({ kind: "command", command, parts: commands.map(({ text }) => text) })
    },
    run: (args, context) => run(options, args, context)
  })
