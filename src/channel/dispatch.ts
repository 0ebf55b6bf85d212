/**
 * What each message does (R187–R193). Owns: who may do it, and what it is answered. Does not own: the loop.
 * Invariants: whatever goes wrong is an answer with a code of the table and the connection lives on, unless the code
 * says otherwise; the loop stays free, whatever a message waits for (beside).
 */
import { Effect } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { type ErrorCode, table } from "../domain/ErrorCode.ts"
import { may, type Permission, type Principal } from "../domain/Principal.ts"
import { attributes } from "../observability/Telemetry.ts"
import type { SessionId, TaskId } from "../domain/Ids.ts"
import type { ClientMessage, Message } from "../protocol/ClientMessage.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import type { RestoreOptions, SessionRuntime } from "../runtime/SessionRuntime.ts"
import { join, refuse, sendStatus, sessionFor } from "./attach.ts"
import * as Beside from "./beside.ts"
import { hello } from "./hello.ts"
import { modeFor } from "./Modes.ts"
import { complain, type Context, end, endWith, type Peer, send } from "./peer.ts"

type Handled = Effect.Effect<void, RuntimeError>
type Setting<N extends Message<"command">["name"]> = Extract<Message<"command">, { readonly name: N }>

const permitted = (principal: Principal, permission: Permission, then: Handled): Handled =>
  may(principal, permission) ? then : refuse("forbidden")

const accepted = Effect.fnUntraced(function* (peer: Peer, runtime: SessionRuntime, message: Message<"prompt">) {
  const { type: _, v: __, ...given } = message
  const { prompt_id, task, duplicate } = yield* runtime.prompt(given)
  const { idempotency_key } = given
  if (idempotency_key === undefined) return
  const task_id = task?.task_id ?? (yield* runtime.state).keys.get(idempotency_key)?.task_id
  send(peer, {
    type: "accepted",
    idempotency_key,
    prompt_id,
    ...(task_id === undefined ? {} : { task_id }),
    ...(duplicate ? { duplicate } : {})
  })
})

/** What an error that answers this message names, so that who sends several at once knows which one is meant. */
const contextOf = (message: ClientMessage): Context => {
  if (message.type === "approval_response") return { request_id: message.request_id }
  if (message.type === "interrupt" && message.task_id !== undefined) return { task_id: message.task_id }
  if (message.type === "prompt" && message.idempotency_key !== undefined) {
    return { idempotency_key: message.idempotency_key }
  }
  return {}
}

const prompt = Effect.fnUntraced(function* (peer: Peer, principal: Principal, message: Message<"prompt">) {
  if (peer.shared.deadline !== undefined) return yield* refuse("server_draining")
  const retry_after_ms = yield* peer.shared.promptRate.take(principal)
  if (retry_after_ms > 0) {
    complain(peer, "rate_limited", { ...contextOf(message), retry_after_ms })
    return yield* logRefused(peer, "prompt", "rate_limited")
  }
  yield* accepted(peer, yield* sessionFor(peer, principal), message)
})

/** Of an attached session only: where there is none, there is nothing of that name. */
const attached = (peer: Peer, code: ErrorCode, use: (runtime: SessionRuntime) => Handled): Handled =>
  peer.attached === undefined ? refuse(code) : use(peer.attached.runtime)

/** The task's children may take their time to die; meanwhile the client is heard. */
const interrupt = (peer: Peer, { task_id }: Message<"interrupt">): Handled =>
  attached(peer, "no_task", (runtime) => {
    const context = task_id === undefined ? {} : { task_id }
    const stopping = answering(peer, "interrupt", context, runtime.interrupt(task_id))
    return Effect.asVoid(Effect.forkIn(stopping, peer.scope, { startImmediately: true }))
  })

const setMode = Effect.fnUntraced(function* (principal: Principal, runtime: SessionRuntime, wanted: Mode) {
  yield* runtime.setMode(yield* modeFor(principal, (yield* runtime.status).mode, wanted))
})

/** Who does not manage the server goes no further than its configuration. */
const setBudget = (
  principal: Principal,
  { setBudget: set }: SessionRuntime,
  { type: _, v: __, name: ___, ...caps }: Setting<"set_budget">
): Handled => (set === undefined ? refuse("forbidden") : Effect.asVoid(set(caps, !may(principal, "manage"))))

const restore = (
  runtime: SessionRuntime,
  direction: "undo" | "redo",
  to: TaskId | undefined,
  options: RestoreOptions = {}
): Handled =>
  Effect.asVoid<unknown, RuntimeError, never>(
    to === undefined ? runtime.restore(direction, options) : runtime.restoreTo(direction, to, options)
  )

const command = (peer: Peer, principal: Principal, runtime: SessionRuntime, message: Message<"command">): Handled => {
  switch (message.name) {
    case "clear":
      return runtime.clear
    case "compact":
      return runtime.compact(message.focus)
    case "undo":
      return restore(runtime, "undo", message.to, { uncertain: message.uncertain === true })
    case "redo":
      return restore(runtime, "redo", message.to)
    case "diff":
      return Effect.map(runtime.difference(message.task_id ?? message.all === true), (found) =>
        send(peer, { type: "difference", ...found })
      )
    case "resume_queue":
      return runtime.resumeQueue
    case "set_mode":
      return setMode(principal, runtime, message.mode)
    case "set_model":
      return runtime.setModel(message.model)
    case "set_budget":
      return setBudget(principal, runtime, message)
    case "rename":
      return runtime.rename(message.title)
  }
}

const commanded = Effect.fnUntraced(function* (peer: Peer, principal: Principal, message: Message<"command">) {
  const runtime = yield* sessionFor(peer, principal)
  yield* command(peer, principal, runtime, message)
  // What changed is nowhere else to be seen.
  if (message.name.startsWith("set_") || message.name === "rename") yield* sendStatus(peer, runtime)
})

const resume = (peer: Peer, principal: Principal, { session_id, after, detach }: Message<"resume">): Handled =>
  join(peer, principal, { session_id, after: after ?? { seq: 0 }, detach: detach ?? false, hello: false })

const bye = { by: "client", reads: true, code: 1000, reason: "" } as const

const act = (
  peer: Peer,
  principal: Principal,
  message: Exclude<ClientMessage, { readonly type: "hello" | "resume" }>
): Handled => {
  switch (message.type) {
    case "prompt":
      return permitted(principal, "prompt", prompt(peer, principal, message))
    case "unqueue": {
      const taken = attached(peer, "prompt_not_found", (runtime) => runtime.unqueue(message.prompt_id))
      return permitted(principal, "prompt", taken)
    }
    case "interrupt":
      return permitted(principal, "prompt", interrupt(peer, message))
    case "approval_response": {
      const { type: _, v: __, ...given } = message
      const answer = { ...given, by: principal.name }
      const answered = attached(peer, "approval_not_found", (runtime) => runtime.answer(answer))
      return permitted(principal, "approve", answered)
    }
    case "status":
      return Effect.suspend(() =>
        // A session that this very message makes is told once, on attaching.
        peer.attached === undefined
          ? Effect.asVoid(sessionFor(peer, principal))
          : sendStatus(peer, peer.attached.runtime)
      )
    case "command":
      return permitted(principal, message.name === "diff" ? "read" : "prompt", commanded(peer, principal, message))
    case "ping":
      return Effect.sync(() =>
        send(peer, { type: "pong", ...(message.nonce === undefined ? {} : { nonce: message.nonce }) })
      )
    case "pong":
      return Effect.void
    case "close":
      return Effect.sync(() => end(peer, bye))
  }
}

/** A prompt that is not taken is somebody's question; what else is not is of interest to whoever looks closely. */
const logRefused = (peer: Peer, type: ClientMessage["type"], code: ErrorCode, { request_id, task_id }: Context = {}) =>
  (type === "prompt" ? Effect.logInfo : Effect.logDebug)(`${type} was refused`, {
    [attributes.code]: code,
    ...(peer.session_id === undefined ? {} : { [attributes.session]: peer.session_id }),
    ...(task_id === undefined ? {} : { [attributes.task]: task_id }),
    ...(request_id === undefined ? {} : { [attributes.request]: request_id })
  })

/** A failure as an error event. Sentences are the table's: what an inner error says may name what is not theirs. */
const answering = (peer: Peer, type: ClientMessage["type"], context: Context, handled: Handled): Effect.Effect<void> =>
  Effect.catch(handled, ({ code }) => {
    complain(peer, code, context)
    return logRefused(peer, type, code, context)
  })

/** Messages that need no session, or say which. */
const FREE: ReadonlySet<ClientMessage["type"]> = new Set(["hello", "resume", "ping", "pong", "close"])

/**
 * Which session it shall be. Where that fails, what was sent behind it must not end up in another one: where it may
 * succeed later, it is tried again then.
 */
const choosing = (peer: Peer, wanted: SessionId | undefined, handled: Handled): Handled =>
  Effect.tapError(handled, ({ code }) =>
    Effect.sync(() => {
      if (peer.attached !== undefined && wanted === peer.session_id) return
      peer.refused = { code, ...(table[code].retryable ? { again: choosing(peer, wanted, handled) } : {}) }
    })
  )

const handle = (peer: Peer, message: ClientMessage): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (message.type === "hello") {
      return answering(peer, "hello", {}, choosing(peer, message.session_id, hello(peer, message)))
    }
    const { principal, refused } = peer
    if (principal === undefined) return Effect.void
    if (message.type === "resume") {
      const resumed = choosing(peer, message.session_id, resume(peer, principal, message))
      return answering(peer, "resume", {}, resumed)
    }
    const asked = contextOf(message)
    if (refused !== undefined && !FREE.has(message.type)) {
      const { code, again } = refused
      const tried = again === undefined ? refuse(code) : Effect.andThen(again, act(peer, principal, message))
      return answering(peer, message.type, asked, tried)
    }
    return answering(peer, message.type, asked, act(peer, principal, message))
  })

const SOON_MS = 1000

/** Too much waits: who cannot say which session it shall be has nothing more to say here. */
const full = (peer: Peer, message: ClientMessage): Effect.Effect<void> =>
  Effect.sync(() => {
    if (message.type === "hello" || message.type === "resume") return endWith(peer, "rate_limited")
    complain(peer, "rate_limited", { ...contextOf(message), retry_after_ms: SOON_MS })
  })

/** Returns when it is answered, or waits for something beside. */
export const dispatch = (peer: Peer, message: ClientMessage): Effect.Effect<void> =>
  Beside.run(peer, message.type, handle(peer, message), full(peer, message))
