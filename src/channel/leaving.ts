/**
 * How a session's presences go, and what becomes of it then (SETTLED 1, 2). Owns: the rule of the last one that kept it.
 * Does not own: how anybody comes (Attachments). Invariants: all of it happens under the entry's lock; who only looked
 * changes nothing; a session that nobody keeps is waited for by one fiber, or gone.
 */
import { Effect, Exit, Fiber, Scope, type Semaphore } from "effect"
import type { RequestId } from "../domain/Ids.ts"
import type { Owner, SessionKey } from "../domain/Principal.ts"
import type { Sessions } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { isIdle, untilIdle, untilUnasked } from "./untilIdle.ts"

/**
 * How somebody leaves; it counts where nobody else is present.
 * `cancel`: a client that went; its task is cancelled and its end awaited.
 * `detach`: it means to come back; the task has `detach_ms`, or as long as it may still come back, and an open question
 * its own time; then it is cancelled, and says so.
 * `run_on`: we ended it, nothing is heard of it any more, or it said so; the task runs to its end.
 * `revoked`: as `run_on`, and what it alone could answer is denied.
 * `when_idle`: it started or steered work: it stays present until that has ended, then leaves.
 * `unchanged`: it only looked: what the last other one wanted counts, as if it had not been here.
 */
export type Leaving = "cancel" | "detach" | "run_on" | "revoked" | "when_idle" | "unchanged"

export interface Presence {
  readonly counts: boolean
  /** In place of those who were there before a restart. */
  readonly standsIn: boolean
  /** The session is not given up while there is one that does. */
  keeps: boolean
  answering: boolean
  readonly onRemoved: (() => void) | undefined
  /** Ends when the right to be here does. */
  readonly revoked: Effect.Effect<void>
  /** Holds the subscription that makes questions wait. */
  readonly scope: Scope.Closeable
}

export interface Entry {
  readonly key: SessionKey
  readonly owner: Owner
  readonly lock: Semaphore.Semaphore
  readonly present: Set<Presence>
  /** Waits, with nobody present, for the task's end or for the detach time. */
  lingering: Fiber.Fiber<void> | undefined
  /** How the last one left that kept it. */
  after: Leaving
  runtime: SessionRuntime | undefined
  /** Who is about to come. */
  coming: number
}

export interface House {
  readonly entries: Map<SessionKey, Entry>
  readonly sessions: (owner: Owner) => Sessions
  readonly scope: Scope.Scope
  readonly detach_ms: number
  readonly sessions_per_principal: number
}

/** Under the entry's lock. Cancels what runs. */
export const destroy = (house: House, entry: Entry) =>
  Effect.suspend(() => {
    const { runtime } = entry
    if (runtime === undefined) return Effect.void
    entry.runtime = undefined
    return Effect.ignore(house.sessions(entry.owner).destroy(runtime.session_id))
  })

export const forget = (house: House, entry: Entry) =>
  Effect.sync(() => {
    const used = entry.coming > 0 || entry.present.size > 0 || entry.runtime !== undefined
    if (!used && house.entries.get(entry.key) === entry) house.entries.delete(entry.key)
  })

/** Under the entry's lock. */
export const dismiss = (entry: Entry) =>
  Effect.suspend(() => {
    const { lingering } = entry
    entry.lingering = undefined
    return lingering === undefined ? Effect.void : Fiber.interrupt(lingering)
  })

const deserted = (detach_ms: number): string => `nobody came back within ${detach_ms / 1000} seconds`

/** Nobody keeps it: the task goes on until its end, or for the detach time; then the session leaves memory. */
const linger = (house: House, entry: Entry, presence: Presence, runtime: SessionRuntime, how: Leaving) => {
  const idle = untilIdle(runtime)
  // A question that is open keeps its own time.
  const patience = Effect.andThen(Effect.sleep(house.detach_ms), untilUnasked(runtime))
  const grace = Effect.raceFirst(patience, presence.revoked)
  const waiting = how === "detach" ? Effect.raceFirst(idle, grace) : idle
  const giveUp = Effect.andThen(
    Effect.ignore(runtime.interrupt(undefined, deserted(house.detach_ms))),
    destroy(house, entry)
  )
  const last = entry.lock.withPermits(1)(
    Effect.suspend(() => {
      entry.lingering = undefined
      // Whoever only looks at it gives it up in our place.
      entry.after = "cancel"
      return entry.present.size === 0 ? Effect.uninterruptible(giveUp) : Effect.void
    })
  )
  return Effect.andThen(waiting, last).pipe(
    Effect.ensuring(Scope.close(presence.scope, Exit.void)),
    Effect.ensuring(Effect.suspend(() => forget(house, entry)))
  )
}

const REVOKED = "Whoever could have answered may no longer do so."

/** What was asked of somebody who may no longer answer is denied, unless somebody else can. */
const denyOpen = Effect.fnUntraced(function* (entry: Entry, runtime: SessionRuntime) {
  if (Array.from(entry.present).some(({ answering }) => answering)) return
  const { pending_approvals } = yield* runtime.status
  const deny = ({ request_id }: { readonly request_id: RequestId }) =>
    Effect.ignore(runtime.answer({ request_id, decision: "deny", reason: REVOKED, withdrawn: true }))
  yield* Effect.forEach(pending_approvals, deny, { discard: true })
})

/** What was asked of somebody who hung up fails, unless somebody else can answer it. Under the entry's lock. */
export const desertOpen = (entry: Entry, runtime: SessionRuntime): Effect.Effect<void> =>
  Array.from(entry.present).some(({ answering }) => answering) ? Effect.void : runtime.desert

/** What the last one who kept the session wants, or wanted. Under the entry's lock. */
const apply = Effect.fnUntraced(function* (
  house: House,
  entry: Entry,
  presence: Presence,
  runtime: SessionRuntime,
  how: Leaving
) {
  const close = Scope.close(presence.scope, Exit.void)
  const looked = entry.present.size > 0
  if (how === "cancel" || isIdle(yield* runtime.state)) {
    return yield* looked ? close : Effect.ensuring(destroy(house, entry), close)
  }
  yield* dismiss(entry)
  const waiting = Effect.interruptible(linger(house, entry, presence, runtime, how))
  entry.lingering = yield* Effect.forkIn(waiting, house.scope, { startImmediately: true })
})

/** Under the entry's lock. */
export const goOut = Effect.fnUntraced(function* (
  house: House,
  entry: Entry,
  presence: Presence,
  runtime: SessionRuntime,
  how: Leaving
) {
  if (!entry.present.delete(presence)) return
  if (how === "revoked") {
    yield* Scope.close(presence.scope, Exit.void)
    yield* denyOpen(entry, runtime)
  }
  const close = Scope.close(presence.scope, Exit.void)
  if (Array.from(entry.present).some(({ keeps }) => keeps)) {
    yield* close
    // Who stays may only look on: it cannot answer what this one was asked.
    return yield* how === "cancel" ? desertOpen(entry, runtime) : Effect.void
  }
  if (how !== "unchanged") {
    entry.after = how
    return yield* apply(house, entry, presence, runtime, how)
  }
  if (entry.lingering !== undefined || entry.present.size > 0) return yield* close
  yield* apply(house, entry, presence, runtime, entry.after)
})

/** Under the entry's lock: from now on the session is not given up without this one. */
export const keep = (entry: Entry, presence: Presence) =>
  Effect.suspend(() => {
    if (!entry.present.has(presence)) return Effect.void
    presence.keeps = true
    entry.after = "run_on"
    return dismiss(entry)
  })

export const leaving = (
  house: House,
  entry: Entry,
  presence: Presence,
  runtime: SessionRuntime
): ((how: Leaving) => Effect.Effect<void>) => {
  let left = false
  const locked = entry.lock.withPermits(1)
  const go = (how: Leaving) =>
    locked(Effect.suspend(() => goOut(house, entry, presence, runtime, how))).pipe(
      Effect.ensuring(Effect.suspend(() => forget(house, entry))),
      Effect.uninterruptible
    )
  const worked = Effect.raceFirst(
    Effect.as(untilIdle(runtime), "run_on" as const),
    Effect.as(presence.revoked, "revoked" as const)
  )
  return (how) =>
    Effect.suspend(() => {
      if (left) return Effect.void
      left = true
      if (how !== "when_idle") return go(how)
      const staying = Effect.flatMap(Effect.interruptible(worked), go)
      const stay = Effect.asVoid(Effect.forkIn(staying, house.scope, { startImmediately: true }))
      return Effect.andThen(locked(Effect.uninterruptible(keep(entry, presence))), stay)
    })
}
