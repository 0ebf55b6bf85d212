/**
 * One connection's conversation (R183–R193): one input loop, one outbox, one end. Owns: the order in which it comes
 * down. Invariants: the loop waits for nothing but the next message (and a moment for the last, beside), and its own reader; whatever the end, the
 * session is left by the disconnect rule, what was sent goes out, and the connection is closed, each once.
 */
import { Deferred, Effect, Exit, Fiber, Latch, Option, Result, Scope } from "effect"
import { decode, type DecodeLimits, helloToken, promptKey } from "../protocol/Decode.ts"
import { attributes } from "../observability/Telemetry.ts"
import { may } from "../domain/Principal.ts"
import type { Connection, Inbound } from "./Connection.ts"
import { reserve } from "./attach.ts"
import * as Beside from "./beside.ts"
import { dispatch } from "./dispatch.ts"
import { signIn } from "./hello.ts"
import * as MessageRate from "./messageRate.ts"
import * as Outbox from "./Outbox.ts"
import { complain, end, type End, endNobody, endSlow, endWith, leavingOf, type Peer, type Shared } from "./peer.ts"
import { untilIdle } from "./untilIdle.ts"
import { watchHandshake, watchHeartbeat, watchIdle, watchReader, watchRevocation } from "./watch.ts"

const interrupted: End = { by: "server", reads: true, code: 1001, reason: "server_draining" }

const make = (shared: Shared, connection: Connection, scope: Scope.Scope): Peer => {
  const peer: Peer = {
    shared,
    connection,
    outbox: Outbox.make({
      connection,
      limits: shared.config.limit,
      now: shared.now,
      onSlow: () => endSlow(peer),
      onSent: (count) => shared.counts.sent(connection.transport, count),
      onWaiting: () => void Latch.openUnsafe(peer.waits)
    }),
    scope,
    ended: Deferred.makeUnsafe(),
    gone: Deferred.makeUnsafe(),
    waits: Latch.makeUnsafe(false),
    principal: connection.principal ?? shared.authenticator.anonymous,
    place: undefined,
    greeted: false,
    halved: false,
    refused: undefined,
    beside: Beside.make(),
    session_id: undefined,
    attached: undefined,
    activeAt: shared.now()
  }
  return peer
}

/** Only who says who it is, be the rest of it wrong, is told more than that it has to. */
const isKnown = (peer: Peer, text: string, limits: DecodeLimits) => {
  const token = helloToken(text, limits)
  if (token === undefined) return Effect.as(endNobody(peer), false)
  return Effect.map(Effect.option(signIn(peer, token)), (found) => Option.getOrUndefined(found) !== undefined)
}

/** The text of one message. */
const take = Effect.fnUntraced(function* (peer: Peer, text: string) {
  const limits = { depth: peer.shared.config.limit.message_depth }
  const decoded = decode(text, limits)
  const greets = Result.isSuccess(decoded) && decoded.success.type === "hello"
  if (peer.principal === undefined && !greets && !(yield* isKnown(peer, text, limits))) return
  const { principal } = peer
  const type = Result.isSuccess(decoded) ? decoded.success.type : decoded.failure.type
  const chooses = type === "hello" || type === "resume"
  const named = peer.refused !== undefined || peer.beside.count > 0
  if (principal !== undefined && may(principal, "prompt") && !chooses && !named) {
    yield* Effect.ignore(reserve(peer, principal))
  }
  if (Result.isFailure(decoded)) {
    const { code, detail } = decoded.failure
    if (chooses) peer.refused = { code }
    const idempotency_key = type === "prompt" ? promptKey(text, limits) : undefined
    return complain(peer, code, { detail, ...(idempotency_key === undefined ? {} : { idempotency_key }) })
  }
  const message = decoded.success
  if (message.type !== "ping" && message.type !== "pong") peer.activeAt = peer.shared.now()
  yield* dispatch(peer, message)
})

/** Input is over, but it still reads: what it asked for is done and told first. */
const afterHalf = (peer: Peer): Effect.Effect<void> => {
  const idle = Effect.suspend(() => {
    const { attached } = peer
    if (attached === undefined) return Effect.void
    return Effect.andThen(attached.hold.mute(attached.detach !== false), untilIdle(attached.runtime))
  })
  const finished = Effect.sync(() => end(peer, { by: "client", reads: true, code: 1000, reason: "" }))
  const gone = Effect.flatMap(peer.connection.receive, (next) => hear(peer, next))
  const beating = peer.greeted ? Effect.void : watchHeartbeat(peer)
  peer.halved = true
  return Effect.andThen(
    beating,
    Effect.raceFirst(Effect.andThen(Beside.done(peer), Effect.andThen(idle, finished)), gone)
  )
}

const hear = (peer: Peer, inbound: Inbound): Effect.Effect<void> => {
  if (inbound.kind === "broken") return Effect.sync(() => endWith(peer, inbound.code))
  if (inbound.kind === "unfinished") return Effect.sync(() => complain(peer, "bad_json"))
  if (inbound.kind === "frame") return take(peer, inbound.text)
  if (inbound.by === "half") return afterHalf(peer)
  const by = inbound.by === "peer" ? "client" : "server"
  const gone = Effect.sync(() => end(peer, { by, reads: false, code: 1000, reason: "" }))
  return by === "client" ? Effect.andThen(Beside.settled(peer), gone) : gone
}

/** Who asks faster than it reads the answers is heard again when it has read some. */
const room = ({ outbox }: Peer) => Effect.callback<void>((resume) => outbox.whenRoom(() => resume(Effect.void)))

const input = Effect.fnUntraced(function* (peer: Peer) {
  const { now, config, counts } = peer.shared
  const judge = MessageRate.make(config.limit, now())
  for (;;) {
    const inbound = yield* peer.connection.receive
    if (inbound.kind === "frame") counts.received(peer.connection.transport, 1)
    const judged = inbound.kind === "frame" ? judge(Buffer.byteLength(inbound.text), now()) : undefined
    if (judged?.kind === "wait") complain(peer, "rate_limited", { retry_after_ms: judged.retry_after_ms })
    else if (judged?.kind === "abuse") endWith(peer, "rate_limited")
    else yield* hear(peer, inbound)
    if (Deferred.isDoneUnsafe(peer.ended)) return
    if (!peer.outbox.hasRoom()) yield* room(peer)
  }
})

const begin = Effect.fnUntraced(function* (peer: Peer) {
  const { principal, connection } = peer
  if (principal === undefined) yield* watchHandshake(peer)
  else if (connection.principal !== undefined) yield* watchRevocation(peer, principal)
  yield* watchIdle(peer)
  yield* watchReader(peer)
  yield* Effect.forkIn(Beside.guarded(peer, input(peer)), peer.scope)
})

/** The session first, where the peer may still read of its end; then the connection. */
const comeDown = Effect.fnUntraced(function* (peer: Peer, work: Scope.Closeable, given: End) {
  const { outbox, connection, shared } = peer
  yield* Scope.close(work, Exit.void)
  const { attached } = peer
  const leaving = attached === undefined ? Effect.void : attached.hold.leave(leavingOf(given, attached))
  const left = yield* Effect.forkIn(leaving, shared.scope, { startImmediately: true })
  if (given.reads) yield* Effect.timeoutOption(Fiber.await(left), shared.config.limit.write_ms)
  if (attached !== undefined) yield* Scope.close(attached.scope, Exit.void)
  peer.attached = undefined
  outbox.finish()
  yield* connection.close({ code: given.code, reason: given.reason })
  yield* Fiber.await(left)
})

/** Whose session it was, who ended it, and why: the error's code where there is one. */
const logClosed = (peer: Peer, { by, code, reason }: End) =>
  Effect.logInfo("a connection was closed", {
    by,
    close: code,
    ...(reason === "" ? {} : { [attributes.code]: reason }),
    ...(peer.session_id === undefined ? {} : { [attributes.session]: peer.session_id })
  })

export const serve = (shared: Shared, connection: Connection): Effect.Effect<void> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const work = yield* Scope.make()
      const peer = make(shared, connection, work)
      shared.peers.add(peer)
      yield* Effect.logInfo("a connection was opened", { address: connection.address })
      if (shared.deadline === undefined) yield* restore(Effect.interruptible(begin(peer))).pipe(Effect.exit)
      else endWith(peer, "server_draining")
      const ended = yield* Effect.exit(restore(Deferred.await(peer.ended)))
      const how = Exit.isSuccess(ended) ? ended.value : interrupted
      yield* comeDown(peer, work, how)
      yield* logClosed(peer, how)
      shared.peers.delete(peer)
      peer.place?.()
      Deferred.doneUnsafe(peer.gone, Effect.void)
    })
  ).pipe(Effect.annotateLogs({ [attributes.transport]: connection.transport }))
