/**
 * Files that `git add` leaves out by itself (SECURITY T2, T6): ignored and not kept yet. Owns: when that is certain. Looks,
 * changes nothing. Invariant: where a line may change what is ignored, or a `.gitignore` on the way takes something back,
 * nothing is left out.
 */
import { lstatSync, readFileSync } from "node:fs"
import ignore, { type Ignore } from "ignore"
import type { SimpleCommand } from "../domain/Approval.ts"
import { keptByGit } from "./commandGitConfig.ts"
import { onDisk } from "./fileNames.ts"

const MAX_BYTES = 1 << 18
const LEAVES = new Set(["add", "commit", "push", "status"])

const textOf = (path: string): string => {
  try {
    const stats = lstatSync(onDisk(path), { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size <= MAX_BYTES ? readFileSync(path, "utf8") : ""
  } catch {
    return ""
  }
}

const isForced = ({ argv }: SimpleCommand): boolean =>
  argv.some((word) => /^(?:-[A-Za-z]*f|--f)/.test(word) || word.startsWith("--no-"))

/** None of them can change which files are ignored before they are added. */
const areQuiet = (commands: ReadonlyArray<SimpleCommand>): boolean =>
  commands.every(
    (command) =>
      command.readOnly || (command.argv[0] === "git" && LEAVES.has(command.argv[1] ?? "") && !isForced(command))
  )

const NOTHING = (): boolean => false

/** `path`: absolute. */
export const ignoredBy = (
  commands: ReadonlyArray<SimpleCommand>,
  writes: ReadonlyArray<string>,
  workspace: string
): ((path: string) => boolean) => {
  const adds = commands.some(({ argv }) => argv[0] === "git" && argv[1] === "add")
  if (!adds || writes.length > 0 || !areQuiet(commands)) return NOTHING
  let known: readonly [rules: Ignore, kept: ReadonlySet<string>] | undefined
  const look = () => {
    const kept = keptByGit(workspace)
    // What stands in the tree counts more.
    const text = [".git/info/exclude", ".gitignore"].map((name) => textOf(`${workspace}/${name}`)).join("\n")
    return [ignore({ ignorecase: false }).add(kept === undefined ? "" : text), new Set(kept)] as const
  }
  return (path) => {
    if (!path.startsWith(`${workspace}/`)) return false
    const relative = path.slice(workspace.length + 1)
    for (let end = relative.indexOf("/"); end > 0; end = relative.indexOf("/", end + 1))
      if (/^\s*!/m.test(textOf(`${workspace}/${relative.slice(0, end)}/.gitignore`))) return false
    const [rules, kept] = (known ??= look())
    return !kept.has(path) && rules.ignores(relative)
  }
}
