/**
 * Sockets in a workspace, for a person to see. A program of the user's listens there, and whoever reaches it has that one do
 * things outside: in each call an empty file lies over every socket that is there when it begins. Owns nothing but that look.
 */
import { shownName } from "../fileNames.ts"
import { realOf } from "../look.ts"
import { findRepositories } from "./repositories.ts"

/** Relative to the workspace. */
export const socketsIn = (workspace: string): ReadonlyArray<string> => {
  const root = realOf(workspace)
  if (root === undefined) return []
  return findRepositories(root).sockets.map((path) => shownName(path.slice(root.length + 1)))
}
