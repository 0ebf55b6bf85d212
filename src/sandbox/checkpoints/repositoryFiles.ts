/**
 * Where a person's repository lies, and what it stands at, read from its files. Owns: how git lays them out, as far as
 * that is needed. Invariants: no link is followed at the last step, nothing large is read; a `.git` file counts only
 * where what it names points back, so that nobody's archive can show another repository's words.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

export interface Found {
  /** Root of the work tree. */
  readonly root: string
  /** Of this work tree, and of all work trees. */
  readonly own: string
  readonly common: string
  readonly objects: string
  readonly index: string
  readonly exclude?: string
  readonly shallow?: string
}

const MOST_ABOVE = 40

const readSmall = (path: string, most: number): string | undefined => {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile() || stat.size > most) return undefined
      const buffer = Buffer.alloc(stat.size)
      return buffer.subarray(0, readSync(descriptor, buffer, 0, stat.size, 0)).toString("utf8")
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

const kindOf = (path: string): "file" | "directory" | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() === true ? "directory" : stat?.isFile() === true ? "file" : undefined
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The directory that a `.git` file names, where that one names the file too. */
const linked = (file: string): string | undefined => {
  const named = /^gitdir: (.+)\n?$/.exec(readSmall(file, 4096) ?? "")?.[1]
  if (named === undefined) return undefined
  const own = resolve(dirname(file), named)
  const back = readSmall(join(own, "gitdir"), 4096)?.trim()
  return back !== undefined && realOf(resolve(own, back)) === realOf(file) ? own : undefined
}

const laidOut = (root: string): Found | undefined => {
  const entry = join(root, ".git")
  const own = kindOf(entry) === "directory" ? entry : kindOf(entry) === "file" ? linked(entry) : undefined
  if (own === undefined) return undefined
  const named = readSmall(join(own, "commondir"), 4096)?.trim()
  const common = named === undefined ? own : resolve(own, named)
  const objects = join(common, "objects")
  const index = join(own, "index")
  if (kindOf(objects) !== "directory" || kindOf(join(own, "HEAD")) !== "file") return undefined
  if (lstatSync(index, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined
  const [exclude, shallow] = [join(common, "info/exclude"), join(common, "shallow")]
  return {
    root,
    own,
    common,
    objects,
    index,
    ...(kindOf(exclude) === "file" ? { exclude } : {}),
    ...(kindOf(shallow) === "file" ? { shallow } : {})
  }
}

/** Of this directory or the next above it, of the same owner, that has a `.git`. */
export const findRepository = (workspace: string): Found | undefined => {
  const { uid } = statSync(workspace)
  let at = workspace
  for (let i = 0; i < MOST_ABOVE; i++) {
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return laidOut(at)
    const above = dirname(at)
    if (above === at || statSync(above).uid !== uid) return undefined
    at = above
  }
  return undefined
}

const COMMIT = /^[0-9a-f]{40}$/

const packed = (common: string, ref: string): string | undefined =>
  readSmall(join(common, "packed-refs"), 4_194_304)
    ?.split("\n")
    .find((line) => line.endsWith(` ${ref}`))
    ?.slice(0, 40)

export interface Head {
  readonly branch?: string
  /** 40 hexadecimal digits. */
  readonly commit?: string
}

export const headOf = ({ common, own }: Found): Head => {
  const text = readSmall(join(own, "HEAD"), 4096)?.trim() ?? ""
  if (COMMIT.test(text)) return { commit: text }
  const ref = /^ref: (refs\/heads\/[^\0-\x20\x7f~^:?*[\\]+)$/.exec(text)?.[1]
  // `.invalid`: the refs are kept in a form that is not read here.
  if (ref === undefined || ref.includes("..") || ref.endsWith("/.invalid")) return {}
  const branch = ref.slice("refs/heads/".length)
  const commit = readSmall(join(common, ref), 256)?.trim() ?? packed(common, ref)
  return commit !== undefined && COMMIT.test(commit) ? { branch, commit } : { branch }
}
