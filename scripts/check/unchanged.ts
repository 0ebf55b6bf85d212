/**
 * What need not be looked at again: a file that passed, when neither it nor anything it reaches by imports has changed
 * since. Owns: the digests. Reads no disk.
 * Invariant: in doubt a file is looked at. What has no place in the graph (the compiler's and the linter's settings, the
 * installed packages, declarations that hold everywhere) is the ground, and another ground makes every file new.
 */
import { createHash } from "node:crypto"
import { posix } from "node:path"

export interface Source {
  /** Relative to the repository, with `/`. */
  readonly path: string
  /** Of its text. */
  readonly digest: string
  readonly imports: ReadonlyArray<string>
}

export const digestOf = (...parts: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest("hex")
}

const isOurs = (specifier: string): boolean => specifier.startsWith("./") || specifier.startsWith("../")

/** Everything a file reaches, itself first; a path that is no source stands there, too, as a table or a style sheet. */
const reach = (from: string, imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const seen = new Set([from])
  for (const path of seen) for (const next of imports.get(path) ?? []) seen.add(next)
  return [...seen]
}

/** For each source one digest of all that its types can depend on. `other` gives the digest of what is no source. */
export const closures = (
  sources: ReadonlyArray<Source>,
  ground: string,
  other: (path: string) => string
): ReadonlyMap<string, string> => {
  const digests = new Map(sources.map(({ path, digest }) => [path, digest]))
  const imports = new Map(
    sources.map(({ path, imports: specifiers }) => [
      path,
      specifiers.filter(isOurs).map((specifier) => posix.join(posix.dirname(path), specifier))
    ])
  )
  const digest = (path: string): string => {
    const known = digests.get(path) ?? other(path)
    digests.set(path, known)
    return known
  }
  return new Map(
    sources.map(({ path }) => [
      path,
      digestOf(
        ground,
        path,
        ...reach(path, imports)
          .toSorted()
          .flatMap((one) => [one, digest(one)])
      )
    ])
  )
}

/** The files that have to be looked at, in the order of `now`. */
export const stale = (
  now: ReadonlyMap<string, string>,
  passed: Readonly<Record<string, string>>
): ReadonlyArray<string> => [...now].flatMap(([path, digest]) => (passed[path] === digest ? [] : [path]))

/**
 * The files with which a linter found fault, one to a line as `path:line:…`, closed by `N problems`. `undefined`: it was
 * cut off, or says something of no file, and so tells nothing about any.
 */
export const named = (output: string, paths: Iterable<string>): ReadonlySet<string> | undefined => {
  const known = new Set(paths)
  const found = output.split("\n").flatMap((line) => {
    const path = line.slice(0, line.indexOf(":"))
    return known.has(path) ? [path] : []
  })
  return Number(/^(\d+) problems?$/m.exec(output)?.[1]) === found.length ? new Set(found) : undefined
}
