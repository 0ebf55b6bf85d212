/**
 * Empty directories that stand, while calls run, where the control plane does not exist yet: only what is there can
 * be mounted over. git does not see empty directories, and removing one never removes anybody's content.
 * Owns: making them and taking them away, also between several claws in one workspace: each call leaves its mark, an
 * empty directory too, inside; who cannot remove the stand-in was not the last. Marks of the dead are taken away.
 */
import { mkdirSync, readdirSync, rmdirSync } from "node:fs"
import { join } from "node:path"
import { isAlive, own } from "../ProcessIdentity.ts"

const PREFIX = ".claw-call "
let calls = 0

const attempt = (action: () => unknown): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

/** `.claw-call <number> <process>` */
const ownerOf = (mark: string): string => mark.slice(PREFIX.length).replace(/^\d+ /, "")

const removeDead = (path: string): void => {
  const marks = readdirSync(path).filter((name) => name.startsWith(PREFIX))
  for (const mark of marks) if (!isAlive(ownerOf(mark))) attempt(() => rmdirSync(join(path, mark)))
}

const put = (path: string, mark: string): void => {
  // Another call may take it away between the two steps.
  for (let tries = 0; tries < 20; tries += 1) {
    attempt(() => mkdirSync(path, { mode: 0o755 }))
    if (attempt(() => mkdirSync(join(path, mark), { mode: 0o700 }))) return
  }
  throw new Error(`nothing could be put in the place of ${path}`)
}

/** Whether this is a stand-in: of another call, or of one that died. */
export const isStandIn = (path: string): boolean => {
  try {
    const names = readdirSync(path)
    return names.length > 0 && names.every((name) => name.startsWith(PREFIX))
  } catch {
    return false
  }
}

/** Where only calls put something that were killed. True: it is gone. */
export const clearStandIn = (path: string): boolean => {
  if (!isStandIn(path)) return false
  attempt(() => removeDead(path))
  return attempt(() => rmdirSync(path))
}

/** The way to take them away again. Throws where one cannot be put; then none is left. */
export const standIn = (paths: ReadonlyArray<string>): (() => void) => {
  const mark = `${PREFIX}${calls++} ${own()}`
  const done: Array<string> = []
  const remove = (): void => {
    for (const path of done.toReversed()) {
      attempt(() => rmdirSync(join(path, mark)))
      attempt(() => removeDead(path))
      attempt(() => rmdirSync(path))
    }
  }
  try {
    for (const path of paths) {
      put(path, mark)
      done.push(path)
    }
  } catch (error) {
    remove()
    throw error
  }
  return remove
}
