/**
 * Who is present at which session, and what becomes of a session when the last one goes (SETTLED 1, 2; R175, R240).
 * Owns: bringing a session into memory for somebody, and taking it out again. The stored session always stays.
 * Invariants: a session with an idle runtime and nobody present leaves memory; one that is leaving is waited for
 * before it comes back; what a server's own close leaves behind runs to its end.
 */
import { Context, Effect, Exit, Layer, Scope, Semaphore } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { SessionId } from "../domain/Ids.ts"
import { type Owner, scopeKey, sessionKey } from "../domain/Principal.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { type CreateOptions, RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import {
  desertOpen,
  destroy,
  dismiss,
  type Entry,
  forget,
  goOut,
  type House,
  keep,
  leaving,
  type Leaving,
  type Presence
} from "./leaving.ts"

export type { Leaving } from "./leaving.ts"

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
  /** A `seq` that it has seen: `position_ahead`, and nothing has changed, where the session is not as far. */
  readonly seen?: number
  /** Ends when the right to be here does; for a presence that stays `when_idle`, or means to come back. */
  readonly revoked?: Effect.Effect<void>
  /** In place of the clients of before a restart: it goes when the first of them that counts has come. */
  readonly standsIn?: true
  /** Called when the session is removed under its holder, who need not leave any more. */
  readonly onRemoved?: () => void
}

/** One presence. The session stays in memory while there is any. */
export interface Hold {
  readonly runtime: SessionRuntime
  /**
   * It can no longer answer (TCP half-close): a question that finds nobody else fails at once (SETTLED 5), an open one
   * only where `comesBack` is false.
   */
  readonly mute: (comesBack: boolean) => Effect.Effect<void>
  /** Repeating it is no error and changes nothing. Returns when what it ends has ended; `when_idle` at once. */
  readonly leave: (how: Leaving) => Effect.Effect<void>
}

/**
 * For the HTTP API: `hold` with `counts: false`, do what was asked, then `leave("when_idle")` where that started or
 * steered work, which then has somebody present until its end; `leave("unchanged")` where it did not.
 */
export class Attachments extends Context.Service<
  Attachments,
  {
    /** `session_not_found`, `too_many_sessions`, or what opening a session says. */
    readonly hold: (request: HoldRequest) => Effect.Effect<Hold, RuntimeError>
    /** Holds that count. */
    readonly count: (owner: Owner, session_id: SessionId) => number
    /**
     * Stays with a session that goes on by itself, able to answer, until it has nothing to do or a client that counts
     * has come, whose leaving counts as always; returns at once.
     */
    readonly accompany: (owner: Owner, session_id: SessionId) => Effect.Effect<void>
    /** Takes a session from memory whoever is present, its task cancelled: for a session that is being deleted. */
    readonly remove: (owner: Owner, session_id: SessionId) => Effect.Effect<void>
  }
>()("claw/channel/Attachments") {}

const nothing = () => undefined

/** Fewer sessions than that in all: nobody has more, and nobody is counted. */
const isFull = ({ entries, sessions_per_principal }: House, owner: Owner): boolean => {
  if (entries.size < sessions_per_principal) return false
  const whose = scopeKey(owner)
  let held = 0
  for (const other of entries.values()) if (other.runtime !== undefined && scopeKey(other.owner) === whose) held++
  return held >= sessions_per_principal
}

const open = Effect.fnUntraced(function* (house: House, entry: Entry, request: HoldRequest) {
  const { create, session_id, fresh } = request
  const sessions = house.sessions(request.owner)
  // One that goes on by itself is in memory already, whoever comes.
  const running = fresh === true ? undefined : yield* Effect.option(sessions.get(session_id))
  if (running?._tag === "Some") return running.value
  if (entry.runtime === undefined && isFull(house, request.owner)) {
    return yield* new RuntimeError({ code: "too_many_sessions" })
  }
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
  const { counts, answers, onRemoved, seen = 0, revoked = Effect.never, standsIn = false } = request
  const presence: Presence = { counts, standsIn, keeps: false, answering: answers, onRemoved, revoked, scope }
  entry.present.add(presence)
  if (seen > (yield* runtime.status).position) {
    yield* goOut(house, entry, presence, runtime, "unchanged")
    return yield* new RuntimeError({ code: "position_ahead" })
  }
  if (answers) {
    const staying = runtime.subscribe({ answers: true, sink: nothing })
    yield* Effect.ignore(Effect.provideService(staying, Scope.Scope, scope))
  }
  // Only now: the questions of a session that waits for somebody never find nobody.
  if (counts) {
    yield* keep(entry, presence)
    for (const other of Array.from(entry.present)) {
      if (other.standsIn) yield* goOut(house, entry, other, runtime, "unchanged")
    }
  }
  return { runtime, presence }
}, Effect.uninterruptible)

const hold = (house: House, request: HoldRequest) =>
  Effect.suspend(() => {
    const key = sessionKey(request.owner, request.session_id)
    const entry: Entry = house.entries.get(key) ?? {
      key,
      owner: request.owner,
      lock: Semaphore.makeUnsafe(1),
      present: new Set(),
      lingering: undefined,
      after: "run_on",
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
          mute: (comesBack) =>
            Effect.suspend(() => {
              presence.answering = false
              const close = Scope.close(presence.scope, Exit.void)
              return comesBack ? close : Effect.andThen(close, desertOpen(entry, runtime))
            }),
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
      yield* dismiss(entry)
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
      accompany: (owner, session_id) =>
        hold(house, { owner, session_id, answers: true, counts: false, standsIn: true }).pipe(
          Effect.flatMap(({ leave }) => leave("when_idle")),
          Effect.ignore
        ),
      remove: (owner, session_id) => remove(house, owner, session_id),
      count: (owner, session_id) => {
        const present = house.entries.get(sessionKey(owner, session_id))?.present ?? []
        return Array.from(present).filter(({ counts }) => counts).length
      }
    })
  })
)
