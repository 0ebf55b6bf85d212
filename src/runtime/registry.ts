/**
 * The registry behind RuntimeManager: one entry a session key, changed only in one synchronous step at a time.
 * Invariant: whoever puts `creating` or `ending` there takes it away again, on every path.
 */
import { Effect, Exit, Scope } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import { localOwner, type Owner, ownerOf, scopeKey, type SessionKey, sessionKey } from "../domain/Principal.ts"
import { own } from "../sandbox/ProcessIdentity.ts"
import type { Journal } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { open as openLive, type OpenOptions } from "./liveSession.ts"
import { RuntimeError } from "./RuntimeError.ts"
import type { RuntimeFactory } from "./RuntimeFactory.ts"
import type { CreateOptions, Sessions } from "./RuntimeManager.ts"
import type { SessionRuntime } from "./SessionRuntime.ts"

type Entry =
  | { readonly kind: "creating" }
  | {
      readonly kind: "present"
      readonly owner: Owner
      readonly runtime: SessionRuntime
      readonly scope: Scope.Closeable
    }
  | { readonly kind: "ending" }

type Entries = Map<SessionKey, Entry>
type Overrides = Pick<CreateOptions, "mode" | "max_turns">

const refuse = (code: RuntimeError["code"]) => Effect.fail(new RuntimeError({ code }))
const translate = (error: StoreError) => new RuntimeError({ code: error.code, detail: error.detail, cause: error })

const newMeta = (owner: Owner, id: SessionId, options: CreateOptions): SessionMeta => {
  const now = new Date().toISOString()
  return {
    session_id: id,
    owner: ownerOf(owner),
    workspace: options.workspace,
    title: options.title ?? "",
    created_at: now,
    updated_at: now,
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...(options.model === undefined ? {} : { model: options.model })
  }
}

const overrides = (options: Overrides) => ({
  ...(options.mode === undefined ? {} : { mode: options.mode }),
  ...(options.max_turns === undefined ? {} : { max_turns: options.max_turns })
})

const bringUp = Effect.fnUntraced(function* (
  parent: Scope.Scope,
  meta: Effect.Effect<SessionMeta, StoreError>,
  options: OpenOptions
) {
  const scope = yield* Scope.fork(parent)
  const opened = Effect.flatMap(Effect.mapError(meta, translate), (found) => openLive(found, options))
  const runtime = yield* Effect.provideService(opened, Scope.Scope, scope).pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  return { runtime, scope }
})

type BroughtUp = Effect.Success<ReturnType<typeof bringUp>>

/** Holds the id while `made` runs; a failure gives it back. */
const placed = <R>(entries: Entries, owner: Owner, id: SessionId, made: Effect.Effect<BroughtUp, RuntimeError, R>) =>
  Effect.suspend((): Effect.Effect<SessionRuntime, RuntimeError, R> => {
    const key = sessionKey(owner, id)
    const entry = entries.get(key)
    if (entry?.kind === "present") return refuse("session_exists")
    if (entry !== undefined) return refuse("session_creating")
    entries.set(key, { kind: "creating" })
    return made.pipe(
      Effect.map((up) => {
        entries.set(key, { kind: "present", owner, ...up })
        return up.runtime
      }),
      Effect.onError(() => Effect.sync(() => void entries.delete(key)))
    )
  })

const get = (entries: Entries, key: SessionKey) =>
  Effect.suspend(() => {
    const entry = entries.get(key)
    return entry?.kind === "present" ? Effect.succeed(entry.runtime) : refuse("session_not_found")
  })

const destroy = (entries: Entries, key: SessionKey) =>
  Effect.suspend(() => {
    const entry = entries.get(key)
    if (entry?.kind !== "present") return refuse("session_not_found")
    entries.set(key, { kind: "ending" })
    const gone = Effect.sync(() => void entries.delete(key))
    return Effect.ensuring(Scope.close(entry.scope, Exit.void), gone)
  })

const present = (entries: Entries, owner: Owner): ReadonlyArray<SessionId> =>
  Array.from(entries.values()).flatMap((entry) =>
    entry.kind === "present" && scopeKey(entry.owner) === scopeKey(owner) ? [entry.runtime.session_id] : []
  )

/** The operations of RuntimeManager over sessions that live in the caller's scope. */
export const makeRegistry = Effect.gen(function* () {
  const index = yield* SessionIndex
  const services = yield* Effect.context<RuntimeFactory | Journal | SessionIndex>()
  const parent = yield* Effect.scope
  const entries: Entries = new Map()
  const holder = own()

  const sessionsOf = (owner: Owner): Sessions => {
    const owned = index.for(owner)
    const make = (id: SessionId, meta: Effect.Effect<SessionMeta, StoreError>, options: Overrides) =>
      placed(
        entries,
        owner,
        id,
        Effect.provideContext(bringUp(parent, meta, { ...overrides(options), owner: holder }), services)
      )
    return {
      create: (id, options) => {
        const meta = newMeta(owner, id, options)
        return make(id, Effect.as(owned.create(meta), meta), options)
      },
      open: (id, options = {}) =>
        Effect.suspend(() => {
          const entry = entries.get(sessionKey(owner, id))
          return entry?.kind === "present" ? Effect.succeed(entry.runtime) : make(id, owned.get(id), options)
        }),
      reserve: (kind) => {
        const name = `${kind}-channel-session`
        return Effect.mapBoth(owned.nextNumber(name), {
          onFailure: translate,
          onSuccess: (n) => `${name}-${n}` as SessionId
        })
      },
      get: (id) => get(entries, sessionKey(owner, id)),
      destroy: (id) => destroy(entries, sessionKey(owner, id)),
      list: Effect.sync(() => present(entries, owner)),
      count: Effect.sync(() => present(entries, owner).length)
    }
  }
  return { ...sessionsOf(localOwner), for: sessionsOf }
})
