/**
 * Who is present at which session, and what becomes of a session when the last one goes (SETTLED 1, 2; R175, R240).
 * Owns: bringing a session into memory for somebody, and taking it out again. The stored session always stays.
 * Invariants: a session with an idle runtime and nobody present leaves memory; one that is leaving is waited for
 * before it comes back; what a server's own close leaves behind runs to its end.
 */
import { Context, Effect, Exit, Fiber, Layer, Scope, Semaphore } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { SessionId } from "../domain/Ids.ts"
import { type Owner, scopeKey, type SessionKey, sessionKey } from "../domain/Principal.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { type CreateOptions, RuntimeManager, type Sessions } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { isIdle, untilIdle } from "./untilIdle.ts"

/**
 * How somebody leaves; it counts where nobody else is present.
 * `cancel`: a client that went; its task is cancelled and its end awaited.
 * `detach`: it means to come back; the task has `detach_ms`, then it is cancelled.
 * `run_on`: we ended it, or it is gone without a word; the task runs to its end.
 * `when_idle`: it stays present until the task has ended, then leaves.
 */
export type Leaving = "cancel" | "detach" | "run_on" | "when_idle"

export interface HoldRequest {
  readonly owner: Owner
  readonly session_id: SessionId
  /** What a session that is not stored shall be; absent: `session_not_found`. */
  readonly create?: CreateOptions
  /** Only a session that is not there yet: `session_exists` otherwise. */
  readonly fresh?: boolean
  /** Can answer approvals, itself or somebody who will come for it: questions wait until their own expiry. */
  readonly answers: boolean
  /** Counts as an attached client (a connection, an event stream); a single HTTP request does not. */
  readonly counts: boolean
  /** Called when the session is removed under its holder, who need not leave any more. */
  readonly onRemoved?: () => void
}

/** One presence. The session stays in memory while there is any. */
export interface Hold {
  readonly runtime: SessionRuntime
  /** It can no longer answer (TCP half-close): a question that finds nobody else fails at once (SETTLED 5). */
  readonly mute: Effect.Effect<void>
  /** Repeating it is no error and changes nothing. Returns when what it ends has ended; `when_idle` at once. */
  readonly leave: (how: Leaving) => Effect.Effect<void>
}

/**
 * For the HTTP API: `hold` with `counts: false`, do what was asked, then `leave("when_idle")`: the task that was
 * started has somebody present until its end, so that a closing connection does not cancel it and its questions wait.
 */
export class Attachments extends Context.Service<
  Attachments,
  {
    /** `session_not_found`, `too_many_sessions`, or what opening a session says. */
    readonly hold: (request: HoldRequest) => Effect.Effect<Hold, RuntimeError>
    /** Holds that count. */
    readonly count: (owner: Owner, session_id: SessionId) => number
    /** Takes a session from memory whoever is present, its task cancelled: for a session that is being deleted. */
    readonly remove: (owner: Owner, session_id: SessionId) => Effect.Effect<void>
  }
>()("claw/channel/Attachments") {}

interface Presence {
  readonly counts: boolean
  readonly onRemoved: (() => void) | undefined
  /** Holds the subscription that makes questions wait. */
  readonly scope: Scope.Closeable
}

interface Entry {
  readonly key: SessionKey
  readonly owner: Owner
  readonly lock: Semaphore.Semaphore
  readonly present: Set<Presence>
  /** Waits, with nobody present, for the task's end or for the detach time. */
  lingering: Fiber.Fiber<void> | undefined
  runtime: SessionRuntime | undefined
  /** Who is about to come. */
  coming: number
}

interface House {
  readonly entries: Map<SessionKey, Entry>
  readonly sessions: (owner: Owner) => Sessions
  readonly scope: Scope.Scope
  readonly detach_ms: number
  readonly sessions_per_principal: number
}

const nothing = () => undefined

/** Under the entry's lock. Cancels what runs. */
const destroy = (house: House, entry: Entry) =>
  Effect.suspend(() => {
    const { runtime } = entry
    if (runtime === undefined) return Effect.void
    entry.runtime = undefined
    return Effect.ignore(house.sessions(entry.owner).destroy(runtime.session_id))
  })

const forget = (house: House, entry: Entry) =>
  Effect.sync(() => {
    const used = entry.coming > 0 || entry.present.size > 0 || entry.runtime !== undefined
    if (!used && house.entries.get(entry.key) === entry) house.entries.delete(entry.key)
  })

const open = Effect.fnUntraced(function* (house: House, entry: Entry, request: HoldRequest) {
  const sessions = house.sessions(request.owner)
  const held = Array.from(house.entries.values()).filter(
    (other) => other.runtime !== undefined && scopeKey(other.owner) === scopeKey(request.owner)
  )
  if (entry.runtime === undefined && held.length >= house.sessions_per_principal) {
    return yield* new RuntimeError({ code: "too_many_sessions" })
  }
  const { create, session_id, fresh } = request
  if (fresh === true && create !== undefined) return yield* sessions.create(session_id, create)
  return yield* sessions.open(session_id, { recover: true }).pipe(
    Effect.catchIf(
      (error) => error.code === "session_not_found",
      (error) => (create === undefined ? Effect.fail(error) : sessions.create(session_id, create))
    )
  )
})

const enter = Effect.fnUntraced(function* (house: House, entry: Entry, request: HoldRequest) {
  const runtime = yield* open(house, entry, request)
  entry.runtime = runtime
  const scope = yield* Scope.make()
  const presence: Presence = { counts: request.counts, onRemoved: request.onRemoved, scope }
  entry.present.add(presence)
  if (request.answers) {
    const staying = runtime.subscribe({ answers: true, sink: nothing })
    yield* Effect.ignore(Effect.provideService(staying, Scope.Scope, scope))
  }
  // Only now: the questions of a session that waits for somebody never find nobody.
  if (entry.lingering !== undefined) yield* Fiber.interrupt(entry.lingering)
  return { runtime, presence }
}, Effect.uninterruptible)

/** Nobody is present: the task goes on until its end, or for the detach time; then the session leaves memory. */
const linger = (house: House, entry: Entry, presence: Presence, runtime: SessionRuntime, how: Leaving) => {
  const idle = untilIdle(runtime)
  const waiting = how === "detach" ? Effect.timeoutOption(idle, house.detach_ms) : idle
  const last = entry.lock.withPermits(1)(
    Effect.suspend(() => (entry.present.size === 0 ? Effect.uninterruptible(destroy(house, entry)) : Effect.void))
  )
  return Effect.andThen(waiting, last).pipe(
    Effect.ensuring(Scope.close(presence.scope, Exit.void)),
    Effect.ensuring(
      Effect.suspend(() => {
        entry.lingering = undefined
        return forget(house, entry)
      })
    )
  )
}

/** Under the entry's lock. */
const goOut = Effect.fnUntraced(function* (
  house: House,
  entry: Entry,
  presence: Presence,
  runtime: SessionRuntime,
  how: Leaving
) {
  if (!entry.present.delete(presence)) return
  const close = Scope.close(presence.scope, Exit.void)
  if (entry.present.size > 0) return yield* close
  if (how === "cancel" || isIdle(yield* runtime.state)) {
    return yield* Effect.ensuring(destroy(house, entry), close)
  }
  const waiting = Effect.interruptible(linger(house, entry, presence, runtime, how))
  entry.lingering = yield* Effect.forkIn(waiting, house.scope, { startImmediately: true })
})

const leaving = (house: House, entry: Entry, presence: Presence, runtime: SessionRuntime): Hold["leave"] => {
  let left = false
  const go = (how: Leaving) =>
    entry.lock
      .withPermits(1)(Effect.suspend(() => goOut(house, entry, presence, runtime, how)))
      .pipe(Effect.ensuring(Effect.suspend(() => forget(house, entry))), Effect.uninterruptible)
  return (how) =>
    Effect.suspend(() => {
      if (left) return Effect.void
      left = true
      if (how !== "when_idle") return go(how)
      const staying = Effect.andThen(Effect.interruptible(untilIdle(runtime)), go("run_on"))
      return Effect.asVoid(Effect.forkIn(staying, house.scope, { startImmediately: true }))
    })
}

const hold = (house: House, request: HoldRequest) =>
  Effect.suspend(() => {
    const key = sessionKey(request.owner, request.session_id)
    const entry: Entry = house.entries.get(key) ?? {
      key,
      owner: request.owner,
      lock: Semaphore.makeUnsafe(1),
      present: new Set(),
      lingering: undefined,
      runtime: undefined,
      coming: 0
    }
    house.entries.set(key, entry)
    entry.coming += 1
    return entry.lock
      .withPermits(1)(enter(house, entry, request))
      .pipe(
        Effect.map(({ runtime, presence }): Hold => ({
          runtime,
          mute: Scope.close(presence.scope, Exit.void),
          leave: leaving(house, entry, presence, runtime)
        })),
        Effect.ensuring(
          Effect.suspend(() => {
            entry.coming -= 1
            return forget(house, entry)
          })
        ),
        Effect.uninterruptible
      )
  })

const remove = (house: House, owner: Owner, session_id: SessionId) =>
  Effect.suspend(() => {
    const entry = house.entries.get(sessionKey(owner, session_id))
    if (entry === undefined) return Effect.ignore(house.sessions(owner).destroy(session_id))
    const out = Effect.gen(function* () {
      const present = Array.from(entry.present)
      entry.present.clear()
      yield* destroy(house, entry)
      for (const { scope, onRemoved } of present) {
        onRemoved?.()
        yield* Scope.close(scope, Exit.void)
      }
    })
    const locked = entry.lock.withPermits(1)(out)
    return Effect.uninterruptible(
      Effect.ensuring(
        locked,
        Effect.suspend(() => forget(house, entry))
      )
    )
  })

export const layer = Layer.effect(
  Attachments,
  Effect.gen(function* () {
    const { limit } = yield* AppConfig
    const manager = yield* RuntimeManager
    const house: House = {
      entries: new Map(),
      sessions: manager.for,
      scope: yield* Effect.scope,
      detach_ms: limit.detach_ms,
      sessions_per_principal: limit.sessions_per_principal
    }
    return Attachments.of({
      hold: (request) => hold(house, request),
      remove: (owner, session_id) => remove(house, owner, session_id),
      count: (owner, session_id) => {
        const present = house.entries.get(sessionKey(owner, session_id))?.present ?? []
        return Array.from(present).filter(({ counts }) => counts).length
      }
    })
  })
)
