/**
 * The registry behind RuntimeManager: one entry an id, changed only in one synchronous step at a time.
 * Invariant: whoever puts `creating` or `ending` there takes it away again, on every path.
 */
import { Effect, Exit, Scope } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import { own } from "../sandbox/ProcessIdentity.ts"
import type { Journal } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { open as openLive, type OpenOptions } from "./liveSession.ts"
import { RuntimeError } from "./RuntimeError.ts"
import type { RuntimeFactory } from "./RuntimeFactory.ts"
import type { CreateOptions } from "./RuntimeManager.ts"
import type { SessionRuntime } from "./SessionRuntime.ts"

type Entry =
  | { readonly kind: "creating" }
  | { readonly kind: "present"; readonly runtime: SessionRuntime; readonly scope: Scope.Closeable }
  | { readonly kind: "ending" }

type Entries = Map<SessionId, Entry>
type Overrides = Pick<CreateOptions, "mode" | "max_turns">

const refuse = (code: RuntimeError["code"]) => Effect.fail(new RuntimeError({ code }))
const translate = (error: StoreError) => new RuntimeError({ code: error.code, detail: error.detail, cause: error })

const newMeta = (id: SessionId, options: CreateOptions): SessionMeta => {
  const now = new Date().toISOString()
  return {
    session_id: id,
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
  entries: Entries,
  parent: Scope.Scope,
  meta: Effect.Effect<SessionMeta, StoreError>,
  options: OpenOptions
) {
  const scope = yield* Scope.fork(parent)
  const opened = Effect.flatMap(Effect.mapError(meta, translate), (found) => openLive(found, options))
  const runtime = yield* Effect.provideService(opened, Scope.Scope, scope).pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  entries.set(runtime.session_id, { kind: "present", runtime, scope })
  return runtime
})

/** Holds the id while `made` runs; a failure gives it back. */
const placed = <R>(entries: Entries, id: SessionId, made: Effect.Effect<SessionRuntime, RuntimeError, R>) =>
  Effect.suspend((): Effect.Effect<SessionRuntime, RuntimeError, R> => {
    const entry = entries.get(id)
    if (entry?.kind === "present") return refuse("session_exists")
    if (entry !== undefined) return refuse("session_creating")
    entries.set(id, { kind: "creating" })
    return Effect.onError(made, () => Effect.sync(() => void entries.delete(id)))
  })

const get = (entries: Entries, id: SessionId) =>
  Effect.suspend(() => {
    const entry = entries.get(id)
    return entry?.kind === "present" ? Effect.succeed(entry.runtime) : refuse("session_not_found")
  })

const destroy = (entries: Entries, id: SessionId) =>
  Effect.suspend(() => {
    const entry = entries.get(id)
    if (entry?.kind !== "present") return refuse("session_not_found")
    entries.set(id, { kind: "ending" })
    const gone = Effect.sync(() => void entries.delete(id))
    return Effect.ensuring(Scope.close(entry.scope, Exit.void), gone)
  })

const present = (entries: Entries): ReadonlyArray<SessionId> =>
  Array.from(entries).flatMap(([id, entry]) => (entry.kind === "present" ? [id] : []))

/** The operations of RuntimeManager over sessions that live in the caller's scope. */
export const makeRegistry = Effect.gen(function* () {
  const index = yield* SessionIndex
  const services = yield* Effect.context<RuntimeFactory | Journal | SessionIndex>()
  const parent = yield* Effect.scope
  const entries: Entries = new Map()
  const owner = own()

  const make = (id: SessionId, meta: Effect.Effect<SessionMeta, StoreError>, options: Overrides) =>
    placed(
      entries,
      id,
      Effect.provideContext(bringUp(entries, parent, meta, { ...overrides(options), owner }), services)
    )
  return {
    create: (id: SessionId, options: CreateOptions) => {
      const meta = newMeta(id, options)
      return make(id, Effect.as(index.create(meta), meta), options)
    },
    open: (id: SessionId, options: Overrides = {}) =>
      Effect.suspend(() => {
        const entry = entries.get(id)
        return entry?.kind === "present" ? Effect.succeed(entry.runtime) : make(id, index.get(id), options)
      }),
    get: (id: SessionId) => get(entries, id),
    destroy: (id: SessionId) => destroy(entries, id),
    list: Effect.sync(() => present(entries)),
    count: Effect.sync(() => present(entries).length)
  }
})
