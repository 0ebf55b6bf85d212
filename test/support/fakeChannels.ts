/**
 * A conversation that only shows what it was told: for tests of transports. Owns: an answer for each thing received,
 * and what was received. `{"type":"say","bytes":N}` makes it send N bytes; `hold` stops its pulling until `release`.
 */
import { Deferred, Effect, Layer, Queue } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { Connection, Inbound } from "../../src/channel/Connection.ts"
import { closing } from "../../src/protocol/WireError.ts"

export interface FakeChannels {
  readonly layer: Layer.Layer<Channels>
  /** Every connection, as it begins to be served. */
  readonly served: Queue.Queue<Connection>
  /** Everything received, of every connection, in order. */
  readonly inbound: Queue.Queue<Inbound>
  readonly hold: Effect.Effect<void>
  readonly release: Effect.Effect<void>
  readonly pulled: () => number
}

const replyTo = (connection: Connection, text: string) => {
  const bytes = /^\{"type":"say","bytes":(\d+)\}$/.exec(text)?.[1]
  connection.send(bytes === undefined ? JSON.stringify({ got: text }) : "x".repeat(Number(bytes)))
}

export const make: Effect.Effect<FakeChannels> = Effect.gen(function* () {
  const served = yield* Queue.unbounded<Connection>()
  const inbound = yield* Queue.unbounded<Inbound>()
  const state = { gate: undefined as Deferred.Deferred<void> | undefined, pulled: 0, open: new Set<Connection>() }
  const one = (connection: Connection): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      if (state.gate !== undefined) yield* Deferred.await(state.gate)
      const next = yield* connection.receive
      state.pulled++
      yield* Queue.offer(inbound, next)
      if (next.kind === "frame") replyTo(connection, next.text)
      if (next.kind === "unfinished") connection.send(JSON.stringify({ type: "error", error: { code: "bad_json" } }))
      if (next.kind === "broken") {
        connection.send(JSON.stringify({ type: "error", error: { code: next.code } }))
        yield* connection.close({ code: closing[next.code] ?? 1002, reason: next.code })
      }
      if (next.kind === "end" && next.by === "half") yield* connection.close({ code: 1000, reason: "" })
      return next.kind !== "end"
    })
  const serve = (connection: Connection) =>
    Effect.gen(function* () {
      state.open.add(connection)
      yield* Queue.offer(served, connection)
      while (yield* one(connection));
    }).pipe(
      Effect.onInterrupt(() => connection.close({ code: 1001, reason: "server_draining" })),
      Effect.ensuring(Effect.sync(() => void state.open.delete(connection)))
    )
  const channels = Channels.of({
    serve,
    count: Effect.sync(() => state.open.size),
    attached: () => Effect.succeed(0),
    attend: () => Effect.void,
    drain: (deadline) =>
      Effect.sync(() => state.open.forEach(({ send }) => send(JSON.stringify({ type: "draining", deadline })))),
    closeAll: Effect.suspend(() =>
      Effect.forEach(state.open, ({ close }) => close({ code: 1001, reason: "server_draining" }), {
        concurrency: "unbounded",
        discard: true
      })
    )
  })
  return {
    layer: Layer.succeed(Channels, channels),
    served,
    inbound,
    hold: Effect.map(Deferred.make<void>(), (gate) => void (state.gate = gate)),
    release: Effect.suspend(() => {
      const { gate } = state
      state.gate = undefined
      return gate === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(gate, undefined))
    }),
    pulled: () => state.pulled
  }
})
