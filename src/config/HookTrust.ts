/**
 * Whether a workspace's hook is still what a person trusted: looked at before each run. Owns: what of its command may
 * lead to something that is no part of what was trusted. Does not own: the form of a command (HookSettings), digests
 * (WorkspaceTrust). Reads only. Invariant: what cannot be told is a reason, and a hook with a reason does not run.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { delimiter, isAbsolute, relative, resolve, sep } from "node:path"
import { type Hook, HOOK_PROGRAMS, isOwnProgram } from "./HookSettings.ts"
import { changeOf, isStillTrusted, type Standing } from "./WorkspaceTrust.ts"

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const isIn = (workspace: string, path: string): boolean =>
  [path, real(path)].some((one) => {
    const way = relative(workspace, one)
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
  })

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

const mayRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

/** What the machine has under that name, as the runner finds it. */
const programOf = (name: string, workspace: string, path: string): string | undefined =>
  name.includes("/")
    ? name
    : path
        .split(delimiter)
        .map((directory) => resolve(workspace, directory, name))
        .find(mayRun)

/** All of an argument that may be a path: `--config=x/y` names one behind its sign. */
const namedBy = (argument: string): ReadonlyArray<string> => {
  const parts = argument.split("=")
  return parts.map((_, i) => parts.slice(i).join("=")).filter((part) => part !== "")
}

/** A file that nobody looked at when this was trusted; directories and words are what a program works on. */
const isUnseen = (workspace: string, argument: string): boolean =>
  namedBy(argument).some((path) => {
    if (isOwnProgram(path)) return false
    const place = resolve(workspace, path)
    return isFile(place) && (!isAbsolute(path) || isIn(workspace, place))
  })

const unseen = (argument: string): string =>
  `is not run: ${JSON.stringify(argument)} is a file of the workspace outside of ${HOOK_PROGRAMS}/, and no part of what is trusted`

const REVOKED = "is not run: this workspace is not trusted any more; started anew, claw goes on without it"

/** Why a workspace's hook is not run now: the end of a sentence. `path`: PATH of what is run. */
export const distrusted = (
  { state_dir, trust: standing }: { readonly state_dir: string; readonly trust: Standing },
  [program, ...rest]: Hook["command"],
  path: string
): string | undefined => {
  const { workspace } = standing
  if (!isStillTrusted(state_dir, standing)) return REVOKED
  const changed = changeOf(standing, HOOK_PROGRAMS)
  if (changed !== undefined) return changed
  if (!isOwnProgram(program)) {
    const found = programOf(program, workspace, path)
    if (found !== undefined && isIn(workspace, found)) return unseen(relative(workspace, found) || found)
  }
  const other = rest.find((argument) => isUnseen(workspace, argument))
  return other === undefined ? undefined : unseen(other)
}
