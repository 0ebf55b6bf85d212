/** When files last changed. Directories count too, for a deleted file changes only its directory. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

const changed = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((newest, name) => Math.max(newest, changed(join(path, name))), stat.mtimeMs)
}

/** Milliseconds since 1970 of the newest change at or below `paths`; 0 where none exists. */
export const newestChange = (paths: ReadonlyArray<string>): number => Math.max(0, ...paths.map(changed))
