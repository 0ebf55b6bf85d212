/**
 * What stands in a workspace after claw was killed in the middle of an isolated call: git's locks and other files that were
 * held, empty directories in the place of settings, repositories that nobody judged. Owns: finding and taking away, for a
 * start of claw and for `claw doctor`. Invariant: what a call that still runs has put there stays, and so does whatever has
 * another content than claw's own.
 */
import type { IsolationSettings } from "../Isolation.ts"
import { hasLost } from "./callRecords.ts"
import { guardedPaths } from "./guardedPaths.ts"
import { clearHeld, isLeft } from "./heldFiles.ts"
import { reviewLost } from "./lookAround.ts"
import { attempt, realOf } from "../look.ts"
import { findRepositories } from "./repositories.ts"
import { clearStandIn, isStandIn } from "./standIns.ts"

export interface Place {
  readonly workspace: string
  readonly home: string | undefined
  readonly state: string
  readonly settings: Pick<IsolationSettings, "write">
}

const planOf = (root: string, { home, settings }: Place) => {
  const write = settings.write.flatMap((path) => realOf(path) ?? [])
  const repositories = findRepositories(root).found.filter(({ path }) => path.isWellFormed())
  const { guarded, held } = guardedPaths({ root, home, write, repositories })
  const absent = guarded.flatMap(({ how, path }) => (how === "absent" ? [path] : []))
  return { held, absent: Array.from(new Set(absent)) }
}

/** Looks only. */
export const findRemains = (place: Place): ReadonlyArray<string> => {
  const root = realOf(place.workspace)
  const plan = root === undefined ? undefined : attempt(() => planOf(root, place))
  if (plan === undefined) return []
  return [...plan.held.filter(isLeft).map(({ git }) => git), ...plan.absent.filter(isStandIn)]
}

/** What was taken away: claw's own, and nothing else. */
export interface Cleared {
  /** Repositories in which files had been held. */
  readonly held: ReadonlyArray<string>
  /** Empty directories in the place of settings. */
  readonly standIns: ReadonlyArray<string>
}

const nothing: Cleared = { held: [], standIns: [] }

/** Takes it away; what it was. `known`: only where a call is known to have been cut off here. */
export const clearRemains = (place: Place, known: boolean): Cleared => {
  const root = realOf(place.workspace)
  if (root === undefined || (known && !hasLost(place.state, root))) return nothing
  const plan = attempt(() => planOf(root, place))
  if (plan === undefined) return nothing
  return { held: plan.held.filter(clearHeld).map(({ git }) => git), standIns: plan.absent.filter(clearStandIn) }
}

/** Puts aside what calls made that were cut off here, and forgets them; sentences of it. */
export const reviewRemains = ({ state, workspace }: Place): ReadonlyArray<string> => {
  const root = realOf(workspace)
  return root === undefined || !hasLost(state, root) ? [] : reviewLost(root, state)
}
