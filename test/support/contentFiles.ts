/** Workspaces for what a grant is bound to. Owns: which files, changed one at a time, change that; one workspace for all. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { makeWorkspace } from "./approvalCorpus.ts"

export type Files = Readonly<Record<string, string>>

export const writeFiles = (root: string, files: Files): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

export const inWorkspace = <A>(files: Files, use: (path: string) => A): A => {
  const workspace = makeWorkspace()
  try {
    writeFiles(workspace.path, files)
    return use(workspace.path)
  } finally {
    workspace.remove()
  }
}

export const contentOf = (line: string, workspace: string) =>
  analyse(line, { workspace }).commands.map(({ content }) => content)

/** Which of these files, changed or made one at a time, change what the grant of the line is bound to. */
export const countedIn = (
  workspace: string,
  line: string,
  files: Files,
  changed: ReadonlyArray<string>
): ReadonlyArray<string> => {
  // That a directory appears is no change of a file.
  for (const path of changed) mkdirSync(dirname(join(workspace, path)), { recursive: true })
  const before = JSON.stringify(contentOf(line, workspace))
  return changed.filter((path) => {
    const own = files[path] ?? (path === "package.json" ? '{"scripts":{"test":"true"}}\n' : undefined)
    writeFiles(workspace, { [path]: `${own ?? ""}\n` })
    const after = JSON.stringify(contentOf(line, workspace))
    if (own === undefined) rmSync(join(workspace, path))
    else writeFiles(workspace, { [path]: own })
    return before !== after
  })
}

export const counted = (line: string, files: Files, changed: ReadonlyArray<string>): ReadonlyArray<string> =>
  inWorkspace(files, (workspace) => countedIn(workspace, line, files, changed))

export const unsettled = (line: string, files: Files): ReadonlyArray<string> =>
  inWorkspace(files, (workspace) => analyse(line, { workspace }).commands.flatMap((command) => command.unsettled))
