/**
 * Whether the directory of claw's own state is this user's alone: who may write it may put sessions, grants and trust
 * there. Owns: that judgement, and what to do. Changes nothing: a directory that is shared on purpose is a person's.
 */
import { statSync } from "node:fs"

/** Why it cannot be trusted; undefined: it can, or is not there yet. */
export const exposure = (directory: string): string | undefined => {
  const me = process.getuid?.()
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (me === undefined || stats === undefined) return undefined
  if ((stats.mode & 0o022) !== 0)
    return `${directory} can be written by others (mode ${(stats.mode & 0o7777).toString(8).padStart(4, "0")}). Run chmod go-w on it, or set CLAW_STATE_DIR.`
  if (stats.uid !== me && stats.uid !== 0)
    return `${directory} belongs to another user. Set CLAW_STATE_DIR to a directory of your own.`
  return undefined
}
