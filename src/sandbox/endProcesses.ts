/**
 * Ends a family of processes: TERM, a grace, KILL, and a look whether they are gone (LESSONS 17, R131).
 * Invariant: the effect returns when no member lives, or says that one could not be ended. Timers here are real ones
 * in every environment: a death has to happen also where a test holds the clock.
 */
import { Effect } from "effect"
import { pause } from "./Pause.ts"
import { livingMembers, type Family } from "./processTable.ts"

const LONGEST_LOOK_MS = 8
/** KILL cannot be refused; a process that outlives it this long is stuck in the kernel. */
const STUCK_MS = 5_000

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone between the look and the signal: what was wanted.
  }
}

const signalAll = (members: ReadonlyArray<number>, family: Family, signal: NodeJS.Signals): void => {
  // The group first, in one system call: nobody in it gets the time to fork out of the way.
  if (family.ownsGroup && members.length > 0) send(-family.leader, signal)
  for (const pid of members) send(pid, signal)
}

/** Looks again and again, at first after a millisecond, until nobody lives or the time is over. */
const waitUntilGone = (family: Family, limit: number, each: (members: ReadonlyArray<number>) => void) =>
  Effect.gen(function* () {
    const end = performance.now() + limit
    for (let wait = 1; ; wait = Math.min(wait * 1.4, LONGEST_LOOK_MS)) {
      yield* pause(wait)
      const members = livingMembers(family)
      if (members.length === 0) return true
      if (performance.now() >= end) return false
      each(members)
    }
  })

/** True: nobody is left. */
export const endProcesses = (family: Family, graceMs: number): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const members = livingMembers(family)
    if (members.length === 0) return true
    signalAll(members, family, "SIGTERM")
    // A stopped process acts on TERM only when it goes on.
    signalAll(members, family, "SIGCONT")
    if (yield* waitUntilGone(family, graceMs, () => {})) return true
    signalAll(livingMembers(family), family, "SIGKILL")
    return yield* waitUntilGone(family, STUCK_MS, (left) => signalAll(left, family, "SIGKILL"))
  }).pipe(Effect.uninterruptible)
