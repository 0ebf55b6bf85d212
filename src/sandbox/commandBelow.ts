/**
 * What a command reaches below the directories that its words name (SECURITY P10, P11). Owns: which commands go there, and
 * the look at what lies there. Looks, changes nothing. Invariant: a directory that holds the control plane is never changed
 * as a whole without a question, and one that cannot be looked through counts as one that leads outside.
 */
import { lstatSync } from "node:fs"
import { basename } from "node:path"
import type { Paths } from "./commandPaths.ts"
import type { ShellWord } from "./commandWords.ts"
import { guardOf } from "./controlPlane.ts"
import { entriesOf, onDisk } from "./fileNames.ts"

const MAX_ENTRIES = 2_000
const MAX_CHANGED = 10_000
/** What others brought along: nobody's own repository lies there. */
const BROUGHT: ReadonlySet<string> = new Set(["node_modules"])

const CHANGES: ReadonlySet<string> = new Set(["rm", "chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr"])
/** They follow the links that they find. */
const FOLLOWS: ReadonlySet<string> = new Set(["diff"])
const RECURSIVE = /^(?:-[A-Za-z]*[rR]|--rec)/

/** The control plane at the top or deeper; `many`: there is more than can be looked through. */
const holdsControl = (directory: string, { budget }: Paths): "none" | "some" | "many" => {
  const open = [directory]
  let seen = 0
  for (const path of open) {
    for (const { entry, name } of entriesOf(path)) {
      budget.spend()
      if ((seen += 1) > MAX_CHANGED) return "many"
      if (guardOf(`${basename(path)}/${name}`).kind === "forbidden") return "some"
      if (entry.isDirectory() && !BROUGHT.has(name)) open.push(`${path}/${name}`)
    }
  }
  return "none"
}

const whyChanged = (path: string, paths: Paths): ReadonlyArray<string> => {
  const held = BROUGHT.has(basename(path)) ? "none" : holdsControl(path, paths)
  if (held === "none") return []
  return [held === "some" ? `${path} holds the control plane` : `${path} holds too much to be looked through`]
}

/** Whether a link below leads outside, or nobody can say. */
const leadsOut = (directory: string, paths: Paths): boolean => {
  const open = [directory]
  let seen = 0
  for (const path of open) {
    for (const { entry, name } of entriesOf(path)) {
      paths.budget.spend()
      if ((seen += 1) > MAX_ENTRIES) return true
      if (entry.isSymbolicLink() && !paths.place(`${path}/${name}`).inside) return true
      if (entry.isDirectory()) open.push(`${path}/${name}`)
    }
  }
  return false
}

const isDirectory = (path: string): boolean =>
  lstatSync(onDisk(path), { throwIfNoEntry: false })?.isDirectory() === true

/** Why a recursive command is not plain. */
export const reachesBelow = (name: string, words: ReadonlyArray<ShellWord>, paths: Paths): ReadonlyArray<string> => {
  const changes = CHANGES.has(name)
  if (!(changes || FOLLOWS.has(name)) || !words.some((word) => RECURSIVE.test(word.value))) return []
  const places = words
    .filter((word) => !word.value.startsWith("-"))
    .flatMap((word) => (word.glob ? (paths.matches(word.value) ?? []) : [paths.place(word.value)]))
  try {
    const found = [...new Set(places.filter(({ inside }) => inside).map(({ path }) => path))].filter(isDirectory)
    if (changes) return found.flatMap((path) => whyChanged(path, paths))
    return found.filter((path) => leadsOut(path, paths)).map((path) => `links below ${path} may lead outside`)
  } catch {
    return ["what lies below cannot be looked through"]
  }
}
