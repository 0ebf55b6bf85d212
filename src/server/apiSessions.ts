/**
 * Handlers of sessions as things: made, listed, shown, copied, removed. Does not own: what happens inside one
 * (apiTasks), its events (apiEvents). Invariant: everything goes through the caller's own scope.
 */
import { Effect } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { Attachments } from "../channel/Attachments.ts"
import { modeFor } from "../channel/Modes.ts"
import { workspaceFor } from "../channel/Workspaces.ts"
import type { SessionId } from "../domain/Ids.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import * as SessionCopy from "../runtime/SessionCopy.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import { body } from "./apiBody.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { sessionPage } from "./apiPages.ts"
import { refuse } from "./apiProblem.ts"
import { heldStatus, orHeld } from "./apiHeld.ts"
import { indexOf, openSession, present, shown } from "./apiScope.ts"
import * as Shape from "./apiShapes.ts"

const notDraining = (draining: Effect.Effect<boolean>) =>
  Effect.flatMap(draining, (is) => (is ? refuse("server_draining") : Effect.void))

const nextId = (caller: CallerShape) =>
  Effect.flatMap(indexOf(caller), (index) =>
    Effect.map(index.nextNumber("http-channel-session"), (n) => `http-channel-session-${n}` as SessionId)
  )

export const create = Effect.fnUntraced(function* (draining: Effect.Effect<boolean>) {
  const caller = yield* permitted("prompt")
  const config = yield* AppConfig
  const { session_id, workspace, mode: wanted, ...options } = yield* body(Shape.CreateSession, config.limit)
  yield* notDraining(draining)
  const mode = wanted === undefined ? {} : { mode: yield* modeFor(caller.principal, config.mode, wanted) }
  const create = { workspace: yield* workspaceFor(config, caller.principal, workspace), ...mode, ...options }
  const id = session_id ?? (yield* nextId(caller))
  const made = { session_id: id, create, fresh: true, answers: false, counts: false }
  return yield* shown(caller, yield* present(caller, made))
})

const described = ({ session_id, workspace, title, model, mode, created_at, updated_at }: SessionMeta) => ({
  session_id,
  workspace,
  title,
  ...(model === undefined ? {} : { model }),
  ...(mode === undefined ? {} : { mode }),
  created_at,
  updated_at
})

export interface ListQuery {
  readonly q?: string
  readonly limit?: number
  readonly cursor?: string
}

export const list = Effect.fnUntraced(function* ({ q, ...query }: ListQuery) {
  const caller = yield* permitted("read")
  const wanted = q?.toLowerCase()
  const fits = ({ session_id, title, workspace }: SessionMeta) =>
    [session_id, title, workspace].some((text) => text.toLowerCase().includes(wanted ?? ""))
  const asked = { ...query, ...(wanted === undefined ? {} : { fits }) }
  const { metas, next } = yield* sessionPage(yield* indexOf(caller), asked)
  return { sessions: metas.map(described), ...next }
})

export const show = Effect.fnUntraced(function* (id: SessionId) {
  const caller = yield* permitted("read")
  const held = yield* orHeld(caller, id, openSession(caller, id))
  return yield* held.kind === "here" ? shown(caller, held.session) : heldStatus(caller, held)
})

/** Its task ends first, and what it was granted with it. */
export const remove = Effect.fnUntraced(function* (id: SessionId) {
  const caller = yield* permitted("prompt")
  const [attachments, manager] = [yield* Attachments, yield* RuntimeManager]
  const index = yield* indexOf(caller)
  yield* index.get(id)
  const gone = Effect.andThen(attachments.remove(caller.owner, id), manager.for(caller.owner).remove(id))
  yield* Effect.uninterruptible(gone)
})

/** A copy of what is stored, up to a point. */
export const fork = Effect.fnUntraced(function* (id: SessionId, draining: Effect.Effect<boolean>) {
  const caller = yield* permitted("prompt")
  const { limit } = yield* AppConfig
  const { at, session_id, title } = yield* body(Shape.Fork, limit)
  const chosen = session_id === undefined ? nextId(caller) : Effect.succeed(session_id)
  const made = yield* SessionCopy.fork(caller.owner, id, {
    to: Effect.andThen(notDraining(draining), chosen),
    stored: (yield* RuntimeManager).for(caller.owner).copy,
    ...(at === undefined ? {} : { at }),
    ...(title === undefined ? {} : { title })
  })
  return yield* shown(caller, yield* openSession(caller, made.session_id))
})
