/**
 * Where the words of a command lead. Owns: the resolved place of a word, inside or outside the workspace, on the
 * control plane or a device. Only looks; never opens. Invariant: what cannot be resolved is outside, and links are
 * followed as the kernel follows them, before `..` is.
 */
import { globSync, lstatSync, realpathSync } from "node:fs"

const MAX_GLOB_MATCHES = 2_000

export interface Place {
  /** Absolute; free of links as far as it exists. */
  readonly path: string
  readonly inside: boolean
  /** Part of `.git`, `.claw` or claw's own configuration files in the workspace, or an ancestor's. */
  readonly control: boolean
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

const missing = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ""

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** Lexical: only for the part of a path that does not exist. */
const normalise = (base: string, rest: ReadonlyArray<string>): string | undefined => {
  const names = base.split("/").filter((name) => name !== "")
  for (const name of rest) {
    if (name === "" || name === ".") continue
    if (name === "..") names.pop()
    else names.push(name)
  }
  return `/${names.join("/")}`
}

/** The real path of the deepest existing ancestor, and the rest; undefined: it cannot be known. */
const resolve = (path: string): string | undefined => {
  const names = path.split("/").filter((name) => name !== "" && name !== ".")
  for (let kept = names.length; kept >= 0; kept -= 1) {
    const head = `/${names.slice(0, kept).join("/")}`
    try {
      const real = realpathSync(head)
      // A link that leads nowhere would put a new file where its author wanted it.
      if (kept < names.length && isLink(`${head === "/" ? "" : head}/${names[kept]}`)) return undefined
      return normalise(real, names.slice(kept))
    } catch (error) {
      if (!["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(missing(error))) return undefined
    }
  }
  return undefined
}

const CONTROL = /^(?:\.git|git~1|\.claw|claw~1|\.claw\.json|\.clawrc|claw\.config\.json)$/

/** Letter case, compatibility forms and trailing dots change nothing. */
export const isControlName = (name: string): boolean =>
  CONTROL.test(
    name
      .normalize("NFKC")
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .toLowerCase()
      .replace(/[. ]+$/, "")
  )

export interface Paths {
  readonly workspace: string
  readonly home: string
  readonly place: (word: string) => Place
  /** Every place that a pattern matches now; undefined: too many to look at. */
  readonly matches: (pattern: string) => ReadonlyArray<Place> | undefined
}

const contains = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)

/** One line's view of the file system: each word is looked up once. */
export const makePaths = (workspace: string, home: string): Paths => {
  const real = resolve(workspace) ?? workspace
  const seen = new Map<string, Place>()
  const find = (word: string): Place => {
    const absolute = word.startsWith("/") ? word : `${real}/${word}`
    const path = resolve(absolute)
    if (path === undefined) return { path: absolute, inside: false, control: false }
    const inside = contains(real, path)
    const names = inside ? path.slice(real.length).split("/") : path.split("/")
    return { path, inside, control: names.some(isControlName) }
  }
  const place = (word: string): Place => {
    const known = seen.get(word)
    if (known !== undefined) return known
    const found = find(word)
    seen.set(word, found)
    return found
  }
  const matches = (pattern: string) => {
    // `**` is `*` to a shell without globstar, and walking a tree is more than a look.
    const found = globSync(pattern.replace(/\*\*+/g, "*"), { cwd: real })
    return found.length > MAX_GLOB_MATCHES ? undefined : found.map(place)
  }
  return { workspace: real, home, place, matches }
}

/** The workspace itself or a directory that holds it. */
export const holdsWorkspace = (paths: Paths, path: string): boolean => contains(path, paths.workspace)
