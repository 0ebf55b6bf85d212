/**
 * Carries a plan out, file by file. Owns: the order, and what became of each. Invariants: a file is touched only while
 * it is what the plan saw; what is done already is seen and not done again, so that a plan can be carried out any
 * number of times, also after it was cut off in the middle.
 */
import { createHash } from "node:crypto"
import type { KeptFile } from "../../domain/Event.ts"
import type { Restored } from "../Checkpoints.ts"
import type { Blobs } from "./blobs.ts"
import { type PlanItem, type PlanRecord, same, shown } from "./entry.ts"
import * as Places from "./places.ts"

export interface Site {
  readonly root: string
  readonly blobs: Blobs
  readonly limits: Places.Limits
}

const markOf = (plan: string, { path }: PlanItem): string =>
  createHash("sha256").update(`${plan}\n${path}`).digest("hex").slice(0, 16)

const one = async (
  site: Site,
  plan: string,
  since: number,
  item: PlanItem
): Promise<KeptFile["reason"] | undefined> => {
  const { root, blobs, limits } = site
  const now = await Places.look(root, item.path, blobs, limits)
  if (!same(now, item.from) || same(now, item.to)) {
    await Places.clear(root, item.path, markOf(plan, item))
    return same(now, item.to) ? undefined : "changed"
  }
  try {
    if (item.to === null) await Places.remove(root, item, since, blobs, limits)
    else await Places.replace(root, item, markOf(plan, item), blobs, limits)
    return undefined
  } catch (error) {
    return error instanceof Places.Otherwise ? "changed" : "blocked"
  }
}

const depth = ({ path }: PlanItem): number => path.split("/").length

const AT_ONCE = 16

/**
 * What may be done side by side, in order. Removing comes first, deepest first: a file may stand where a directory was,
 * and the other way round.
 */
const batches = (items: ReadonlyArray<PlanItem>): ReadonlyArray<ReadonlyArray<PlanItem>> => {
  const sorted = items.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const removed = Map.groupBy(
    sorted.filter(({ to }) => to === null),
    depth
  )
  const deepest = Array.from(removed).toSorted(([a], [b]) => b - a)
  const written = sorted.filter(({ to }) => to !== null)
  return [...deepest.map(([, group]) => group), written].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / AT_ONCE) }, (_, i) => group.slice(i * AT_ONCE, (i + 1) * AT_ONCE))
  )
}

export const carryOut = async (
  site: Site,
  plan: string,
  { items, since, kept: left = [] }: PlanRecord
): Promise<Restored> => {
  const files: Array<string> = []
  const kept: Array<KeptFile> = [...left]
  for (const batch of batches(items)) {
    const reasons = await Promise.all(batch.map((item) => one(site, plan, since, item)))
    batch.forEach(({ path }, i) => {
      const reason = reasons[i]
      if (reason === undefined) files.push(shown(path))
      else kept.push({ path: shown(path), reason })
    })
  }
  return { files: files.toSorted(), kept }
}
