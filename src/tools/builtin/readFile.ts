/**
 * read_file (R082, LESSONS 20): a window of lines of a text file, as it is, so that what the model copies from it is
 * what edit_file finds. Byte order mark and CR of line ends are hidden; images and binary files are named, not shown.
 */
import { Effect, Schema } from "effect"
import type { OpenFile, Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { fileKind, SNIFF_BYTES } from "./fileKind.ts"
import type { FileTracker } from "./fileTracker.ts"
import { makeLineWindow, type WindowResult } from "./lineWindow.ts"
import { failed, readRisk, toToolError } from "./pathRisk.ts"
import { type ReadGuard, unruled } from "./readGuard.ts"

/** Up to here a file is read whole, counted, and remembered; above, only as far as the window needs. */
export const WHOLE_BYTES = 10 * 1024 * 1024
const PIECE_BYTES = 256 * 1024
const DEFAULT_LINES = 2_000
const MAX_CHARS = 60_000
const MAX_LINE_CHARS = 2_000

const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "File to read, relative to the workspace." }),
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
      description: "First line to read, counted from 1. Default 1."
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: DEFAULT_LINES })).annotate({
      description: `How many lines to read. Default and maximum ${DEFAULT_LINES}.`
    })
  )
})

const readLarge = Effect.fnUntraced(function* (file: OpenFile, window: ReturnType<typeof makeLineWindow>, bom: number) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  for (let position = bom; position < file.size && !window.isFull(); position += PIECE_BYTES) {
    window.push(decoder.decode(yield* file.read(position, PIECE_BYTES), { stream: true }))
  }
  window.push(decoder.decode())
})

const readWhole = Effect.fnUntraced(function* (
  file: OpenFile,
  window: ReturnType<typeof makeLineWindow>,
  bom: number,
  tracker: FileTracker
) {
  const bytes = yield* file.read(0, file.size)
  tracker.remember(file.place.real, bytes)
  window.push(bytes.subarray(bom).toString("utf8"))
})

const present = (offset: number, all: boolean, result: WindowResult): Tool.ToolOutput => {
  const { text, shown, seen } = result
  if (seen === 0) return { content: "(the file is empty)" }
  const complete = all && offset === 1 && shown === seen
  const clean = text.replaceAll("\u0000", "\ufffd")
  if (complete) return { content: clean }
  const last = offset + shown - 1
  const total = all ? ` of ${seen}` : ""
  const more = !all || last < seen ? `; go on with offset ${last + 1}` : ""
  const newline = clean.endsWith("\n") ? "" : "\n"
  return { content: `${clean}${newline}[lines ${offset}-${last}${total}${more}]`, truncated: more !== "" }
}

const read = Effect.fnUntraced(function* (file: OpenFile, args: typeof Parameters.Type, tracker: FileTracker) {
  const kind = fileKind(yield* file.read(0, Math.min(file.size, SNIFF_BYTES)))
  if (kind.kind === "image")
    return { content: `(${kind.format} image, ${file.size} bytes; images cannot be shown here)` }
  if (kind.kind === "binary") return { content: `(binary file, ${file.size} bytes; not shown)` }
  const offset = args.offset ?? 1
  const window = makeLineWindow({
    offset,
    lines: args.limit ?? DEFAULT_LINES,
    chars: MAX_CHARS,
    lineChars: MAX_LINE_CHARS
  })
  const whole = file.size <= WHOLE_BYTES
  yield* whole ? readWhole(file, window, kind.bom, tracker) : readLarge(file, window, kind.bom)
  const reachedEnd = whole || !window.isFull()
  const result = window.end()
  if (result.shown === 0 && result.seen > 0) {
    return yield* failed(
      `${JSON.stringify(args.path)} has only ${result.seen} lines; offset ${offset} is beyond its end.`,
      "beyond_end"
    )
  }
  return present(offset, reachedEnd, result)
})

export const makeReadFile = (
  workspace: (typeof Workspace)["Service"],
  tracker: FileTracker,
  guard: ReadGuard = unruled
): Tool.Tool =>
  Tool.make({
    name: "read_file",
    description:
      "Reads a text file of the workspace. Returns its lines as they are, at most 2000 at once; use offset and limit " +
      "for the rest of a long file. A very long line is cut, with a note. For directories use list_dir.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 30_000,
    assess: ({ path }) => readRisk(workspace, guard, path),
    run: (args) =>
      workspace.open(args.path).pipe(
        Effect.flatMap((file) => read(file, args, tracker)),
        Effect.catchTag("WorkspaceError", (error) => Effect.fail(toToolError(error))),
        Effect.scoped
      )
  })
