/** list_dir (R082): what is in one folder, sorted, hidden entries included, links shown as links and not followed. */
import { Effect, Schema } from "effect"
import type { Entry, Workspace } from "../../sandbox/Workspace.ts"
import * as Tool from "../Tool.ts"
import { readRisk, toToolError } from "./pathRisk.ts"

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

const outputOf = (entries: ReadonlyArray<Entry>): Tool.ToolOutput => {
  if (entries.length === 0) return { content: "(the folder is empty)" }
  const rows = entries.slice(0, MAX_ENTRIES).map(rowOf)
  if (entries.length <= MAX_ENTRIES) return { content: rows.join("\n") }
  return {
    content: `${rows.join("\n")}\n[${entries.length} entries; the first ${MAX_ENTRIES} are shown]`,
    truncated: true
  }
}

export const makeListDir = (workspace: (typeof Workspace)["Service"]): Tool.Tool =>
  Tool.make({
    name: "list_dir",
    description: "Lists one folder of the workspace. Folders end with /. To find files in many folders use glob.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 30_000,
    assess: ({ path }) => readRisk(workspace, path ?? ".", "lists"),
    run: ({ path }) => Effect.mapBoth(workspace.list(path ?? "."), { onFailure: toToolError, onSuccess: outputOf })
  })
