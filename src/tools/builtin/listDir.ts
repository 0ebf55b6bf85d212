/** list_dir (R082): what is in one folder, sorted, hidden entries included, links shown as links and not followed. */
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Entry, Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { readRisk, toToolError } from "./pathRisk.ts"
import { leftOutNote, type ReadGuard, unruled } from "./readGuard.ts"

const MAX_ENTRIES = 1_000

const Parameters = Schema.Struct({
  path: Schema.optionalKey(Schema.String.annotate({ description: "Folder to list. Default: the workspace." }))
})

const SUFFIX: Readonly<Record<Entry["kind"], string>> = {
  file: "",
  directory: "/",
  link: "@ (link)",
  other: " (not a file)"
}

/** Names are shown on one line each, whatever is in them. */
const rowOf = ({ kind, name }: Entry): string =>
  `${/\p{Cc}/u.test(name) ? JSON.stringify(name) : name.toWellFormed()}${SUFFIX[kind]}`

const outputOf = (entries: ReadonlyArray<Entry>, left: number): Tool.ToolOutput => {
  const rows = entries.slice(0, MAX_ENTRIES).map(rowOf)
  const more = entries.length > MAX_ENTRIES ? [`${entries.length} entries; the first ${MAX_ENTRIES} are shown`] : []
  const notes = [...more, ...leftOutNote(left)]
  const body = rows.length === 0 && left === 0 ? ["(the folder is empty)"] : rows
  const content = [...body, ...notes.map((note) => `[${note}]`)].join("\n")
  return notes.length === 0 ? { content } : { content, truncated: true }
}

/** That a file with secrets is there is no secret; what a rule denies is not told. */
const list = Effect.fnUntraced(function* (workspace: (typeof Workspace)["Service"], guard: ReadGuard, path: string) {
  const { real } = yield* workspace.locate(path)
  const entries = yield* workspace.list(path)
  const shown = entries.filter(({ name }) => !guard.ruled("list_dir", join(real, name)))
  return outputOf(shown, entries.length - shown.length)
})

export const makeListDir = (workspace: (typeof Workspace)["Service"], guard: ReadGuard = unruled): Tool.Tool =>
  Tool.make({
    name: "list_dir",
    description: "Lists one folder of the workspace. Folders end with /. To find files in many folders use glob.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 30_000,
    assess: ({ path }) => readRisk(workspace, guard, path ?? ".", "lists"),
    run: ({ path }) => Effect.mapError(list(workspace, guard, path ?? "."), toToolError)
  })
