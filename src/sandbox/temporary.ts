/**
 * Directories for a while, where the system keeps such, or in one of claw's own. Owns: their names, which say which process made them, and that
 * what a killed one could not take away goes when the next one makes its first. Invariant: nothing of a process that
 * lives is touched, nor of one that cannot be seen from here: a container may share the directory and count its
 * processes by itself.
 */
import { mkdtempSync, readlinkSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lives } from "./ProcessIdentity.ts"

/** Only what is empty of meaning to everybody else: each is made again where it is wanted. */
export type Kind = "pipes" | "empty" | "look" | "self-test"

/** The numbering of processes that this one is counted in; 0 where a system has only one. */
const numbering = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

const ours = async (path: string): Promise<boolean> => {
  const found = await lstat(path)
  return found.isDirectory() && found.uid === process.getuid?.()
}

/** Takes away what processes left that are no more. */
export const sweepTemporary = async (place: string): Promise<void> => {
  const named = new RegExp(`^claw-(?:pipes|empty|look|self-test)-${numbering()}-(\\d+)-`)
  for (const name of await readdir(place)) {
    const pid = Number(named.exec(name)?.[1])
    const path = join(place, name)
    // A directory that another one sweeps at the same time is no failure.
    if (Number.isInteger(pid) && !lives(pid) && (await ours(path).catch(() => false)))
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

const swept = new Set<string>()

/** A new one, in a directory that is there; whoever made it takes it away. */
export const makeTemporary = (kind: Kind, place = tmpdir()): string => {
  const path = mkdtempSync(join(place, `claw-${kind}-${numbering()}-${process.pid}-`))
  if (!swept.has(place)) void sweepTemporary(place).catch(() => {})
  swept.add(place)
  return path
}
