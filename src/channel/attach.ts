/**
 * How a connection comes to its session (PROTOCOL, Resume; SETTLED 2, 12). Owns: the order of what a newcomer is sent:
 * hello (if it said so), replay, one status, live. Invariants: the new session is held before the old one is left;
 * a refusal leaves the connection where it was; ids that we made are never somebody's existing session.
 */
import { Effect, Exit, Scope } from "effect"
import { version } from "../config/Version.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { SessionId } from "../domain/Ids.ts"
import { may, ownerOf, type Principal } from "../domain/Principal.ts"
import type { Create, Detach } from "../protocol/ClientMessage.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import type { CreateOptions } from "../runtime/RuntimeManager.ts"
import type { Position, SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Hold, HoldRequest } from "./Attachments.ts"
import { complain, endWith, leavingOf, type Peer, send } from "./peer.ts"
import { modeFor } from "./Modes.ts"
import { statusBody } from "./Status.ts"
import { workspaceFor } from "./Workspaces.ts"

export interface Joining {
  readonly session_id: SessionId
  /** What it shall be if it is not there; absent: `session_not_found`. */
  readonly create?: CreateOptions
  readonly fresh?: boolean
  readonly after?: Position
  readonly detach: Detach
  readonly hello: boolean
}

export const refuse = (code: RuntimeError["code"]) => Effect.fail(new RuntimeError({ code }))

/** A session somebody makes by speaking: the server's workspace unless it names another. */
export const creation = (
  { shared: { config } }: Peer,
  principal: Principal,
  given: Create = {}
): Effect.Effect<CreateOptions, RuntimeError> =>
  Effect.zipWith(
    workspaceFor(config, principal, given.workspace),
    modeFor(principal, config.mode, given.mode),
    (workspace, mode) => ({ ...given, workspace, mode })
  )

export const sendStatus = (peer: Peer, runtime: SessionRuntime): Effect.Effect<void> =>
  Effect.map(runtime.status, (status) => {
    const owner = peer.principal
    const attached = owner === undefined ? 1 : peer.shared.attachments.count(owner, status.meta.session_id)
    // Whoever asks again is heard when this has left.
    send(peer, statusBody(status, attached), "paced")
  })

export const sendHello = (peer: Peer, position: number): void => {
  const { limit } = peer.shared.config
  const { message_bytes, message_depth, idle_ms, heartbeat_ms, detach_ms } = limit
  send(peer, {
    type: "hello",
    server: { name: "claw", version },
    ...(peer.principal === undefined ? {} : { principal: peer.principal }),
    limits: { message_bytes, message_depth, idle_ms, heartbeat_ms, detach_ms },
    position
  })
}

/** Leaves without waiting: the task of the session that is left ends on its own. */
const leave = (peer: Peer, attached: NonNullable<Peer["attached"]>) =>
  Effect.andThen(
    Scope.close(attached.scope, Exit.void),
    Effect.forkIn(
      attached.hold.leave(leavingOf({ by: "client", reads: true, code: 1000, reason: "" }, attached)),
      peer.shared.scope,
      { startImmediately: true }
    )
  )

const enter = Effect.fnUntraced(function* (peer: Peer, principal: Principal, joining: Joining) {
  const { session_id, create, fresh, after, detach } = joining
  const request: HoldRequest = {
    owner: ownerOf(principal),
    session_id,
    ...(create === undefined ? {} : { create, fresh: fresh ?? false }),
    answers: may(principal, "approve"),
    counts: true,
    ...(after === undefined ? {} : { seen: after.seq }),
    revoked: peer.shared.authenticator.revoked(principal),
    onRemoved: () => {
      if (peer.attached === undefined || peer.session_id !== session_id) return
      peer.attached = undefined
      complain(peer, "session_not_found")
      peer.session_id = undefined
      // What was meant for it, also what is on its way already, must not begin another one without its past.
      peer.refused = { code: "session_not_found" }
    }
  }
  const hold: Hold = yield* peer.shared.attachments.hold(request)
  const { position } = yield* hold.runtime.status
  const old = peer.attached
  peer.attached = { hold, runtime: hold.runtime, scope: yield* Scope.make(), detach }
  peer.session_id = session_id
  peer.refused = undefined
  if (old !== undefined) yield* leave(peer, old)
  return { ...peer.attached, position }
}, Effect.uninterruptible)

/** A task that cannot be stored has no fact to tell it by; once, at the first try. */
const tellUnstored = (peer: Peer, event: SessionEvent): void => {
  if (event.type === "retrying" && event.code === "storage_unavailable" && event.attempt === 1) {
    complain(peer, "storage_unavailable", { task_id: event.task_id })
  }
}

/** Attaches, replays, tells the status; then the session's events come as they happen. */
export const join = Effect.fnUntraced(function* (peer: Peer, principal: Principal, joining: Joining) {
  const { runtime, scope, position } = yield* enter(peer, principal, joining)
  const { outbox, shared } = peer
  const { after } = joining
  if (joining.hello) sendHello(peer, position)
  outbox.replaying(true)
  yield* runtime
    .subscribe({
      ...(after === undefined ? {} : { after }),
      sink: (events) => {
        peer.activeAt = shared.now()
        outbox.sink(events)
        for (const event of events) tellUnstored(peer, event)
      },
      pace: Effect.callback<void>((resume) => outbox.whenTaken(() => resume(Effect.void)))
    })
    .pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.ensuring(Effect.sync(() => outbox.replaying(false))),
      // It is in neither session now: going on would put its prompts into a third one.
      Effect.tapError((error) => Effect.sync(() => endWith(peer, error.code)))
    )
  yield* sendStatus(peer, runtime)
})

const TRIES = 100

/** Every event says its session, also before there is one: the id is known from the first message on. */
export const reserve = (peer: Peer, principal: Principal): Effect.Effect<SessionId, RuntimeError> =>
  peer.session_id !== undefined
    ? Effect.succeed(peer.session_id)
    : Effect.tap(peer.shared.manager.for(ownerOf(principal)).reserve(peer.connection.transport), (id) =>
        Effect.sync(() => {
          peer.session_id = id
        })
      )

export type Making = Pick<Joining, "detach" | "hello"> & { readonly create?: Create }

/** A new session under an id of ours. */
export const joinNew = Effect.fnUntraced(function* (peer: Peer, principal: Principal, making: Making) {
  if (!may(principal, "prompt")) return yield* refuse("forbidden")
  const create = yield* creation(peer, principal, making.create)
  for (let tries = 1; ; tries++) {
    const session_id = yield* reserve(peer, principal)
    const joined = yield* join(peer, principal, { ...making, session_id, create, fresh: true }).pipe(
      Effect.as(true),
      // Somebody chose this very id by hand.
      Effect.catchIf(
        (error) => error.code === "session_exists" && tries < TRIES,
        () =>
          Effect.sync(() => {
            peer.session_id = undefined
            return false
          })
      )
    )
    if (joined) return
  }
})

/** The session that a message is for: the attached one, or a new one at the first message that needs one. */
export const sessionFor = Effect.fnUntraced(function* (peer: Peer, principal: Principal) {
  if (peer.attached === undefined) yield* joinNew(peer, principal, { detach: false, hello: false })
  return peer.attached === undefined ? yield* refuse("session_not_found") : peer.attached.runtime
})
