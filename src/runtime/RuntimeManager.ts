/**
 * Every session of this process (R060–R066). Owns: which ids exist, which are being made, the end of each.
 * Does not own: how a runtime is built (RuntimeFactory), or agents.
 * Invariant: an id is in at most one of absent, creating, present, ending; it cannot be made again while its old task
 * ends (LESSONS 35).
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { newPromptId, type SessionId } from "../domain/Ids.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { open as openLive, type OpenOptions } from "./liveSession.ts"
import { RuntimeError } from "./RuntimeError.ts"
import { RuntimeFactory } from "./RuntimeFactory.ts"
import { Journal } from "../store/Journal.ts"
import type { SessionRuntime } from "./SessionRuntime.ts"

export interface CreateOptions {
  /** Absolute path of an existing directory. A stored session keeps its own and ignores this. */
  readonly workspace: string
  readonly mode?: Mode
  readonly model?: string
  readonly title?: string
  readonly max_turns?: number
}

export class RuntimeManager extends Context.Service<
  RuntimeManager,
  {
    /** A new session; `session_exists` where the id is stored or running, `session_creating` while it is made. */
    readonly create: (id: SessionId, options: CreateOptions) => Effect.Effect<SessionRuntime, RuntimeError>
    /** The running one, or the stored one brought back; `session_not_found` otherwise. */
    readonly open: (
      id: SessionId,
      options?: Pick<CreateOptions, "mode" | "max_turns">
    ) => Effect.Effect<SessionRuntime, RuntimeError>
    readonly get: (id: SessionId) => Effect.Effect<SessionRuntime, RuntimeError>
    readonly list: Effect.Effect<ReadonlyArray<SessionId>>
    readonly count: Effect.Effect<number>
    /** Takes it off the list, cancels its task, waits for its end. The stored session stays. */
    readonly destroy: (id: SessionId) => Effect.Effect<void, RuntimeError>
  }
>()("claw/runtime/RuntimeManager") {}

type Entry =
  | { readonly kind: "creating" }
  | { readonly kind: "present"; readonly runtime: SessionRuntime; readonly scope: Scope.Closeable }
  | { readonly kind: "ending" }

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

const make = Effect.gen(function* () {
  const index = yield* SessionIndex
  const services = yield* Effect.context<RuntimeFactory | Journal | SessionIndex>()
  const parent = yield* Effect.scope
  const entries = new Map<SessionId, Entry>()
  /** Names this process as the owner of what it writes. */
  const owner = newPromptId().replace("prompt", "owner")

  const bringUp = Effect.fnUntraced(function* (id: SessionId, meta: Effect.Effect<SessionMeta, StoreError>, options: Omit<OpenOptions, "owner">) {
    const scope = yield* Scope.fork(parent)
    const runtime = yield* Effect.mapError(meta, translate).pipe(
      Effect.flatMap((found) => openLive(found, { ...options, owner })),
      Effect.provideService(Scope.Scope, scope),
      Effect.provideContext(services),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    entries.set(id, { kind: "present", runtime, scope })
    return runtime
  })

  /** Holds the id while `made` runs; a failure gives it back. */
  const placed = (id: SessionId, made: () => Effect.Effect<SessionRuntime, RuntimeError>) =>
    Effect.suspend(() => {
      const entry = entries.get(id)
      if (entry?.kind === "present") return refuse("session_exists")
      if (entry !== undefined) return refuse("session_creating")
      entries.set(id, { kind: "creating" })
      const giveBack = Effect.sync(() => void entries.delete(id))
      return Effect.onError(made(), () => giveBack)
    })

  const limits = (options: Pick<CreateOptions, "mode" | "max_turns">) => ({
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...(options.max_turns === undefined ? {} : { max_turns: options.max_turns })
  })

  const create = (id: SessionId, options: CreateOptions) =>
    placed(id, () => {
      const meta = newMeta(id, options)
      return bringUp(id, Effect.as(index.create(meta), meta), limits(options))
    })
  const open = (id: SessionId, options: Pick<CreateOptions, "mode" | "max_turns"> = {}) =>
    Effect.suspend(() => {
      const entry = entries.get(id)
      return entry?.kind === "present"
        ? Effect.succeed(entry.runtime)
        : placed(id, () => bringUp(id, index.get(id), limits(options)))
    })
  const get = (id: SessionId) =>
    Effect.suspend(() => {
      const entry = entries.get(id)
      return entry?.kind === "present" ? Effect.succeed(entry.runtime) : refuse("session_not_found")
    })
  const destroy = (id: SessionId) =>
    Effect.suspend(() => {
      const entry = entries.get(id)
      if (entry?.kind !== "present") return refuse("session_not_found")
      entries.set(id, { kind: "ending" })
      const gone = Effect.sync(() => void entries.delete(id))
      return Effect.ensuring(Scope.close(entry.scope, Exit.void), gone)
    })
  const present = () => Array.from(entries).flatMap(([id, entry]) => (entry.kind === "present" ? [id] : []))
  return RuntimeManager.of({
    create,
    open,
    get,
    destroy,
    list: Effect.sync(present),
    count: Effect.sync(() => present().length)
  })
})

/** The registry; its end destroys what it holds. */
export const layer = Layer.effect(RuntimeManager, make)
