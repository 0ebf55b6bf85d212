/**
 * Acting on exactly what was checked: directories are held open by descriptor and every name is used relative to
 * that descriptor, so that an exchange between check and use finds nothing to follow (LESSONS 26, SECURITY T4).
 * Owns: opening and proving. Invariant: a descriptor that is handed out was opened without following its last
 * component, is the inode that was checked, and its real location was inside the root after it was opened.
 * Linux names a descriptor's directory by /proc/self/fd/N (openat); elsewhere the real path is resolved again.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type BigIntStats
} from "node:fs"
import { join } from "node:path"
import { isInside } from "./resolvePath.ts"

const hasProc = process.platform === "linux"
/** O_NONBLOCK: a FIFO put in the file's place must not hang the open; O_NOCTTY: nor may a terminal become ours. */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK | (constants.O_NOCTTY ?? 0)
const READ_FILE = constants.O_RDONLY | SAFE
const READ_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | SAFE

/** Something else stands where the checked thing stood. */
export class Exchanged extends Error {
  override readonly name = "Exchanged"
}

/** The same file or name, but not as it was. */
export class Changed extends Error {
  override readonly name = "Changed"
}

export interface Pin {
  readonly fd: number
  readonly real: string
}

/** A name inside a pinned directory, as a path for the next system call. */
export const below = (pin: Pin, name: string): string => join(hasProc ? `/proc/self/fd/${pin.fd}` : pin.real, name)

export const release = (pin: Pin): void => closeSync(pin.fd)

const locationOf = (fd: number, real: string): string =>
  hasProc ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(real)

const prove = (root: string, fd: number, real: string, checked: BigIntStats | undefined): BigIntStats => {
  const stats = fstatSync(fd, { bigint: true })
  const location = locationOf(fd, real)
  if (location !== real || !isInside(root, location)) throw new Exchanged("it was exchanged while it was being opened")
  if (checked !== undefined && (stats.dev !== checked.dev || stats.ino !== checked.ino)) {
    throw new Exchanged("it was exchanged while it was being opened")
  }
  return stats
}

const openProven = (root: string, path: string, real: string, flags: number, checked?: BigIntStats) => {
  const fd = openSync(path, flags)
  try {
    return { fd, real, stats: prove(root, fd, real, checked) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Opens a regular file for reading. The caller closes the descriptor. */
export const openFile = (root: string, real: string, checked: BigIntStats) => {
  const opened = openProven(root, real, real, READ_FILE, checked)
  if (opened.stats.isFile()) return opened
  closeSync(opened.fd)
  throw new Exchanged("it is not a regular file")
}

export const openDirectory = (root: string, real: string): Pin => openProven(root, real, real, READ_DIRECTORY)

/** Opens `names` below `anchor`, making each directory that is missing. */
export const makeDirectories = (root: string, anchor: string, names: ReadonlyArray<string>): Pin => {
  let pin = openDirectory(root, anchor)
  for (const name of names) {
    try {
      makeOne(pin, name)
      const next = openProven(root, below(pin, name), join(pin.real, name), READ_DIRECTORY)
      closeSync(pin.fd)
      pin = next
    } catch (error) {
      closeSync(pin.fd)
      throw error
    }
  }
  return pin
}

const makeOne = (pin: Pin, name: string): void => {
  try {
    mkdirSync(below(pin, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/** Makes a rename durable; a file system that cannot sync a directory is no reason to fail a finished write. */
export const syncDirectory = (pin: Pin): void => {
  try {
    fsyncSync(pin.fd)
  } catch {}
}
