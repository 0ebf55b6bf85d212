/**
 * edit_file (R082, LESSONS 21): replaces a text that stands exactly once, or everywhere. The matching is editMatch's;
 * here: the file as it is now, whether it changed behind the model's back, and the write.
 * Effect class `probe`: after a crash, the new text in the old one's place says that it happened.
 */
import { Effect, Result, Schema } from "effect"
import type { Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { diffPreview } from "./diffPreview.ts"
import { applyEdit, type Edit } from "./editMatch.ts"
import { fileKind } from "./fileKind.ts"
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

const edit = Effect.fnUntraced(function* (workspace: Room, tracker: FileTracker, args: Args) {
  const { bytes, file } = yield* workspace.read(args.path, WHOLE_BYTES)
  const { real } = file.place
  if (tracker.isStale(real, bytes)) {
    return yield* failed(
      `${JSON.stringify(args.path)} changed since it was last read here; read it again before editing it.`
    )
  }
  if (fileKind(bytes).kind !== "text") return yield* failed(`${JSON.stringify(args.path)} is not a text file.`)
  const edited = applyEdit(bytes, editOf(args))
  if (Result.isFailure(edited)) return yield* failed(`${args.path}: ${edited.failure}`)
  const { success } = edited
  yield* workspace.write(args.path, success.bytes, { expected: file.stamp })
  tracker.remember(real, success.bytes)
  return outputOf(args, success.replacements, success.line)
})

const preview = (workspace: Room, args: Args) =>
  workspace.read(args.path, WHOLE_BYTES).pipe(
    Effect.map(({ bytes }) => {
      const edited = applyEdit(bytes, editOf(args))
      if (Result.isFailure(edited)) return { kind: "text" as const, text: `${args.path}: ${edited.failure}` }
      return diffPreview(args.path, bytes.toString("utf8"), edited.success.bytes.toString("utf8"))
    }),
    Effect.catch(() => Effect.succeed(undefined))
  )

/** `old_text` that still stands as it must: not done. Gone, with the new text there: done. All else: a person. */
const probe = (workspace: Room, args: Args): Effect.Effect<Tool.Probe> =>
  workspace.read(args.path, WHOLE_BYTES).pipe(
    Effect.map(({ bytes }): Tool.Probe => {
      const contains = (text: string) =>
        bytes
          .toString("latin1")
          .replaceAll("\r\n", "\n")
          .includes(Buffer.from(text.replaceAll("\r\n", "\n")).toString("latin1"))
      const old = contains(args.old_text)
      const fresh = args.new_text !== "" && contains(args.new_text)
      if (old && !fresh) return { state: "not_done" }
      if (!old && fresh) return { state: "done", output: { content: `Edited ${args.path}.` } }
      return { state: "unknown" }
    }),
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
    run: (args) =>
      edit(workspace, tracker, args).pipe(
        Effect.catchTag("WorkspaceError", (error) => Effect.fail(toToolError(error)))
      ),
    probe: (args) => probe(workspace, args)
  })
