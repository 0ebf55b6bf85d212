/**
 * All conversations of this process: Channels, live. Owns: the set of connections and of guests, the drain.
 * Invariant: `closeAll` returns when nothing is left of any that was there.
 */
import { Clock, Deferred, Effect, Layer, Metric } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { connections, counts } from "../observability/ServerMetrics.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import * as Attachments from "./Attachments.ts"
import { Authenticator } from "./Authenticator.ts"
import { Channels, type Guest } from "./Channels.ts"
import { serve } from "./channelSession.ts"
import { end, type Peer, send, type Shared } from "./peer.ts"
import * as Places from "./Places.ts"
import * as PromptRate from "./PromptRate.ts"

const draining = (peer: Peer, deadline: number) =>
  send(peer, { type: "draining", deadline: new Date(deadline).toISOString() })

/** Guests, and for each when it has gone. */
const makeGuests = () => {
  const guests = new Map<Guest, Deferred.Deferred<void>>()
  return {
    come: (guest: Guest) => Effect.sync(() => void guests.set(guest, Deferred.makeUnsafe())),
    go: (guest: Guest) =>
      Effect.sync(() => {
        const gone = guests.get(guest)
        guests.delete(guest)
        if (gone !== undefined) Deferred.doneUnsafe(gone, Effect.void)
      }),
    draining: (deadline: number) => guests.forEach((_, guest) => guest.draining(deadline)),
    close: (): ReadonlyArray<Deferred.Deferred<void>> => {
      const all = Array.from(guests)
      for (const [guest] of all) guest.close()
      return all.map(([, gone]) => gone)
    }
  }
}

const closing = { by: "server", reads: true, code: 1001, reason: "server_draining" } as const

type Guests = ReturnType<typeof makeGuests>

const attend = (shared: Shared, guests: Guests, guest: Guest) =>
  Effect.andThen(
    Effect.acquireRelease(guests.come(guest), () => guests.go(guest)),
    Effect.sync(() => {
      if (shared.deadline !== undefined) guest.draining(shared.deadline)
    })
  )

const closeAll = (shared: Shared, guests: Guests) =>
  Effect.suspend(() => {
    const peers = Array.from(shared.peers)
    for (const peer of peers) end(peer, closing)
    const gone = [...peers.map((peer) => peer.gone), ...guests.close()]
    return Effect.forEach(gone, Deferred.await, { discard: true })
  })

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const shared: Shared = {
    config: yield* AppConfig,
    attachments: yield* Attachments.Attachments,
    authenticator: yield* Authenticator,
    manager: yield* RuntimeManager,
    promptRate: yield* PromptRate.PromptRate,
    places: yield* Places.Places,
    counts: yield* counts,
    now: () => clock.currentTimeMillisUnsafe(),
    scope: yield* Effect.scope,
    peers: new Set(),
    deadline: undefined
  }
  const guests = makeGuests()
  return Channels.of({
    serve: (connection) => {
      const gauge = Metric.withAttributes(connections, { transport: connection.transport })
      return Effect.acquireUseRelease(
        Metric.modify(gauge, 1),
        () => serve(shared, connection),
        () => Metric.modify(gauge, -1)
      )
    },
    count: Effect.sync(() => shared.peers.size),
    attached: (owner, session) => Effect.sync(() => shared.attachments.count(owner, session)),
    attend: (guest) => attend(shared, guests, guest),
    drain: (deadline) =>
      Effect.sync(() => {
        shared.deadline = deadline
        for (const peer of shared.peers) draining(peer, deadline)
        guests.draining(deadline)
      }),
    closeAll: closeAll(shared, guests)
  })
})

/** Gives the attachments, the prompts' rate and the principals' places too: servers and the HTTP API share them. */
export const layer = Layer.effect(Channels, make).pipe(
  Layer.provideMerge(Layer.mergeAll(Attachments.layer, PromptRate.layer, Places.layer))
)
