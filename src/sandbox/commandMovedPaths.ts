/**
 * `cd docs && cat ../secret/k`, `git -C docs show HEAD:../secret/k`: paths as they are from where a line has gone by then
 * (SECURITY P1). Owns: those paths, for rules and secrets. Invariant: the paths from the workspace's root stay: it only adds.
 */
import { resolve } from "node:path"
import type { SimpleCommand } from "../domain/Approval.ts"
import { targetOf } from "./commandMoved.ts"
import { commandPaths, type Operands } from "./commandOperands.ts"
import type { Paths } from "./commandPaths.ts"
import { literalWord } from "./commandWords.ts"

const MAX_PLACES = 8
const NONE = new Set<never>()

const from = (directory: string, paths: Paths): Paths => ({
  ...paths,
  place: (word) => paths.place(resolve(directory, word)),
  matches: (pattern) => paths.matches(pattern.startsWith("/") ? pattern : `${directory}/${pattern}`)
})

/** What the words of a command name from there; a quoted pattern counts as a live one. */
export const judgedFrom = (directory: string, { argv, names }: SimpleCommand, paths: Paths): Operands => {
  const words = argv.slice(1).map((value) => ({ ...literalWord(value), glob: /[*?[]/.test(value) }))
  return commandPaths(names[0] ?? "", words, from(directory, paths), "reads", NONE)
}

/** `-C docs`: of this one command. */
const ownDirectory = ({ argv }: SimpleCommand, paths: Paths): ReadonlyArray<string> => {
  const at = argv.indexOf("-C")
  const target = at < 0 ? undefined : argv[at + 1]
  return target === undefined || target === "." ? [] : [paths.place(target).path]
}

const isElsewhere = ({ argv }: SimpleCommand): boolean => argv[0] !== "echo" && argv[0] !== "printf" && argv.length > 1

/** The same commands with those paths; `lost`: it goes to more places than can be followed. */
export const withMovedPaths = (
  commands: ReadonlyArray<SimpleCommand>,
  paths: Paths
): { readonly commands: ReadonlyArray<SimpleCommand>; readonly lost: boolean } => {
  const places = new Set<string>()
  let lost = false
  const out = commands.map((command) => {
    const here = [...places, ...ownDirectory(command, paths)]
    const target = targetOf(command)
    const next = target === undefined || target === "-" ? undefined : target.replace(/^~(?=\/|$)/, paths.home)
    if (next !== undefined)
      for (const place of [paths.workspace, ...places]) {
        const { path } = paths.place(resolve(place, next))
        if (path !== paths.workspace || places.size > 0) places.add(path)
      }
    lost ||= places.size > MAX_PLACES
    if (lost || here.length === 0 || !isElsewhere(command)) return command
    const added = here.flatMap((directory) => judgedFrom(directory, command, paths).paths)
    return { ...command, paths: [...new Set([...command.paths, ...added])] }
  })
  return { commands: out, lost }
}
