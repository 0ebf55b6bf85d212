/**
 * Files that stand in a repository while calls run, so that neither a command makes them nor git replaces what is mounted
 * over: a file that is replaced outside loses its mount inside. `commondir` and `config.worktree` say what git takes
 * without them; git's own lock on a configuration keeps git outside from rewriting it until the last call has ended.
 * Owns: making them and taking them away, also between several claws: in a directory of the repository that is covered
 * in every call each call leaves its mark, and who finds no other takes the files away. Marks of the dead count for nothing.
 * Invariants: each appears and goes in one step; what has another content than ours is never removed.
 */
import {
  linkSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { isAlive, own } from "../ProcessIdentity.ts"
import { attempt, kindOf, namesIn, textOf } from "../look.ts"

const HELD = "# Held by claw while a command runs in isolation; it goes with the command.\n"

/** To git the same as none. */
const CONTENT: Readonly<Record<string, string>> = { commondir: ".\n" }
const contentOf = (name: string): string => CONTENT[name] ?? HELD

/** The directory of marks. */
export const HOLDERS = "claw-calls"
const LOCK = "lock"
const TRIES = 2_000
let calls = 0

const sleep = new Int32Array(new SharedArrayBuffer(4))

/** One claw at a time; the directory goes when nobody's mark is in it. */
const alone = (place: string, action: () => void): void => {
  const lock = join(place, LOCK)
  for (let tries = 0; ; tries += 1) {
    attempt(() => mkdirSync(place, { mode: 0o700 }))
    if (attempt(() => (symlinkSync(own(), lock), true)) === true) break
    const holder = attempt(() => readlinkSync(lock))
    if (tries === TRIES) throw new Error(`${lock} is held${holder === undefined ? "" : ` by ${holder}`}`)
    if (holder !== undefined && !isAlive(holder)) attempt(() => unlinkSync(lock))
    else if (holder !== undefined) Atomics.wait(sleep, 0, 0, 1)
  }
  try {
    action()
  } finally {
    attempt(() => unlinkSync(lock))
    attempt(() => rmdirSync(place))
  }
}

/** `<number> <process>` */
const ownerOf = (mark: string): string => mark.replace(/^\d+ /, "")

/** git holds a lock for moments; one that stays was left by a git that died. */
const MOMENTS = 100

const put = (place: string, path: string, content: string): void => {
  for (let tries = 0; path.endsWith(".lock") && tries < MOMENTS && textOf(path) !== content; tries += 1) {
    if (kindOf(path) === "missing") break
    Atomics.wait(sleep, 0, 0, 1)
  }
  if (kindOf(path) !== "missing") return
  const temporary = join(place, "next")
  writeFileSync(temporary, content, { mode: 0o444 })
  // A file system without hard links: the look above is all there is.
  if (attempt(() => (linkSync(temporary, path), true)) === true) attempt(() => unlinkSync(temporary))
  else if (kindOf(path) === "missing") renameSync(temporary, path)
  else unlinkSync(temporary)
}

export interface Held {
  /** The repository's directory. */
  readonly git: string
  /** Absolute, in the order of making: locks first. */
  readonly files: ReadonlyArray<string>
}

const contentAt = (git: string, path: string): string =>
  path.startsWith(`${git}/`) ? contentOf(path.slice(git.length + 1)) : HELD

/** Ours, of this call or of one that was killed. */
export const isHeld = (git: string, path: string): boolean => textOf(path) === contentAt(git, path)

const release = ({ files, git }: Held, place: string, mark: string): void => {
  attempt(() => rmdirSync(join(place, mark)))
  const isDead = (name: string) => name !== LOCK && !isAlive(ownerOf(name))
  for (const name of namesIn(place).filter(isDead)) attempt(() => rmSync(join(place, name), { recursive: true }))
  if (namesIn(place).some((name) => name !== LOCK)) return
  // The locks last: while they stand, git makes none of the others.
  for (const path of files.toReversed()) if (isHeld(git, path)) attempt(() => unlinkSync(path))
}

/** The way to take them away again. Throws where they cannot be put. */
export const hold = (held: Held): (() => void) => {
  const place = join(held.git, HOLDERS)
  const mark = `${calls++} ${own()}`
  alone(place, () => {
    mkdirSync(join(place, mark), { mode: 0o700 })
    try {
      for (const path of held.files) put(place, path, contentAt(held.git, path))
    } catch (error) {
      release(held, place, mark)
      throw error
    }
  })
  return () => {
    attempt(() => alone(place, () => release(held, place, mark)))
  }
}

const left = ({ files, git }: Held): number =>
  [join(git, HOLDERS), ...files.filter((path) => isHeld(git, path))].filter((path) => kindOf(path) !== "missing").length

/** Whether calls left something there, and none is there any more. */
export const isLeft = (held: Held): boolean =>
  left(held) > 0 && !namesIn(join(held.git, HOLDERS)).some((name) => name !== LOCK && isAlive(ownerOf(name)))

/** Takes away what calls left that were killed. True: something is gone. */
export const clearHeld = (held: Held): boolean => {
  const place = join(held.git, HOLDERS)
  const before = left(held)
  if (before > 0) attempt(() => alone(place, () => release(held, place, "none")))
  return left(held) < before
}

/** All or none. */
export const holdAll = (all: ReadonlyArray<Held>): (() => void) => {
  const done: Array<() => void> = []
  const remove = () => done.toReversed().forEach((one) => one())
  try {
    for (const held of all) done.push(hold(held))
  } catch (error) {
    remove()
    throw error
  }
  return remove
}
