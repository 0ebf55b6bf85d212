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
  if (same(now, item.to)) return undefined
  if (!same(now, item.from)) return "changed"
  try {
    if (item.to === null) await Places.remove(root, item, since, blobs, limits)
    else await Places.replace(root, item, markOf(plan, item), blobs, limits)
    return undefined
  } catch (error) {
    return error instanceof Places.Otherwise ? "changed" : "blocked"
  }
}

const depth = ({ path }: PlanItem): number => path.split("/").length

/** Removing comes first, deepest first: a file may stand where a directory was, and the other way round. */
const ordered = (items: ReadonlyArray<PlanItem>): ReadonlyArray<PlanItem> => [
  ...items.filter(({ to }) => to === null).toSorted((a, b) => depth(b) - depth(a)),
  ...items.filter(({ to }) => to !== null).toSorted((a, b) => (a.path < b.path ? -1 : 1))
]

export const carryOut = async (site: Site, plan: string, { items, since }: PlanRecord): Promise<Restored> => {
  const files: Array<string> = []
  const kept: Array<KeptFile> = []
  for (const item of ordered(items)) {
    const reason = await one(site, plan, since, item)
    if (reason === undefined) files.push(shown(item.path))
    else kept.push({ path: shown(item.path), reason })
  }
  return { files: files.toSorted(), kept }
}
