/**
 * The first message, where a client says one (R176, R241, PROTOCOL §1): who it is, which session, from where.
 * Invariants: a wrong token ends the connection; an unknown id becomes a session of the client's own, unless it says
 * that it has seen events of it.
 */
import { Effect } from "effect"
import { may, type Principal, scopeKey } from "../domain/Principal.ts"
import type { Message } from "../protocol/ClientMessage.ts"
import type { RuntimeError } from "../runtime/RuntimeError.ts"
import { creation, join, joinNew, refuse, sendHello } from "./attach.ts"
import { complain, endNobody, endUnknown, endWith, type Peer } from "./peer.ts"
import { watchHeartbeat, watchRevocation } from "./watch.ts"

/** Whoever the token says; without one, whoever the transport or the server's openness says. */
const recognise = (peer: Peer, token: string | undefined): Effect.Effect<Principal | undefined> => {
  const { connection, shared } = peer
  if (token === undefined) return Effect.succeed(peer.principal)
  return Effect.match(shared.authenticator.authenticate(token, connection.address), {
    onSuccess: (principal): Principal | undefined => principal,
    onFailure: ({ code, retry_after_ms }) => {
      const endAs = code === "storage_unavailable" ? endWith : endUnknown
      endAs(peer, code, retry_after_ms === undefined ? {} : { retry_after_ms })
      return undefined
    }
  })
}

/** Whom the transport recognised has a place before this; here is whoever says it, on any transport. */
const hasRoom = (peer: Peer, principal: Principal): boolean => {
  if (peer.connection.principal !== undefined || peer.place !== undefined) return true
  peer.place = peer.shared.places.take(principal)
  return peer.place !== undefined
}

const sendAlone = (peer: Peer): void => {
  peer.refused = undefined
  sendHello(peer, 0)
}

const attach = (peer: Peer, principal: Principal, message: Message<"hello">): Effect.Effect<void, RuntimeError> => {
  const { session_id, after, create, detach = false } = message
  const making = { detach, hello: true, ...(create === undefined ? {} : { create }) }
  if (session_id === undefined) {
    // Who may only read or approve has no session of its own; it says later which one (`resume`).
    return may(principal, "prompt") ? joinNew(peer, principal, making) : Effect.sync(() => sendAlone(peer))
  }
  const joining = { session_id, detach, hello: true, ...(after === undefined ? {} : { after }) }
  if ((after?.seq ?? 0) > 0 || !may(principal, "prompt")) return join(peer, principal, joining)
  return Effect.flatMap(creation(peer, principal, create), (options) =>
    join(peer, principal, { ...joining, create: options })
  )
}

/** Told with a sentence of its own. */
const notFirst = (peer: Peer, { session_id }: Message<"hello">): Effect.Effect<void> =>
  Effect.sync(() => {
    complain(peer, "bad_message", { detail: "hello is the first message or none." })
    if (session_id !== undefined && session_id !== peer.session_id) peer.refused = { code: "bad_message" }
  })

/** The connection is somebody's from now on; nothing: it has been ended, and why was told. */
export const signIn = Effect.fnUntraced(function* (peer: Peer, token: string | undefined) {
  const principal = yield* recognise(peer, token)
  if (principal === undefined) {
    if (token === undefined) yield* endNobody(peer)
    return undefined
  }
  const known = peer.principal
  // A token may not turn a signed-in connection into somebody else's.
  if (known !== undefined && scopeKey(known) !== scopeKey(principal)) {
    return yield* refuse("forbidden")
  }
  if (!hasRoom(peer, principal)) {
    endWith(peer, "too_many_connections")
    return undefined
  }
  if (peer.principal === undefined || token !== undefined) yield* watchRevocation(peer, principal)
  peer.principal = principal
  return principal
})

export const hello = Effect.fnUntraced(function* (peer: Peer, message: Message<"hello">) {
  // Another one is heard where the one before, or a `resume`, did not lead to a session.
  const again = peer.attached === undefined && peer.refused !== undefined
  if (!again && (peer.greeted || peer.session_id !== undefined)) return yield* notFirst(peer, message)
  const principal = yield* signIn(peer, message.token)
  if (principal === undefined) return
  if (!peer.greeted) yield* watchHeartbeat(peer)
  peer.greeted = true
  yield* attach(peer, principal, message)
})
