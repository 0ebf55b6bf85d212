/**
 * Handlers of sessions as things: made, shown, named, put aside, copied, removed. Does not own: lists of them
 * (apiListed), what happens inside one (apiTasks), its events (apiEvents). Invariant: everything goes through the
 * caller's own scope.
 */
import { Effect, Option } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { Attachments } from "../channel/Attachments.ts"
import { maySet, modeFor } from "../channel/Modes.ts"
import { workspaceFor } from "../channel/Workspaces.ts"
import type { SessionId } from "../domain/Ids.ts"
import { may } from "../domain/Principal.ts"
import { modes as allModes } from "../protocol/ClientMessage.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import * as SessionCopy from "../runtime/SessionCopy.ts"
import { body } from "./apiBody.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { heldStatus, orHeld } from "./apiHeld.ts"
import { describedOne } from "./apiListed.ts"
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

export const show = Effect.fnUntraced(function* (id: SessionId) {
  const caller = yield* permitted("read")
  const held = yield* orHeld(caller, id, openSession(caller, id))
  const told = yield* held.kind === "here" ? shown(caller, held.session) : heldStatus(caller, held)
  const { archived } = yield* (yield* indexOf(caller)).get(id)
  return archived === true ? { ...told, archived } : told
})

/** A session in memory is told, so that it says its new name from now on. */
const rename = Effect.fnUntraced(function* (caller: CallerShape, id: SessionId, title: string) {
  const running = yield* Effect.option((yield* RuntimeManager).for(caller.owner).get(id))
  if (Option.isSome(running)) return yield* running.value.rename(title)
  yield* (yield* indexOf(caller)).update(id, { title, updated_at: new Date().toISOString() })
})

/** Also of one that another process has: the list is nobody's. */
export const update = Effect.fnUntraced(function* (id: SessionId) {
  const caller = yield* permitted("prompt")
  const { limit } = yield* AppConfig
  const { title, archived } = yield* body(Shape.SessionChange, limit)
  if (title === undefined && archived === undefined) return yield* refuse("bad_message", "There is nothing to change.")
  const index = yield* indexOf(caller)
  yield* index.get(id)
  if (title !== undefined) yield* rename(caller, id, title)
  const meta = yield* index.update(id, archived === undefined ? {} : { archived })
  return yield* describedOne(caller, meta)
})

const allowed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onFailure: () => false, onSuccess: () => true })

/** As many sessions are looked at for directories in which a new one may be made, too. */
const RECENT = 200

export const options = Effect.gen(function* () {
  const { principal, ...caller } = yield* permitted("read")
  const config = yield* AppConfig
  const workspace = yield* workspaceFor(config, principal)
  const metas = yield* (yield* indexOf({ principal, ...caller })).list({ limit: RECENT })
  const known = new Set(metas.map((meta) => meta.workspace))
  const others = yield* Effect.filter(known, (path) => allowed(workspaceFor(config, principal, path)))
  const modes = allModes.filter((mode) => maySet(principal, config.mode, mode))
  return {
    workspace,
    workspaces: Array.from(new Set([workspace, ...others])),
    any_workspace: may(principal, "manage"),
    mode: config.mode,
    modes,
    ...(config.model === undefined ? {} : { model: config.model })
  }
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
  const { limit, mode: standing } = yield* AppConfig
  const { at, session_id, title } = yield* body(Shape.Fork, limit)
  const chosen = session_id === undefined ? nextId(caller) : Effect.succeed(session_id)
  const made = yield* SessionCopy.fork(caller.owner, id, {
    // Who may not set a mode may not come by it either.
    keepsMode: (mode) => allModes.some((known) => known === mode && maySet(caller.principal, standing, known)),
    to: Effect.andThen(notDraining(draining), chosen),
    stored: (yield* RuntimeManager).for(caller.owner).copy,
    ...(at === undefined ? {} : { at }),
    ...(title === undefined ? {} : { title })
  })
  return yield* shown(caller, yield* openSession(caller, made.session_id))
})
