/**
 * Commands after which something is gone that nothing has kept. Owns: the table. A grant of their first words is neither
 * offered nor honoured, since the next one would take something else away; this very call can be granted, and a rule that a
 * person wrote counts. Does not own: what no person should be asked about (commandRefused).
 */
import { lstatSync } from "node:fs"
import { skipOptions } from "./commandOptions.ts"
import type { Paths } from "./commandPaths.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const PROGRAMS = set("rm unlink shred dd truncate srm wipe")
const BELOW = set("chmod chown chgrp setfacl setfattr")
const RECURSIVE = /^(?:-[A-Za-z]*R|--rec)/

/** git's command → the words that make it lose work; `true`: it always does. */
const GIT: Readonly<Record<string, RegExp | true>> = {
  clean: true,
  reset: /^--(?:ha|me|ke)/,
  checkout: /^(?:--$|\.$|-[A-Za-z]*[fB]|--(?:force|ours|theirs|merge|pathspec))/,
  switch: /^(?:-[A-Za-z]*[fC]|--force|--discard)/,
  branch: /^(?:-[A-Za-z]*[DMCf]|--force)/,
  tag: /^(?:-[A-Za-z]*[df]|--force|--delete)/,
  stash: /^(?:drop|clear)$/,
  reflog: /^(?:expire|delete)$/,
  worktree: /^(?:remove|prune)$/,
  gc: /^--prune/,
  // `+main` and `:main` force and delete as the options do.
  push: /^(?:-[A-Za-z]*[fd]|--force|--delete|--mirror|--prune|\+.|:.)/,
  rm: /^(?:-[A-Za-z]*f|--force)/,
  fetch: /^(?:-[A-Za-z]*f|--force|\+.)/,
  notes: /^(?:remove|prune)$/,
  merge: /^--ab/,
  rebase: /^--(?:ab|sk)/,
  "cherry-pick": /^--(?:ab|sk)/,
  revert: /^--(?:ab|sk)/,
  am: /^--(?:ab|sk)/
}

/** `git checkout evil src`, or a name that is a file and no branch: the file as it is here is gone. */
const checksOutPaths = (words: ReadonlyArray<string>, { place, budget }: Paths): boolean => {
  if (words.some((word) => /^(?:-[A-Za-z]*[bt]|--(?:orphan|track))/.test(word))) return false
  const [first, ...more] = words.filter((word) => !word.startsWith("-"))
  if (first === undefined) return false
  budget.spend()
  return more.length > 0 || lstatSync(place(first).path, { throwIfNoEntry: false }) !== undefined
}

const STAGED = /^(?:--staged|-S)$/
const WORKTREE = /^(?:--worktree|-W)$/

const gitDestroys = (args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const [command = "", ...rest] = args.slice(skipOptions(args, 0, set("-C -c --git-dir --work-tree --namespace")))
  const lost = `git ${command} loses work that nothing keeps`
  if (command === "restore")
    return rest.some((word) => STAGED.test(word)) && !rest.some((word) => WORKTREE.test(word)) ? undefined : lost
  if (command === "checkout" && checksOutPaths(rest, paths)) return lost
  if (command === "clean" && rest.some((word) => /^(?:-[A-Za-z]*n|--dry-run$)/.test(word))) return undefined
  const when = Object.hasOwn(GIT, command) ? GIT[command] : undefined
  return when === true || (when !== undefined && rest.some((word) => when.test(word))) ? lost : undefined
}

/** Why no grant of its first words is given; undefined: it destroys nothing. */
export const destroys = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  if (PROGRAMS.has(name)) return `${name} takes away what it names`
  if (BELOW.has(name) && args.some((word) => RECURSIVE.test(word))) return `${name} changes all that lies below`
  if (name === "find" && args.includes("-delete")) return "find deletes what it finds"
  return name === "git" ? gitDestroys(args, paths) : undefined
}
