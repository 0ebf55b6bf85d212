/**
 * A file that is made for somebody: there whole or not at all, also where the process is killed. Owns: the name it has
 * meanwhile, and what killed ones left. Invariants: nothing that is there is written over; a file that a living process
 * is making stays.
 */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Points from "../observability/Points.ts"

const ARRIVING = ".claw-part"

const synced = (path: string, flags: string): void => {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Gives a file its name where that is free. Not every file system has links. */
const named = (file: string, target: string): void => {
  try {
    linkSync(file, target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST" || existsSync(target)) throw cause
    renameSync(file, target)
  }
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH"
  }
}

/** Removes what processes that are gone were making: names with their number between `head` and one of `tails`. */
export const clearAway = (directory: string, head: string, tails: ReadonlyArray<string>): void => {
  for (const found of readdirSync(directory)) {
    const tail = tails.find((end) => found.startsWith(head) && found.endsWith(end))
    if (tail === undefined) continue
    const digits = found.slice(head.length, found.length - tail.length)
    if (/^\d+$/.test(digits) && isGone(Number(digits))) rmSync(join(directory, found), { force: true })
  }
}

const taken = (target: string) =>
  Object.assign(new Error(`EEXIST: file already exists, '${target}'`), { code: "EEXIST" })

/** `write` makes the file it is given. `EEXIST` where `target` is there. */
export const put = (target: string, write: (path: string) => void): void => {
  const arriving = `${target}.${process.pid}${ARRIVING}`
  if (existsSync(target)) throw taken(target)
  clearAway(dirname(target), `${basename(target)}.`, [ARRIVING])
  try {
    write(arriving)
    Points.reach("new file arriving")
    synced(arriving, "r+")
    named(arriving, target)
    synced(dirname(target), "r")
  } finally {
    rmSync(arriving, { force: true })
  }
}
