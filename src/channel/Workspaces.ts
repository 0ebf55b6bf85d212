/**
 * Which directory a session may be made in (SECURITY, LESSONS 48). Owns: the one rule, for connections and HTTP alike.
 * Invariants: links are resolved before anything is judged, and what was judged is what the session gets; who may not
 * manage this server has its workspace and what lies below; a refusal says no path, and whether one exists only to those
 * who may name any.
 */
import { Effect } from "effect"
import { realpathSync, statSync } from "node:fs"
import { isAbsolute, relative, sep } from "node:path"
import type { ConfigShape } from "../config/AppConfig.ts"
import { may, type Principal } from "../domain/Principal.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"

const unreadable = (detail: string | undefined, cause?: unknown) =>
  new RuntimeError({ code: "workspace_unreadable", ...(detail === undefined ? {} : { detail }), cause })

/** What is wrong with it; other failures are nobody's slip of the pen. */
const wrong = (cause: unknown): string | undefined => {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "ENOENT" || code === "ENOTDIR") return "There is no such directory on the server's machine."
  return code === "EACCES" || code === "EPERM" ? "The server may not read that directory." : undefined
}

/** The directory as it really is: a session keeps it for life. */
const directory = (path: string): Effect.Effect<string, RuntimeError> =>
  Effect.suspend(() => {
    if (!isAbsolute(path)) return Effect.fail(unreadable("A directory is named by its full path, from / on."))
    try {
      const real = realpathSync(path)
      return statSync(real).isDirectory()
        ? Effect.succeed(real)
        : Effect.fail(unreadable("That is a file, and no directory."))
    } catch (cause) {
      return Effect.fail(unreadable(wrong(cause), cause))
    }
  })

/** As a workspace of its own, a control directory would lie open to tools that may never write it from above. */
const CONTROL = /^(?:\.git|\.claw)$/i

const isWithin = (root: string, path: string): boolean => {
  const steps = relative(root, path).split(sep)
  return steps[0] !== ".." && !isAbsolute(steps.join(sep)) && !steps.some((step) => CONTROL.test(step))
}

const forbidden = () => new RuntimeError({ code: "forbidden" })

/**
 * `wanted` absent: the server's own. `forbidden`: not for this principal, which is all it learns. `workspace_unreadable`:
 * no directory, to those who may name any: whoever may manage, and with it the one person of a server without auth.
 */
export const workspaceFor = (
  config: Pick<ConfigShape, "workspace">,
  principal: Principal,
  wanted?: string
): Effect.Effect<string, RuntimeError> => {
  if (wanted === undefined) return directory(config.workspace)
  if (may(principal, "manage")) return directory(wanted)
  return Effect.flatMap(directory(config.workspace), (root) =>
    Effect.filterOrFail(Effect.mapError(directory(wanted), forbidden), (real) => isWithin(root, real), forbidden)
  )
}
