/**
 * Where a path really leads: a walk of its own, component by component, that sees every link on the way.
 * Owns: the decision "inside or not" on the real path of the deepest existing ancestor (LESSONS 26).
 * Does not own: opening (pinned.ts), which proves again that nothing was exchanged since.
 * Invariant: a failure to resolve is a refusal; a path that leads outside is refused with the same words whether
 * or not something is there.
 */
import { lstatSync, readlinkSync, type BigIntStats } from "node:fs"
import { dirname, isAbsolute, join, relative } from "node:path"
import { isKernelAlias, refusePathText } from "./pathText.ts"

const MAX_LINKS = 40

export type Refusal = { readonly escape: boolean; readonly why: string }

export interface Resolved {
  /** Absolute and free of links as far as it exists. */
  readonly real: string
  /** The deepest existing directory on the way (the parent's, when the target itself exists). */
  readonly anchor: string
  /** Names below `anchor`; empty only for the root itself. */
  readonly names: ReadonlyArray<string>
  /** The target's own state; undefined: it does not exist yet. */
  readonly stats: BigIntStats | undefined
}

export const isInside = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith("/") ? root : `${root}/`)

interface Step {
  readonly name: string
  readonly fromLink: boolean
}

interface Walk {
  readonly root: string
  readonly queue: Array<Step>
  readonly missing: Array<string>
  cur: string
  stats: BigIntStats | undefined
  links: number
}

const OUTSIDE: Refusal = { escape: true, why: "leads outside the workspace" }
const refusal = (why: string): Refusal => ({ escape: true, why })

const lstat = (path: string): BigIntStats | undefined => lstatSync(path, { bigint: true, throwIfNoEntry: false })

const steps = (path: string, fromLink: boolean): Array<Step> =>
  path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map((name) => ({ name, fromLink }))

const followLink = (walk: Walk, link: string): Refusal | undefined => {
  walk.links += 1
  if (walk.links > MAX_LINKS) return refusal("goes through too many links")
  const target = readlinkSync(link)
  if (isAbsolute(target)) {
    walk.cur = "/"
  }
  walk.queue.unshift(...steps(target, true))
  return undefined
}

const missingStep = (walk: Walk, step: Step): Refusal | undefined => {
  // A link whose target is not there: creating "through" it would put a file where the link's author wanted it.
  if (step.fromLink) return refusal("goes through a link that leads nowhere")
  if (step.name !== "..") walk.missing.push(step.name)
  else walk.missing.pop()
  return undefined
}

const takeStep = (walk: Walk, step: Step): Refusal | undefined => {
  if (walk.missing.length > 0) return missingStep(walk, step)
  if (step.name === "..") {
    walk.cur = dirname(walk.cur)
    walk.stats = undefined
    return undefined
  }
  const next = join(walk.cur, step.name)
  if (isKernelAlias(next) && !isKernelAlias(walk.root)) return OUTSIDE
  const stats = lstat(next)
  if (stats === undefined) return missingStep(walk, step)
  if (stats.isSymbolicLink()) return followLink(walk, next)
  if (!stats.isDirectory() && walk.queue.length > 0) {
    return { escape: false, why: "goes through something that is not a directory" }
  }
  walk.cur = next
  walk.stats = stats
  return undefined
}

const finish = (walk: Walk): Resolved | Refusal => {
  const real = join(walk.cur, ...walk.missing)
  if (!isInside(walk.root, real)) return OUTSIDE
  if (walk.missing.length > 0) return { real, anchor: walk.cur, names: walk.missing, stats: undefined }
  const stats = walk.stats ?? lstat(real)
  if (real === walk.root) return { real, anchor: real, names: [], stats }
  return { real, anchor: dirname(real), names: [relative(dirname(real), real)], stats }
}

/** Resolves a path as a tool was given it, relative to `root` (absolute and real). */
export const resolvePath = (root: string, path: string): Resolved | Refusal => {
  const textual = refusePathText(path)
  if (textual !== undefined) return refusal(textual)
  const walk: Walk = {
    root,
    queue: steps(path, false),
    missing: [],
    cur: isAbsolute(path) ? "/" : root,
    stats: undefined,
    links: 0
  }
  try {
    for (let step = walk.queue.shift(); step !== undefined; step = walk.queue.shift()) {
      const refused = takeStep(walk, step)
      if (refused !== undefined) return isInside(root, walk.cur) ? refused : OUTSIDE
    }
    return finish(walk)
  } catch {
    return isInside(root, walk.cur) ? refusal("cannot be resolved") : OUTSIDE
  }
}
