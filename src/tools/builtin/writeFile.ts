/**
 * write_file (R082, R083, LESSONS 22): a whole file in one step. A missing `content` is a complaint of the schema and
 * touches nothing; a file that changed since this session read it is not overwritten.
 * Effect class `probe`: after a crash the file's content says whether it happened.
 */
import { Effect, Schema } from "effect"
import type { OpenFile, Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import type { FileTracker } from "./fileTracker.ts"
import { diffPreview } from "./diffPreview.ts"
import { intentOf, judge } from "./fileIntent.ts"
import { failed, toToolError, writeRisk } from "./pathRisk.ts"
import { WHOLE_BYTES } from "./readFile.ts"

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to write, relative to the workspace. Missing folders are made." }),
  content: Schema.String.annotate({ description: "The complete new content of the file." })
})
type Args = typeof Parameters.Type
type Room = (typeof Workspace)["Service"]

interface Standing {
  readonly bytes: Buffer
  readonly stamp: OpenFile["stamp"]
}

const standing = Effect.fnUntraced(function* (workspace: Room, path: string) {
  const place = yield* workspace.locate(path)
  if (place.kind !== "file" || place.size > WHOLE_BYTES) return undefined
  const { bytes, file } = yield* workspace.read(path, WHOLE_BYTES)
  return { bytes, stamp: file.stamp } satisfies Standing
})

const outputOf = ({ path }: Args, bytes: number, created: boolean): Tool.ToolOutput => ({
  content: `${created ? "Created" : "Replaced"} ${path} (${bytes} bytes).`
})

const write = Effect.fnUntraced(function* (workspace: Room, tracker: FileTracker, args: Args, mark: string) {
  if (!args.content.isWellFormed()) return yield* failed("content is not valid Unicode; nothing was written.")
  const bytes = Buffer.from(args.content)
  if (bytes.length > WHOLE_BYTES)
    return yield* failed(`content has ${bytes.length} bytes; at most ${WHOLE_BYTES} can be written at once.`)
  const before = yield* standing(workspace, args.path)
  const { real } = yield* workspace.locate(args.path)
  if (before !== undefined && tracker.isStale(real, before.bytes)) {
    return yield* failed(
      `${JSON.stringify(args.path)} changed since it was last read here; read it again before writing it.`,
      "file_changed"
    )
  }
  const place = yield* workspace.write(args.path, bytes, {
    mark,
    ...(before === undefined ? {} : { expected: before.stamp })
  })
  tracker.remember(place.real, bytes)
  return outputOf(args, bytes.length, place.kind === "missing")
})

const intent = (workspace: Room, args: Args) =>
  standing(workspace, args.path).pipe(
    Effect.map((now) => intentOf(now?.bytes, Buffer.from(args.content))),
    Effect.catch(() => Effect.succeed(undefined))
  )

const probe = (workspace: Room, args: Args, begun: Tool.FileIntent | undefined): Effect.Effect<Tool.Probe> =>
  standing(workspace, args.path).pipe(
    Effect.map((now) =>
      judge(now?.bytes, begun, outputOf(args, Buffer.byteLength(args.content), begun?.before === undefined))
    ),
    Effect.catch(() => Effect.succeed<Tool.Probe>({ state: "unknown" }))
  )

export const makeWriteFile = (workspace: Room, tracker: FileTracker): Tool.Tool =>
  Tool.make({
    name: "write_file",
    description:
      "Writes a whole file of the workspace: creates it, or replaces all of its content. To change a part of a file " +
      "use edit_file.",
    parameters: Parameters,
    effect: "probe",
    timeout_ms: 30_000,
    assess: ({ path }) => writeRisk(workspace, path),
    preview: ({ content, path }) =>
      standing(workspace, path).pipe(
        Effect.map((before) => diffPreview(path, before?.bytes.toString("utf8"), content)),
        Effect.catch(() => Effect.succeed(undefined))
      ),
    run: (args, context) =>
      write(workspace, tracker, args, Tool.markOf(context)).pipe(
        Effect.catchTag("WorkspaceError", (error) => Effect.fail(toToolError(error)))
      ),
    intent: (args) => intent(workspace, args),
    probe: (args, begun) => probe(workspace, args, begun)
  })
