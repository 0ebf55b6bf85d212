/**
 * edit_file (R082, LESSONS 21): replaces a text that stands exactly once, or everywhere. The matching is editMatch's;
 * here: the file as it is now, whether it changed behind the model's back, and the write.
 * Effect class `probe`: after a crash the file's content says whether it happened.
 */
import { Effect, Result, Schema } from "effect"
import type { Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { diffPreview } from "./diffPreview.ts"
import { applyEdit, type Edit } from "./editMatch.ts"
import { fileKind } from "./fileKind.ts"
import { intentOf, judge } from "./fileIntent.ts"
import type { FileTracker } from "./fileTracker.ts"
import { failed, toToolError, writeRisk } from "./pathRisk.ts"
import { WHOLE_BYTES } from "./readFile.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to change, relative to the workspace." }),
  old_text: Schema.String.annotate({
    description:
      "The text to replace, exactly as it stands in the file, with its indentation. Must stand there once, unless replace_all is set."
  }),
  new_text: Schema.String.annotate({ description: "The text to put in its place, taken literally." }),
  replace_all: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Replace every place where old_text stands. Default false." })
  )
})
type Args = typeof Parameters.Type
type Room = (typeof Workspace)["Service"]

const editOf = (args: Args): Edit => ({ ...args, replace_all: args.replace_all ?? false })

const outputOf = (args: Args, replacements: number, line: number): Tool.ToolOutput => ({
  content: `Edited ${args.path}: ${replacements} replacement${replacements === 1 ? "" : "s"}, the first at line ${line}.`
})

const edit = Effect.fnUntraced(function* (workspace: Room, tracker: FileTracker, args: Args, mark: string) {
  const { bytes, file } = yield* workspace.read(args.path, WHOLE_BYTES)
  const { real } = file.place
  if (tracker.isStale(real, bytes)) {
    return yield* failed(
      `${JSON.stringify(args.path)} changed since it was last read here; read it again before editing it.`,
      "file_changed"
    )
  }
  if (fileKind(bytes).kind !== "text")
    return yield* failed(`${JSON.stringify(args.path)} is not a text file.`, "not_text")
  const edited = applyEdit(bytes, editOf(args))
  if (Result.isFailure(edited)) return yield* failed(`${args.path}: ${edited.failure.text}`, edited.failure.trouble)
  const { success } = edited
  yield* workspace.write(args.path, success.bytes, { expected: file.stamp, mark })
  tracker.remember(real, success.bytes)
  return outputOf(args, success.replacements, success.line)
})

const preview = (workspace: Room, args: Args) =>
  workspace.read(args.path, WHOLE_BYTES).pipe(
    Effect.map(({ bytes }) => {
      const edited = applyEdit(bytes, editOf(args))
      if (Result.isFailure(edited)) return { kind: "text" as const, text: `${args.path}: ${edited.failure.text}` }
      return diffPreview(args.path, bytes.toString("utf8"), edited.success.bytes.toString("utf8"))
    }),
    Effect.catch(() => Effect.succeed(undefined))
  )

/** An edit that does not fit changes nothing; it says so when it runs. */
const intent = (workspace: Room, args: Args) =>
  workspace.read(args.path, WHOLE_BYTES).pipe(
    Effect.map(({ bytes }) => {
      const edited = applyEdit(bytes, editOf(args))
      return Result.isFailure(edited) ? undefined : intentOf(bytes, edited.success.bytes)
    }),
    Effect.catch(() => Effect.succeed(undefined))
  )

const probe = (workspace: Room, args: Args, begun: Tool.FileIntent | undefined): Effect.Effect<Tool.Probe> =>
  workspace.read(args.path, WHOLE_BYTES).pipe(
    Effect.map(({ bytes }) => judge(bytes, begun, { content: `Edited ${args.path}.` })),
    Effect.catch(() => Effect.succeed<Tool.Probe>({ state: "unknown" }))
  )

export const makeEditFile = (workspace: Room, tracker: FileTracker): Tool.Tool =>
  Tool.make({
    name: "edit_file",
    description:
      "Replaces a text in a file of the workspace. old_text must stand in the file exactly once (or set replace_all). " +
      "Line ends (LF or CRLF) are matched either way and kept. Read the file first.",
    parameters: Parameters,
    effect: "probe",
    timeout_ms: 30_000,
    assess: ({ path }) => writeRisk(workspace, path),
    preview: (args) => preview(workspace, args),
    run: (args, context) =>
      edit(workspace, tracker, args, Tool.markOf(context)).pipe(
        Effect.catchTag("WorkspaceError", (error) => Effect.fail(toToolError(error)))
      ),
    intent: (args) => intent(workspace, args),
    probe: (args, begun) => probe(workspace, args, begun)
  })
