/**
 * Where the words of a command lead. Owns: the resolved place of a word, inside or outside the workspace, on the
 * control plane or a device. Only looks; never opens. Invariant: what cannot be resolved is outside, and links are
 * followed as the kernel follows them, before `..` is.
 */
import { lstatSync, realpathSync } from "node:fs"
import { type Guard, guardAt, guardOf } from "./controlPlane.ts"
import { type Budget, Exhausted, makeBudget, UNBOUNDED } from "./commandBudget.ts"
import { onDisk, textOfBytes } from "./fileNames.ts"
import { globNames, isWild } from "./commandGlob.ts"

const MAX_PATH_BYTES = 4_096

export interface Place {
  /** Absolute; free of links as far as it exists. */
  readonly path: string
  readonly inside: boolean
  /** Never written by a tool, or asked about every time (SECURITY P11). */
  readonly guard: Guard["kind"]
}

/** Devices that keep nothing: a redirect to one is no write. */
const SINKS: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr"
])
export const isSink = (word: string): boolean => SINKS.has(word) || /^\/dev\/fd\/\d+$/.test(word)

const realOf = (path: string): string => textOfBytes(realpathSync.native(onDisk(path), "buffer")).replace(/\/$/, "")

/** The entry `name` of a directory that is real: itself, or where its link leads; undefined: it cannot be known. */
const entry = (directory: string, name: string): string | undefined => {
  if (name === "" || name === ".") return directory
  if (name === "..") return directory.slice(0, Math.max(0, directory.lastIndexOf("/")))
  const path = `${directory}/${name}`
  // No name is longer: such a word is text.
  if (Buffer.byteLength(onDisk(name)) > 255) return path
  try {
    const stats = lstatSync(onDisk(path), { throwIfNoEntry: false })
    // A link that leads nowhere would put a new file where its author wanted it: realpath fails, and so does this.
    return stats?.isSymbolicLink() === true ? realOf(path) : path
  } catch {
    return undefined
  }
}

/** Resolves name by name, so that each directory is looked at once. The root is the empty text. */
const makeResolve = () => {
  const known = new Map<string, string | undefined>([["", ""]])
  const resolve = (path: string): string | undefined => {
    if (known.has(path)) return known.get(path)
    const slash = path.lastIndexOf("/")
    const directory = resolve(path.slice(0, Math.max(0, slash)))
    const found = directory === undefined ? undefined : entry(directory, path.slice(slash + 1))
    known.set(path, found)
    return found
  }
  return (path: string): string | undefined => {
    if (Buffer.byteLength(onDisk(path)) > MAX_PATH_BYTES) return longPath(path)
    const found = resolve(path)
    return found === "" ? "/" : found
  }
}

/** What is longer than any path is text, unless it steps about. */
const longPath = (path: string): string | undefined => (path.split("/").includes("..") ? undefined : path)

export interface Paths {
  readonly workspace: string
  readonly home: string
  readonly place: (word: string) => Place
  /** Every place that a pattern matches now; undefined: too many to look at. */
  readonly matches: (pattern: string) => ReadonlyArray<Place> | undefined
  /** What the line may still cost. */
  readonly budget: Budget
}

/** To the command the directory in which it runs, to whoever looks it up here another one. */
const OWN_DIRECTORY = /^\/proc\/(?:self|thread-self|\d+|\$\$|\$PPID|\$\{PPID\})\/(?:task\/\d+\/)?cwd(?=\/|$)/

const contains = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)

/** What one pattern that leaves the workspace may cost: it asks anyway, so that too much is no refusal. */
const OUTSIDE_STEPS = 4_000

/** What such a pattern matches, which may lie inside again. */
const namesOutside = (root: string, pattern: string): ReadonlyArray<string> | undefined => {
  try {
    return globNames(root, pattern, makeBudget(OUTSIDE_STEPS, 200))
  } catch (error) {
    if (error instanceof Exhausted) return undefined
    throw error
  }
}

/** One line's view of the file system: each word is looked up once. */
export const makePaths = (workspace: string, home: string, budget = UNBOUNDED): Paths => {
  const resolve = makeResolve()
  const real = resolve(workspace) ?? workspace
  const seen = new Map<string, Place>()
  /** All of it may be there when the line is through: one command makes `objects`, the next one `HEAD`. */
  const named = new Set<string>()
  const find = (word: string): Place => {
    const absolute = word.startsWith("/") ? word.replace(OWN_DIRECTORY, real) : `${real}/${word}`
    const path = resolve(absolute)
    if (path === undefined) return { path: absolute, inside: false, guard: "free" }
    const inside = contains(real, path)
    if (!inside) return { path, inside, guard: guardOf(path).kind }
    const relative = path.slice(real.length + 1)
    for (let end = relative.length; end > 0; end = relative.lastIndexOf("/", end - 1)) named.add(relative.slice(0, end))
    return { path, inside, guard: guardAt(real, relative, named).kind }
  }
  const place = (word: string): Place => {
    const known = seen.get(word)
    if (known !== undefined) return known
    budget.spend()
    const found = find(word)
    seen.set(word, found)
    return found
  }
  const matches = (pattern: string) => {
    const segments = pattern.split("/")
    const steady = segments.slice(0, Math.max(0, segments.findIndex(isWild)))
    const base = place(steady.length === 0 ? "." : `${steady.join("/")}/`)
    // A parent step behind a wild name could leave through a link that only exists later.
    if (!base.inside || segments.slice(steady.length).includes("..")) {
      const found = namesOutside(real, pattern)
      return found && [{ ...base, inside: false }, ...found.map((name) => ({ ...place(name), inside: false }))]
    }
    return globNames(real, pattern, budget)?.map(place)
  }
  return { workspace: real, home, place, matches, budget }
}

/** The workspace itself or a directory that holds it. */
export const holdsWorkspace = (paths: Paths, path: string): boolean => contains(path, paths.workspace)
