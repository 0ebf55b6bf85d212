/**
 * The registry behind RuntimeManager: one entry a session key, changed only in one synchronous step at a time.
 * Invariant: whoever puts `creating` or `ending` there takes it away again, on every path.
 */
import { Deferred, Effect, Exit, Scope } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import {
  localOwner,
  type Owner,
  ownerOf,
  scopeKey,
  type SessionKey,
  sessionKey,
  sessionOf
} from "../domain/Principal.ts"
import { isAlive, own } from "../sandbox/ProcessIdentity.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { Journal } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as SessionCopy from "./SessionCopy.ts"
import { makeNumbering } from "./numbering.ts"
import { open as openLive, type Opened, type OpenOptions } from "./liveSession.ts"
import { RuntimeError } from "./RuntimeError.ts"
import type { RuntimeFactory } from "./RuntimeFactory.ts"
import type { CreateOptions, Sessions } from "./RuntimeManager.ts"
import type { Drain } from "./tasks.ts"
import { TaskSlots } from "./TaskSlots.ts"

type Entry =
  /** `back`: a stored one, which is there once this is done. */
  | { readonly kind: "creating"; readonly back?: Deferred.Deferred<void> }
  | { readonly kind: "present"; readonly owner: Owner; readonly opened: Opened; readonly scope: Scope.Closeable }
  | { readonly kind: "ending" }

type Entries = Map<SessionKey, Entry>
type Overrides = Pick<CreateOptions, "mode" | "max_turns"> & { readonly recover?: boolean }

const refuse = (code: RuntimeError["code"]) => Effect.fail(new RuntimeError({ code }))
const translate = (error: StoreError) => new RuntimeError({ code: error.code, detail: error.detail, cause: error })

const newMeta = (owner: Owner, id: SessionId, options: CreateOptions): SessionMeta => {
  const now = new Date().toISOString()
  const workspace_id = identityOf(options.workspace)
  return {
    session_id: id,
    owner: ownerOf(owner),
    workspace: options.workspace,
    ...(workspace_id === undefined ? {} : { workspace_id }),
    title: options.title ?? "",
    created_at: now,
    updated_at: now,
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...(options.model === undefined ? {} : { model: options.model })
  }
}

const overrides = (options: Overrides) => ({
  ...(options.mode === undefined ? {} : { mode: options.mode }),
  ...(options.max_turns === undefined ? {} : { max_turns: options.max_turns }),
  ...(options.recover === undefined ? {} : { recover: options.recover })
})

const bringUp = Effect.fnUntraced(function* (
  parent: Scope.Scope,
  meta: Effect.Effect<SessionMeta, StoreError>,
  options: OpenOptions
) {
  const scope = yield* Scope.fork(parent)
  const opened = Effect.flatMap(Effect.mapError(meta, translate), (found) => openLive(found, options))
  const made = yield* Effect.provideService(opened, Scope.Scope, scope).pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  return { opened: made, scope }
})

type BroughtUp = Effect.Success<ReturnType<typeof bringUp>>

/** Holds the id, which is nobody's here; otherwise says why not. */
const take = (
  entries: Entries,
  key: SessionKey,
  back?: Deferred.Deferred<void>
): "session_exists" | "session_creating" | undefined => {
  const entry = entries.get(key)
  if (entry !== undefined) return entry.kind === "present" ? "session_exists" : "session_creating"
  entries.set(key, { kind: "creating", ...(back === undefined ? {} : { back }) })
  return undefined
}

/** Holds the id while `made` runs; a failure gives it back. */
const placed = <R>(
  entries: Entries,
  owner: Owner,
  id: SessionId,
  made: Effect.Effect<BroughtUp, RuntimeError, R>,
  back?: Deferred.Deferred<void>
) =>
  Effect.suspend((): Effect.Effect<Opened, RuntimeError, R> => {
    const key = sessionKey(owner, id)
    const taken = take(entries, key, back)
    if (taken !== undefined) return refuse(taken)
    return made.pipe(
      Effect.map((up) => {
        entries.set(key, { kind: "present", owner, ...up })
        return up.opened
      }),
      Effect.onError(() => Effect.sync(() => void entries.delete(key))),
      Effect.ensuring(back === undefined ? Effect.void : Deferred.succeed(back, undefined))
    )
  })

/** Longer than bringing a session back takes; then whoever asks may ask again. */
const BACK_MS = 15_000

/** One that is being brought back is waited for; whatever else stands there is as it is. */
const comingBack = (entries: Entries, key: SessionKey) =>
  Effect.suspend(() => {
    const entry = entries.get(key)
    if (entry?.kind !== "creating" || entry.back === undefined) return Effect.void
    return Effect.interruptible(Effect.asVoid(Effect.timeoutOption(Deferred.await(entry.back), BACK_MS)))
  })

interface Copying {
  readonly entries: Entries
  readonly drain: Drain
  readonly self: string
}

/** Holds the id while the copy is written. */
const copy = ({ entries, drain, self }: Copying, owner: Owner, ...[meta, records]: Parameters<Sessions["copy"]>) => {
  const key = sessionKey(owner, meta.session_id)
  const free = Effect.sync(() => void entries.delete(key))
  const written = SessionCopy.store(owner, meta, records, self)
  return Effect.suspend((): Effect.Effect<void, RuntimeError, Journal | SessionIndex> => {
    const refused = drain.draining ? "server_draining" : take(entries, key)
    return refused === undefined ? Effect.ensuring(written, free) : refuse(refused)
  }).pipe(Effect.uninterruptible)
}

const get = (entries: Entries, key: SessionKey) =>
  Effect.suspend(() => {
    const entry = entries.get(key)
    return entry?.kind === "present" ? Effect.succeed(entry.opened.runtime) : refuse("session_not_found")
  })

const destroy = (entries: Entries, key: SessionKey) =>
  Effect.suspend(() => {
    const entry = entries.get(key)
    if (entry?.kind !== "present") return refuse("session_not_found")
    entries.set(key, { kind: "ending" })
    const gone = Effect.sync(() => void entries.delete(key))
    return Effect.ensuring(Scope.close(entry.scope, Exit.void), gone)
  })

/** What ended here was given up with it; nobody else's is taken but a dead one's. */
const remove = (entries: Entries, index: SessionIndex["Service"], owner: Owner, id: SessionId) => {
  const stored = Effect.mapError(
    index.for(owner).remove(id, (holder) => !isAlive(holder)),
    translate
  )
  return Effect.andThen(Effect.ignore(destroy(entries, sessionKey(owner, id))), stored)
}

const present = (entries: Entries, owner: Owner): ReadonlyArray<SessionId> =>
  Array.from(entries.values()).flatMap((entry) =>
    entry.kind === "present" && scopeKey(entry.owner) === scopeKey(owner) ? [entry.opened.runtime.session_id] : []
  )

/** Stops every task without an end and gives the sessions up; they can be read on. */
const suspendAll = (entries: Entries, drain: Drain, graceMs: number) =>
  Effect.suspend(() => {
    drain.draining = true
    const all = Array.from(entries.values()).flatMap((entry) => (entry.kind === "present" ? [entry] : []))
    return Effect.forEach(
      all,
      ({ opened, scope }) => Effect.andThen(opened.suspend(graceMs), Scope.close(scope, Exit.void)),
      { concurrency: "unbounded", discard: true }
    )
  })

const runtimeOf = <E>(opened: Effect.Effect<Opened, E>) => Effect.map(opened, ({ runtime }) => runtime)

/** Sessions brought back at the same time. */
const RESUMING = 16

/** Brings back what has a task that was stopped; gives how many go on. What cannot be brought back is logged. */
const resumeAll = (
  journal: Journal["Service"],
  open: (owner: Owner, id: SessionId, options: Overrides) => Effect.Effect<Opened, RuntimeError>,
  came: (owner: Owner, id: SessionId) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.gen(function* () {
    const keys = yield* Effect.mapError(journal.unfinished, translate)
    const goesOn = (key: SessionKey) => {
      const { owner, session_id: id } = sessionOf(key)
      const opened = Effect.tap(open(owner, id, { recover: true }), () => came(owner, id))
      return Effect.map(opened, ({ wentOn }) => wentOn).pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning("a session could not go on", { session: id, code: error.code }), false)
        )
      )
    }
    const went = yield* Effect.forEach(keys, goesOn, { concurrency: RESUMING })
    return went.filter(Boolean).length
  }).pipe(Effect.catch((error) => Effect.as(Effect.logError("no session could go on", error), 0)))

const makeReserve = (index: SessionIndex["Service"]) => {
  const number = makeNumbering()
  return (owner: Owner, kind: string) => {
    const name = `${kind}-channel-session`
    const taken = number(JSON.stringify([owner.tenant, owner.project, owner.user, name]), (count) =>
      index.for(owner).nextNumber(name, count)
    )
    return Effect.mapBoth(taken, { onFailure: translate, onSuccess: (n) => `${name}-${n}` as SessionId })
  }
}

interface Opening {
  readonly entries: Entries
  readonly drain: Drain
  readonly index: SessionIndex["Service"]
  readonly bringing: (
    meta: Effect.Effect<SessionMeta, StoreError>,
    options: Overrides
  ) => Effect.Effect<BroughtUp, RuntimeError>
}

const makeOpening = ({ entries, drain, index, bringing }: Opening) => {
  const make = (
    owner: Owner,
    id: SessionId,
    meta: Effect.Effect<SessionMeta, StoreError>,
    options: Overrides,
    back?: Deferred.Deferred<void>
  ) =>
    Effect.suspend(() => {
      if (drain.draining) return refuse("server_draining")
      const made = bringing(meta, options)
      // Who came too late for `suspendAll` stops as the others do.
      const late = ({ suspend }: Opened) => (drain.draining ? suspend(0) : Effect.void)
      return Effect.tap(placed(entries, owner, id, made, back), late)
    })
  const open = (owner: Owner, id: SessionId, options: Overrides) =>
    Effect.andThen(
      comingBack(entries, sessionKey(owner, id)),
      Effect.suspend(() => {
        const entry = entries.get(sessionKey(owner, id))
        if (entry?.kind === "present") return Effect.succeed(entry.opened)
        return make(owner, id, index.for(owner).get(id), options, Deferred.makeUnsafe())
      })
    )
  return { make, open }
}

/** The operations of RuntimeManager over sessions that live in the caller's scope. */
export const makeRegistry = Effect.gen(function* () {
  const [index, journal, slots] = [yield* SessionIndex, yield* Journal, yield* TaskSlots]
  const [services, parent] = [yield* Effect.context<RuntimeFactory | Journal | SessionIndex>(), yield* Effect.scope]
  const entries: Entries = new Map()
  const drain: Drain = { draining: false }
  const reserve = makeReserve(index)
  const shared = { owner: own(), slots, drain }
  const copying = { entries, drain, self: shared.owner }
  const bringing: Opening["bringing"] = (meta, options) =>
    Effect.provideContext(bringUp(parent, meta, { ...overrides(options), ...shared }), services)
  const { make, open } = makeOpening({ entries, drain, index, bringing })
  const sessionsOf = (owner: Owner): Sessions => ({
    create: (id, options) => {
      const meta = newMeta(owner, id, options)
      return runtimeOf(make(owner, id, Effect.as(index.for(owner).create(meta), meta), options))
    },
    copy: (meta, records) => Effect.provideContext(copy(copying, owner, meta, records), services),
    open: (id, options = {}) => runtimeOf(open(owner, id, options)),
    reserve: (kind) => reserve(owner, kind),
    get: (id) => get(entries, sessionKey(owner, id)),
    destroy: (id) => destroy(entries, sessionKey(owner, id)),
    remove: (id) => Effect.uninterruptible(remove(entries, index, owner, id)),
    list: Effect.sync(() => present(entries, owner)),
    count: Effect.sync(() => present(entries, owner).length)
  })
  return {
    ...sessionsOf(localOwner),
    for: sessionsOf,
    suspendAll: (graceMs: number) => suspendAll(entries, drain, graceMs),
    resumeAll: (came?: Parameters<typeof resumeAll>[2]) => resumeAll(journal, open, came)
  }
})
