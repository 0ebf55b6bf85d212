/** glob (R082): files by name pattern, sorted by path, as far as .gitignore leaves them. */
import { join } from "node:path"
import { Effect, Result, Schema } from "effect"
import type { Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { failed, readRisk, toToolError } from "./pathRisk.ts"
import { matchNames } from "./matchNames.ts"
import { compileGlob } from "./pattern.ts"
import { leftOutNote, type ReadGuard, unruled } from "./readGuard.ts"
import { walk } from "./walk.ts"

const DEFAULT_LIMIT = 200
const MAX_LIMIT = 2_000
/** Looked at, not shown. */
const MAX_FILES = 100_000

const Parameters = Schema.Struct({
  pattern: Schema.String.annotate({
    description: "Glob such as src/**/*.ts or *.md. Without a slash it matches names in every folder."
  }),
  path: Schema.optionalKey(Schema.String.annotate({ description: "Folder to search. Default: the workspace." })),
  include_hidden: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Search hidden files and folders too. Default false." })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT })).annotate({
      description: `At most so many files. Default ${DEFAULT_LIMIT}.`
    })
  )
})
type Args = typeof Parameters.Type
type Room = (typeof Workspace)["Service"]

const run = Effect.fnUntraced(function* (workspace: Room, guard: ReadGuard, args: Args, deadline?: number) {
  const glob = compileGlob(args.pattern)
  if (Result.isFailure(glob)) return yield* failed(glob.failure, "bad_pattern")
  const place = yield* Effect.mapError(workspace.locate(args.path ?? "."), toToolError)
  if (place.kind !== "directory")
    return yield* failed(`${JSON.stringify(args.path)} is not a directory.`, "not_directory")
  const hidden = args.include_hidden === true || glob.success.hidden
  const limit = args.limit ?? DEFAULT_LIMIT
  // That a file with secrets is there is no secret.
  const leaveOut = (relative: string) => guard.ruled("glob", join(workspace.root, relative))
  const options = { hidden, maxFiles: MAX_FILES, accept: () => true, leaveOut }
  const walked = yield* Effect.mapError(walk(workspace, place.relative, options), toToolError)
  const found = yield* matchNames(workspace.root, place.relative, walked, glob.success, deadline)
  const { complete, ending, files, left } = found
  if (ending !== "done")
    return yield* failed("The search was stopped; use a simpler pattern or a smaller folder.", "too_slow")
  const note = leftOutNote(left)
    .map((one) => `\n[${one}]`)
    .join("")
  if (files.length === 0) return { content: `(no files match)${note}`, truncated: left > 0 }
  const more = files.length > limit || !complete
  const rest = more
    ? `\n[${complete ? files.length : `more than ${files.length}`} files match; the first ${limit} are shown]`
    : ""
  return { content: files.slice(0, limit).join("\n") + rest + note, truncated: more || left > 0 }
})

export const makeGlob = (workspace: Room, guard: ReadGuard = unruled, deadline_ms?: number): Tool.Tool =>
  Tool.make({
    name: "glob",
    description: "Finds files of the workspace by name. Ignored files (.gitignore) and .git are left out.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 60_000,
    assess: ({ path }) => readRisk(workspace, guard, path ?? ".", "searches"),
    run: (args) => run(workspace, guard, args, deadline_ms)
  })
