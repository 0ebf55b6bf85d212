/**
 * Files that the options of a program with a manifest name: further manifests, or the directory in which the usual ones lie
 * (SECURITY P12). Owns: the forms of such options. Does not own: which they are (commandManifests). Looks, changes nothing.
 * Invariant: a value that is a directory stands for the files in it.
 */
import { statSync } from "node:fs"
import { Exhausted } from "./commandBudget.ts"
import type { Manifest } from "./commandManifest.ts"
import { POINTS } from "./commandManifests.ts"
import type { Paths } from "./commandPaths.ts"
import { entriesOf } from "./fileNames.ts"

export const isFile = (file: string, paths: Paths): boolean => {
  try {
    return statSync(paths.place(file).path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    // No name is so long.
    return false
  }
}

/** Values of the options that name such a file; to another of its commands the option may mean something else. */
export const optionFiles = (
  { option, words }: Manifest,
  args: ReadonlyArray<string>,
  paths: Paths
): ReadonlyArray<string> => {
  const plain = words === undefined ? [] : args.filter((word) => words.test(word))
  const named = option === undefined ? plain : [...plain, ...valuesOf(option, args)]
  return named.flatMap((value) => (isFile(value, paths) ? [value] : filesIn(value, paths)))
}

/** `kubectl apply -k overlays`: all that lies directly in it. */
const filesIn = (directory: string, paths: Paths): ReadonlyArray<string> => {
  const { inside, path } = paths.place(directory)
  if (!inside || path === paths.workspace) return []
  try {
    const entries = entriesOf(path)
    paths.budget.spend(1 + (entries.length >> 4))
    return entries.filter(({ entry }) => !entry.isDirectory()).map(({ name }) => `${path}/${name}`)
  } catch (error) {
    if (error instanceof Exhausted) throw error
    return []
  }
}

/** Attached, behind `=` or apart. */
const valuesOf = (option: RegExp, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...args.filter((_, at) => at > 0 && option.test(args[at - 1]!)),
  ...args.flatMap((word) => {
    const [, name = "", value = ""] = /^(--[\w-]+)=(.+)$/s.exec(word) ?? /^(-[A-Za-z])(.+)$/s.exec(word) ?? []
    return option.test(name) ? [value] : []
  })
]

/** `make -C sub`, `tsc -p sub/tsconfig.json`: the same files there, or that one. */
export const pointedFiles = (
  files: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  paths: Paths
): ReadonlyArray<string> =>
  valuesOf(POINTS, args).flatMap((value) => {
    const stats = statSync(paths.place(value).path, { throwIfNoEntry: false })
    if (stats?.isDirectory() === true) return files.map((file) => `${value}/${file}`)
    return stats?.isFile() === true ? [value] : []
  })
