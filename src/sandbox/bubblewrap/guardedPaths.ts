/**
 * The control plane of one workspace as it is now (SECURITY P11, T5): what stays read-only, what may be written but not
 * be moved away, and what is kept from coming into being, for the workspace's own repository and for every other in it.
 * Owns: which paths. Does not own: the names (controlPlane.ts), the mounts, what a call makes anew (newRepositories).
 */
import { accessSync, constants } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { CONTROL_NAMES, guardOf } from "../controlPlane.ts"
import { ledTo } from "../gitLed.ts"
import { HOLDERS, isHeld, type Held } from "./heldFiles.ts"
import { attempt, isWithin, kindOf, namesIn, realOf, textOf } from "../look.ts"
import type { Guarded } from "./mounts.ts"
import type { Repository } from "./repositories.ts"
import { isStandIn } from "./standIns.ts"

export interface Place {
  readonly root: string
  readonly home: string | undefined
  /** Paths outside that may be written. */
  readonly write: ReadonlyArray<string>
  readonly repositories: ReadonlyArray<Repository>
}

export interface Plan {
  readonly guarded: ReadonlyArray<Guarded>
  readonly held: ReadonlyArray<Held>
}

const NOTHING: Plan = { guarded: [], held: [] }
const joined = (plans: ReadonlyArray<Plan>): Plan => ({
  guarded: plans.flatMap(({ guarded }) => guarded),
  held: plans.flatMap(({ held }) => held)
})

const only = (path: string, how: Guarded["how"]): Plan => ({ guarded: [{ path, how }], held: [] })
const isDirectory = (path: string): boolean => kindOf(path) === "directory" && !isStandIn(path)
const isWritable = (path: string): boolean => attempt(() => (accessSync(path, constants.W_OK), true)) === true

/** The first that is missing on the way: what stands there keeps the rest away. */
const firstMissing = (path: string): string => {
  const above = dirname(path)
  return kindOf(above) === "missing" || isStandIn(above) ? firstMissing(above) : path
}

/** Whoever may move a directory moves what is guarded below it away: each on the way stays in its place. */
const wayTo = (path: string, top: string): ReadonlyArray<Plan> => {
  const above = dirname(path)
  if (above === top || !isWithin(top, above)) return []
  return [...wayTo(above, top), ...(isDirectory(above) ? [only(above, "fixed")] : [])]
}

const ofHooks = (path: string): Plan => {
  if (kindOf(path) === "missing" || isStandIn(path)) return only(firstMissing(path), "absent")
  return kindOf(path) === "link" ? NOTHING : only(path, "readonly")
}

/** Of a further work tree, whose settings are in the common directory. */
const isOfWorkTree = (git: string): boolean => {
  const path = join(git, "commondir")
  return kindOf(path) === "file" && !isHeld(git, path)
}

/** Settings, and git's locks on them: first, so that git makes none of the others meanwhile. */
const LOCKS = ["config.worktree.lock", "config.lock"]
const OWN_SETTINGS = ["config.worktree", "commondir"]

const ofLed = (git: string, tree: string, { home, root }: Place) => {
  const { hooks, includes, programs } = ledTo(git, tree, root, home)
  const missing = includes.filter((path) => kindOf(path) === "missing" || isHeld(git, path))
  const there = includes.filter((path) => kindOf(path) === "file")
  const far = missing.filter((path) => !isDirectory(dirname(path)))
  const ways = [...hooks, ...includes, ...programs].flatMap((path) => wayTo(path, root))
  const plans = [...ways, ...[...hooks, ...far].map(ofHooks)]
  return { missing: missing.filter((path) => !far.includes(path)), there: [...there, ...programs], plans }
}

const settingsOf = (git: string, tree: string, place: Place): Plan => {
  const files = [...LOCKS, ...OWN_SETTINGS].map((name) => join(git, name))
  const others = ["config", "gitdir"].map((name) => join(git, name)).filter((path) => kindOf(path) === "file")
  const { missing, plans, there } = ofLed(git, tree, place)
  return joined([
    ...[...files, ...others, ...missing, ...there].map((path) => only(path, "readonly")),
    only(join(git, HOLDERS), "covered"),
    ofHooks(join(git, "hooks")),
    ...plans,
    { guarded: [], held: [{ git, files: [...files, ...missing] }] }
  ])
}

const ofRepository = (git: string, tree: string, place: Place): Plan => {
  const plain = kindOf(join(git, "config")) === "file" || isOfWorkTree(git)
  const hooks = kindOf(join(git, "hooks"))
  // No repository that git would have made, or one that is not ours to write: nothing of it may change.
  if (!plain || hooks === "file" || hooks === "link" || !isWritable(git)) return only(git, "readonly")
  return settingsOf(git, tree, place)
}

/** The rest is read-only as a whole: a mount each, and each call pays for all of them. */
const MOST_WRITABLE = 24

const ofOthers = (place: Place): Plan => {
  const directories = place.repositories.filter(({ kind }) => kind === "directory")
  const files = place.repositories.filter(({ kind }) => kind === "file")
  const whole = directories.slice(MOST_WRITABLE).filter(({ path }) => path !== place.root)
  return joined([
    ...directories
      .slice(0, MOST_WRITABLE)
      .map(({ path }) => ofRepository(path, path.endsWith("/.git") ? dirname(path) : path, place)),
    ...[...whole, ...files].map(({ path }) => only(path, "readonly"))
  ])
}

/** A work tree whose repository lies elsewhere, where a person lets commands write it. */
const ofPointer = (pointer: string, place: Place): Plan => {
  const [, to] = /^gitdir: (.+)$/m.exec(textOf(pointer) ?? "") ?? []
  const git = to === undefined ? undefined : realOf(resolve(dirname(pointer), to.trim()))
  if (git === undefined) return only(pointer, "readonly")
  const common = textOf(join(git, "commondir"))
  const shared = common === undefined ? git : realOf(resolve(git, common.trim()))
  const isOpen = (path: string) => place.write.some((open) => isWithin(open, path)) && !isWithin(place.root, path)
  const places = Array.from(new Set([git, shared ?? git])).filter(isOpen)
  const ways = places.flatMap((path) => place.write.flatMap((open) => wayTo(join(path, "config"), dirname(open))))
  return joined([only(pointer, "readonly"), ...ways, ...places.map((path) => ofRepository(path, place.root, place))])
}

const ofName = (name: string, place: Place): Plan => {
  const path = join(place.root, name)
  const kind = kindOf(path)
  if (kind === "missing" || isStandIn(path)) return only(path, "absent")
  // A link cannot be mounted over. Claw's own settings count only as they were trusted; git asks nobody.
  if (kind === "link" && name === ".git") throw new Error(`${path} is a link, which cannot be kept from being replaced`)
  if (kind === "link") return NOTHING
  if (name !== ".git") return only(path, "readonly")
  if (kind === "file") return ofPointer(path, place)
  return joined([only(path, "fixed"), ofRepository(path, place.root, place)])
}

/** Of other version control systems at the root: what their programs run, or where they look for it. */
const OTHER_SETTINGS = [".hg/hgrc", ".hg/hgrc-not-shared", ".hg/requires", ".hg/sharedpath", ".jj/repo/config.toml"]
/** Of those, the ones that are kept from coming into being: a directory in such a place is nothing to its program. */
const MAY_APPEAR = new Set([".hg/hgrc", ".hg/hgrc-not-shared"])

const ofOther = (name: string, root: string): Plan => {
  const path = join(root, name)
  if (!isDirectory(dirname(path))) return NOTHING
  const missing = kindOf(path) === "missing" || isStandIn(path)
  if (kindOf(path) === "link" || (missing && !MAY_APPEAR.has(name))) return NOTHING
  return joined([...wayTo(path, root), only(path, missing ? "absent" : "readonly")])
}

/** With `commondir` a directory, the root itself is never taken for a repository. */
const BARE = "commondir"

export const guardedPaths = (place: Place): Plan => {
  const { repositories, root } = place
  const there = namesIn(root).filter((name) => guardOf(name).kind === "forbidden")
  const bare = repositories.some(({ path }) => path === root) ? [] : [BARE]
  const names = Array.from(new Set([...CONTROL_NAMES, ...bare, ...there]))
  const others = OTHER_SETTINGS.map((name) => ofOther(name, root))
  return joined([...names.map((name) => ofName(name, place)), ...others, ofOthers(place)])
}
