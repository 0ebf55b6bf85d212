/**
 * The files below the working directory by whose names a build tool finds what it runs: `BUILD`, `pom.xml`, `conftest.py`
 * (SECURITY P12). Owns: one look through the workspace for a whole line. Looks, changes nothing. Invariant: a look that had
 * to end early says so, unless only what builds put out was left.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { type Budget, UNBOUNDED } from "./commandBudget.ts"
import type { Paths } from "./commandPaths.ts"
import { isOwnModule } from "./commandPythonModules.ts"
import { entriesOf, onDisk } from "./fileNames.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** What others brought along, or made of what is there. */
const SKIPPED = set(".git .hg .jj node_modules .venv venv __pycache__ site-packages .tox .nox")
/** Looked at last. */
const PUT_OUT = set(
  "target build dist out bin obj vendor .next .nuxt .cache .gradle coverage cmake-build-debug cmake-build-release"
)
const MAX_ENTRIES = 30_000
/** On a slow disk: far less than a line may take. */
const MAX_MS = 1_000

interface Spread {
  readonly root: string
  /** Absolute. */
  readonly files: ReadonlyArray<string>
  readonly complete: boolean
}

const listed = (directory: string) => {
  try {
    return entriesOf(directory)
  } catch {
    // It went away, or nobody may read it: then the tool cannot either.
    return []
  }
}

const look = (root: string, budget: Budget, max: number): Spread => {
  const files: Array<string> = []
  const [first, last]: [Array<string>, Array<string>] = [[root], []]
  let seen = 0
  const until = performance.now() + MAX_MS
  const through = (queue: Array<string>): boolean => {
    for (const directory of queue) {
      const entries = listed(directory)
      budget.spend()
      if ((seen += entries.length) > max || performance.now() > until) return false
      for (const { entry, name } of entries) {
        if (!entry.isDirectory()) files.push(join(directory, name))
        else if (!SKIPPED.has(name)) (PUT_OUT.has(name) && queue === first ? last : queue).push(join(directory, name))
      }
    }
    return true
  }
  const complete = through(first)
  if (complete) through(last)
  return { root, files, complete }
}

const looked = new WeakMap<Budget, Array<Spread>>()

const within = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

const spreadOf = ({ budget, workspace }: Paths, max: number): Spread => {
  if (budget === UNBOUNDED) return look(workspace, budget, max)
  const known = looked.get(budget) ?? []
  looked.set(budget, known)
  const found = known.find(({ complete, root }) => root === workspace || (complete && within(root, workspace)))
  if (found !== undefined) return found
  const made = look(workspace, budget, max)
  known.push(made)
  return made
}

export interface Below {
  readonly files: ReadonlyArray<string>
  /** False: there is more than can be looked through, and these are the nearest. */
  readonly complete: boolean
}

/** Files whose path from the working directory is of this form. */
export const filesBelow = (form: RegExp, paths: Paths, max = MAX_ENTRIES): Below => {
  const { complete, files } = spreadOf(paths, max)
  const from = paths.workspace.length + 1
  return { complete, files: files.filter((path) => within(paths.workspace, path) && form.test(path.slice(from))) }
}

const MAX_BESIDE = 2_000

/** Names that Python takes for its own modules in a directory, as one text. */
export const modulesBeside = (directory: string, { budget }: Paths): string => {
  try {
    const names = entriesOf(directory).slice(0, MAX_BESIDE)
    budget.spend(1 + (names.length >> 4))
    return names
      .filter(({ name }) => isOwnModule(name.split(".")[0] ?? ""))
      .filter(({ entry, name }) =>
        entry.isDirectory()
          ? statSync(onDisk(`${directory}/${name}/__init__.py`), { throwIfNoEntry: false }) !== undefined
          : /\.(?:pyc?|so)$/.test(name)
      )
      .map(({ name }) => name)
      .toSorted()
      .join("\n")
  } catch {
    return ""
  }
}
