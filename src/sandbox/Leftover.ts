/**
 * What a journaled process left behind when the harness was killed (DESIGN §7, R131).
 * Invariant: only processes that prove to be of that call are ended: same boot, and the call's marker in their
 * environment. A process id that was given to somebody else is left alone.
 */
import { Effect } from "effect"
import { endProcesses, type Leader } from "./endProcesses.ts"
import { livingMembers, startTimeOf, type Family } from "./processTable.ts"

export interface Leftover {
  readonly pid: number
  /** As `processStarted` reported it. */
  readonly start_time: string
  /** The id the process was run with. */
  readonly id: string
}

/** Its parent is gone; the kernel tells us nothing of its end. */
const NOT_OURS: Leader = { isLiving: () => false, ended: Effect.never }

const bootOf = (startTime: string): string => startTime.slice(startTime.indexOf("@"))

export const endLeftover = (leftover: Leftover, graceMs: number): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const now = startTimeOf(leftover.pid)
    if (bootOf(now) !== bootOf(leftover.start_time)) return Effect.succeed(true)
    const ownsGroup = now === leftover.start_time
    const family: Family = { leader: leftover.pid, ownsGroup, marker: leftover.id, outputs: [], seen: new Map() }
    return livingMembers(family).length === 0 ? Effect.succeed(true) : endProcesses(family, graceMs, NOT_OURS)
  })
