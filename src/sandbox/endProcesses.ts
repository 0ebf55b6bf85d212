/**
 * Ends a family of processes: TERM, a grace, KILL, and a look whether they are gone (LESSONS 17, R131).
 * Invariant: the effect returns when no member lives, or says that one could not be ended. Timers here are real ones
 * in every environment: a death has to happen also where a test holds the clock.
 */
import { Effect } from "effect"
import { pause } from "./Pause.ts"
import { livingMembers, type Family, type Member } from "./processTable.ts"

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

/** The group in one system call, so that nobody in it gets the time to fork out of the way; then who left it. */
const signalAll = (members: ReadonlyArray<Member>, family: Family, signals: ReadonlyArray<NodeJS.Signals>): void => {
  const isGroupLeft = members.some(({ grouped }) => grouped)
  const targets = [
    ...(isGroupLeft ? [-family.leader] : []),
    ...members.filter(({ grouped }) => !grouped).map(({ pid }) => pid)
  ]
  for (const target of targets) for (const signal of signals) send(target, signal)
}

/** A stopped process acts on TERM only when it goes on. A second TERM means "at once" to many programs: one is sent. */
const ASK: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGCONT"]
const FORCE: ReadonlyArray<NodeJS.Signals> = ["SIGKILL"]

/** Looks when the leader has ended, then again and again, until nobody lives or the time is over. */
const waitUntilGone = (
  family: Family,
  limit: number,
  leaderEnded: Effect.Effect<unknown>,
  each: (members: ReadonlyArray<Member>) => void
) =>
  Effect.gen(function* () {
    const end = performance.now() + limit
    yield* Effect.raceFirst(leaderEnded, pause(Math.min(limit, LONGEST_LOOK_MS)))
    for (let wait = 1; ; wait = Math.min(wait * 1.4, LONGEST_LOOK_MS)) {
      const members = livingMembers(family)
      if (members.length === 0) return true
      if (performance.now() >= end) return false
      each(members)
      yield* pause(wait)
    }
  })

export interface Leader {
  /** It has not been reaped: its number is still its own, its group can be told before anybody is looked for. */
  readonly isLiving: () => boolean
  readonly ended: Effect.Effect<unknown>
}

/** True: nobody is left. */
export const endProcesses = (family: Family, graceMs: number, leader: Leader): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const isLiving = leader.isLiving()
    if (isLiving) for (const signal of ASK) send(-family.leader, signal)
    const members = livingMembers(family)
    if (members.length === 0) return true
    signalAll(isLiving ? members.filter(({ grouped }) => !grouped) : members, family, ASK)
    if (yield* waitUntilGone(family, graceMs, leader.ended, () => {})) return true
    signalAll(livingMembers(family), family, FORCE)
    return yield* waitUntilGone(family, STUCK_MS, leader.ended, (left) => signalAll(left, family, FORCE))
  }).pipe(Effect.uninterruptible)
