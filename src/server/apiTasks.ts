/**
 * Handlers of what happens inside a session: prompts, answers, commands, grants. Does not own: events (apiEvents).
 * Invariant: a task that was started here outlives its request and can be answered by later ones (present).
 */
import { Effect } from "effect"
import { GrantStore } from "../approval/GrantStore.ts"
import { modeFor } from "../channel/Modes.ts"
import { PromptRate } from "../channel/PromptRate.ts"
import { AppConfig } from "../config/AppConfig.ts"
import type { GrantId, PromptId, RequestId, SessionId } from "../domain/Ids.ts"
import { may, type Permission, type Principal } from "../domain/Principal.ts"
import type { Message } from "../protocol/ClientMessage.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { body } from "./apiBody.ts"
import { permitted } from "./apiCaller.ts"
import { ApiError, refuse } from "./apiProblem.ts"
import { indexOf, openSession, working } from "./apiScope.ts"
import * as Shape from "./apiShapes.ts"

const opened = (id: SessionId, permission: Permission) =>
  Effect.flatMap(permitted(permission), (caller) => openSession(caller, id))

export interface TaskServices {
  readonly draining: Effect.Effect<boolean>
}

export const prompt = Effect.fnUntraced(function* (id: SessionId, header: string | undefined, services: TaskServices) {
  const caller = yield* permitted("prompt")
  const { limit } = yield* AppConfig
  const given = yield* body(Shape.Prompt, limit)
  const key = given.idempotency_key ?? header
  if (key !== undefined && (key === "" || key.length > 256 || (header ?? key) !== key)) {
    return yield* refuse("bad_message", "The idempotency key has 1 to 256 characters, the same in body and header.")
  }
  if (yield* services.draining) return yield* refuse("server_draining")
  const { runtime: session, started } = yield* working(caller, id)
  const retry_after_ms = yield* Effect.flatMap(PromptRate, (rate) => rate.take(caller.principal))
  if (retry_after_ms > 0)
    return yield* new ApiError({ code: "rate_limited", retry_after_ms: Math.ceil(retry_after_ms) })
  const asked = { ...given, ...(key === undefined ? {} : { idempotency_key: key }) }
  const { prompt_id, task, duplicate } = yield* Effect.uninterruptible(
    Effect.tap(session.prompt(asked), ({ duplicate: known }) => (known ? Effect.void : started))
  )
  const known = key === undefined ? undefined : (yield* session.state).keys.get(key)
  const task_id = task?.task_id ?? (duplicate ? known?.task_id : undefined)
  return { session_id: id, prompt_id, ...(task_id === undefined ? {} : { task_id }), duplicate }
})

export const interrupt = Effect.fnUntraced(function* (id: SessionId) {
  const session = yield* opened(id, "prompt")
  const { limit } = yield* AppConfig
  const { task_id } = yield* body(Shape.Interrupt, limit)
  yield* session.interrupt(task_id)
})

export const approvals = Effect.fnUntraced(function* (id: SessionId) {
  const session = yield* opened(id, "read")
  return { approvals: (yield* session.status).pending_approvals }
})

export const approve = Effect.fnUntraced(function* (id: SessionId, request: string) {
  const caller = yield* permitted("approve")
  const { limit } = yield* AppConfig
  const answer = yield* body(Shape.ApprovalAnswer, limit)
  const session = yield* openSession(caller, id)
  yield* session.answer({ ...answer, request_id: request as RequestId, by: caller.principal.name })
})

export const unqueue = (id: SessionId, prompt_id: string) =>
  Effect.flatMap(opened(id, "prompt"), (session) => session.unqueue(prompt_id as PromptId))

type Restoring = Extract<Message<"command">, { readonly name: "undo" | "redo" }>

const restored = (session: SessionRuntime, given: Restoring): Effect.Effect<unknown, RuntimeError> => {
  const options = { uncertain: given.name === "undo" && given.uncertain === true }
  return given.to === undefined
    ? session.restore(given.name, options)
    : session.restoreTo(given.name, given.to, options)
}

const budgeted = (
  principal: Principal,
  { setBudget }: SessionRuntime,
  { type: _, v: __, name: ___, ...caps }: Extract<Message<"command">, { readonly name: "set_budget" }>
): Effect.Effect<void, RuntimeError | ApiError> =>
  setBudget === undefined ? refuse("forbidden") : Effect.asVoid(setBudget(caps, !may(principal, "manage")))

export const command = Effect.fnUntraced(function* (id: SessionId) {
  const caller = yield* permitted("prompt")
  const { runtime: session, started } = yield* working(caller, id)
  const { limit } = yield* AppConfig
  const given = yield* body(Shape.commandOf, limit)
  switch (given.name) {
    case "clear":
      return yield* session.clear
    case "undo":
    case "redo":
      return void (yield* restored(session, given))
    case "diff":
      return yield* refuse("bad_message", "Ask for it: GET …/diff.")
    case "resume_queue":
      return yield* Effect.uninterruptible(Effect.andThen(session.resumeQueue, started))
    case "set_mode":
      return yield* session.setMode(yield* modeFor(caller.principal, (yield* session.status).mode, given.mode))
    case "set_model":
      return yield* session.setModel(given.model)
    case "set_budget":
      return yield* budgeted(caller.principal, session, given)
    case "rename":
      return yield* session.rename(given.title)
    case "compact":
      return yield* Effect.uninterruptible(Effect.andThen(session.compact(given.focus), started))
  }
})

/** Read from the store: a session need not be awake for it. */
const grantsOf = Effect.fnUntraced(function* (id: SessionId, permission: Permission) {
  const caller = yield* permitted(permission)
  yield* (yield* indexOf(caller)).get(id)
  return { caller, store: (yield* GrantStore).for(caller.owner) }
})

export const grants = Effect.fnUntraced(function* (
  id: SessionId,
  { limit, cursor }: { readonly limit?: number; readonly cursor?: string }
) {
  const { store } = yield* grantsOf(id, "read")
  const found = yield* store.page(id, {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { after: cursor as GrantId })
  })
  return {
    grants: found.grants.map(({ grant, uses, last_used_at }) => ({
      ...grant,
      uses,
      ...(last_used_at === undefined ? {} : { last_used_at })
    })),
    ...(found.next === undefined ? {} : { next_cursor: found.next })
  }
})

export const revoke = Effect.fnUntraced(function* (id: SessionId, grant: string) {
  const { caller, store } = yield* grantsOf(id, "approve")
  if (!(yield* store.revoke(id, grant as GrantId, caller.principal.name))) return yield* refuse("grant_not_found")
})
