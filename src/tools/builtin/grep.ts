/**
 * grep (R082): lines that match a regular expression, as far as .gitignore leaves the files. The expression runs in a
 * thread with a deadline, so that none can hang the process. Order and output are stable.
 */
import { join } from "node:path"
import { Effect, Result, Schema } from "effect"
import type { Place, Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { failed, readRisk, toToolError } from "./pathRisk.ts"
import { matchNames } from "./matchNames.ts"
import { compileGlob } from "./pattern.ts"
import { scan, type Scanned } from "./scan.ts"
import { leftOutNote, type ReadGuard, unruled } from "./readGuard.ts"
import { walk, type Walked } from "./walk.ts"

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 2_000
const MAX_FILES = 100_000
const MAX_FILE_BYTES = 10 * 1024 * 1024
const MAX_CHARS = 60_000
const DEADLINE_MS = 20_000

const Parameters = Schema.Struct({
  pattern: Schema.String.annotate({ description: "Regular expression (JavaScript), matched against each line." }),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "Folder or file to search. Default: the workspace." })
  ),
  glob: Schema.optionalKey(
    Schema.String.annotate({ description: "Only files that match, such as *.ts or src/**/*.md." })
  ),
  mode: Schema.optionalKey(
    Schema.Literals(["content", "files", "count"]).annotate({
      description: "content: matching lines; files: paths only; count: matches per file. Default content."
    })
  ),
  context: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })).annotate({
      description: "Lines shown before and after each match. Default 0."
    })
  ),
  ignore_case: Schema.optionalKey(Schema.Boolean.annotate({ description: "Ignore letter case. Default false." })),
  literal: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Take the pattern as plain text. Default false." })
  ),
  include_hidden: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Search hidden files too. Default false." })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT })).annotate({
      description: `At most so many matches (or files). Default ${DEFAULT_LIMIT}.`
    })
  )
})
type Args = typeof Parameters.Type
type Room = (typeof Workspace)["Service"]

export interface GrepOptions {
  readonly guard?: ReadGuard
  /** Milliseconds for the matching itself. */
  readonly deadline_ms?: number
}

const compiles = (source: string, flags: string): string | undefined => {
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Unicode mode where the expression allows it; models also write escapes that only the older mode knows. */
const compile = (args: Args): Result.Result<{ readonly source: string; readonly flags: string }, string> => {
  const inline = args.pattern.startsWith("(?i)")
  const body = inline ? args.pattern.slice(4) : args.pattern
  const source = args.literal === true ? args.pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : body
  const flags = args.ignore_case === true || (inline && args.literal !== true) ? "i" : ""
  if (compiles(source, `${flags}u`) === undefined) return Result.succeed({ source, flags: `${flags}u` })
  const complaint = compiles(source, flags)
  return complaint === undefined ? Result.succeed({ source, flags }) : Result.fail(complaint)
}

const rowsOf = (mode: NonNullable<Args["mode"]>, scanned: Scanned): ReadonlyArray<string> => {
  if (mode === "files") return scanned.files.map(({ path }) => path)
  if (mode === "count") return scanned.files.map(({ matches, path }) => `${path}:${matches}`)
  return scanned.files.flatMap(({ rows }) => rows)
}

const bounded = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  let chars = 0
  return rows.filter((row) => (chars += row.length + 1) <= MAX_CHARS)
}

const outputOf = (args: Args, scanned: Scanned, { complete, left }: Walked, deadline: number): Tool.ToolOutput => {
  const rows = rowsOf(args.mode ?? "content", scanned)
  const shown = bounded(rows)
  const stopped = scanned.ending === "deadline"
  const notes = [
    stopped ? `the search was stopped after ${deadline} ms; use a simpler pattern or a smaller folder` : "",
    scanned.ending === "failed" ? "the search failed inside; use a smaller folder" : "",
    scanned.limited || shown.length < rows.length ? "there may be more matches; narrow the search or raise limit" : "",
    complete ? "" : `only the first ${MAX_FILES} files were searched`,
    ...leftOutNote(left)
  ].filter((note) => note !== "")
  const body = shown.length === 0 && scanned.ending === "done" ? ["(no matches)"] : shown
  return {
    content: [...body, ...notes.map((note) => `[${note}]`)].join("\n").replaceAll("\u0000", "\ufffd"),
    is_error: scanned.ending !== "done",
    timed_out: stopped,
    truncated: notes.length > 0
  }
}

/** Of a folder that holds secrets itself the person was asked. */
const leavingOut = (workspace: Room, guard: ReadGuard, base: Place) => {
  const asked = guard.secret(base.real)
  return (relative: string): boolean => {
    const path = join(workspace.root, relative)
    return guard.ruled("grep", path) || (!asked && guard.secret(path))
  }
}

const filesOf = Effect.fnUntraced(function* (workspace: Room, place: Place, args: Args, guard: ReadGuard) {
  if (place.kind === "file") return { files: [place.relative], complete: true, left: 0, leftFiles: [] }
  if (place.kind === "missing") return yield* failed(`${JSON.stringify(args.path)} does not exist.`, "not_found")
  const glob = args.glob === undefined ? undefined : compileGlob(args.glob)
  if (glob !== undefined && Result.isFailure(glob)) return yield* failed(glob.failure, "bad_pattern")
  const hidden = args.include_hidden === true || glob?.success.hidden === true
  const leaveOut = leavingOut(workspace, guard, place)
  const options = { hidden, maxFiles: MAX_FILES, accept: () => true, leaveOut }
  const walked = yield* Effect.mapError(walk(workspace, place.relative, options), toToolError)
  if (glob === undefined) return walked
  const { ending, ...found } = yield* matchNames(workspace.root, place.relative, walked, glob.success)
  if (ending !== "done") return yield* failed("The glob could not be matched in time; use a simpler one.", "too_slow")
  return found
})

const run = Effect.fnUntraced(function* (workspace: Room, options: GrepOptions, args: Args) {
  const { deadline_ms: deadline = DEADLINE_MS, guard = unruled } = options
  const regex = compile(args)
  if (Result.isFailure(regex))
    return yield* failed(`The pattern is not a valid regular expression: ${regex.failure}.`, "bad_pattern")
  const place = yield* Effect.mapError(workspace.locate(args.path ?? "."), toToolError)
  const walked = yield* filesOf(workspace, place, args, guard)
  const request = {
    root: workspace.root,
    files: walked.files,
    ...regex.success,
    mode: args.mode ?? "content",
    context: args.context ?? 0,
    limit: args.limit ?? DEFAULT_LIMIT,
    maxFileBytes: MAX_FILE_BYTES,
    lineChars: 500
  }
  return outputOf(args, yield* scan(request, deadline), walked, deadline)
})

export const makeGrep = (workspace: Room, options: GrepOptions = {}): Tool.Tool =>
  Tool.make({
    name: "grep",
    description:
      "Searches the text files of the workspace for a regular expression. Ignored files (.gitignore), binary files " +
      "and .git are left out. Rows are path:line:text.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 60_000,
    assess: ({ path }) => readRisk(workspace, options.guard ?? unruled, path ?? ".", "searches"),
    run: (args) => run(workspace, options, args)
  })
