/**
 * The typed client against a server of the built program, over a road that a test can cut. Owns: what the client was
 * told so far, waiting for it, its end. Invariant: client and road go with the scope.
 */
import { connect as dial, createServer, type AddressInfo, type Socket } from "node:net"
import { Effect } from "effect"
import { tcpTransport } from "../../src/cli/TcpTransport.ts"
import type { ErrorBody } from "../../src/domain/ErrorCode.ts"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { connect } from "../../src/protocol/Client.ts"
import type { Client, ClientOptions, ClientState, Told, Transport } from "../../src/protocol/ClientContract.ts"
import type { ConnectionEvent } from "../../src/protocol/ServerEvent.ts"
import { webSocketTransport } from "../../src/protocol/WebSocketTransport.ts"
import type { Ready } from "./e2eServer.ts"

export interface Road {
  readonly port: number
  /** Where it leads from now on. */
  readonly to: (port: number) => void
  /** Every connection breaks, without a farewell. */
  readonly cut: () => void
  /** Connections so far. */
  readonly travelled: () => number
}

/** A way to a port of this machine; a server has to know the address before it starts. */
export const road = Effect.gen(function* () {
  const open = new Set<Socket>()
  const state = { count: 0, port: 0 }
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((near) => {
        state.count++
        const far = dial({ port: state.port, host: "127.0.0.1", noDelay: true })
        for (const [one, other] of [
          [near, far],
          [far, near]
        ] as const) {
          open.add(one)
          one.on("error", () => {})
          one.once("close", () => {
            open.delete(one)
            other.destroy()
          })
          one.pipe(other)
        }
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.close()
        for (const socket of open) socket.destroy()
      })
  )
  return {
    port: (server.address() as AddressInfo).port,
    to: (port) => void (state.port = port),
    cut: () => {
      for (const socket of open) socket.resetAndDestroy()
    },
    travelled: () => state.count
  } satisfies Road
})

export interface Way {
  readonly name: string
  readonly portOf: (ready: Ready) => number
  readonly transport: (port: number) => Transport
}

export const ways: ReadonlyArray<Way> = [
  {
    name: "TCP",
    portOf: ({ tcp }) => tcp.port,
    transport: (port) => tcpTransport({ host: "127.0.0.1", port })
  },
  {
    name: "WebSocket",
    portOf: ({ http }) => Number(new URL(http.url).port),
    transport: (port) => webSocketTransport(`ws://127.0.0.1:${port}/ws`)
  }
]

export interface Live {
  readonly client: Client
  readonly events: ReadonlyArray<SessionEvent>
  readonly states: ReadonlyArray<ClientState>
  readonly told: ReadonlyArray<ConnectionEvent>
  readonly gaps: () => number
  readonly event: <T extends SessionEvent["type"]>(type: T) => Effect.Effect<Extract<SessionEvent, { type: T }>>
  readonly hears: <T extends ConnectionEvent["type"]>(type: T) => Effect.Effect<Told<T>>
  readonly becomes: (kind: ClientState["kind"], times?: number) => Effect.Effect<ClientState>
}

export const live = Effect.fnUntraced(function* (
  transport: Transport,
  options: Omit<ClientOptions, "transport" | "onEvent" | "onState" | "onTold" | "onGap"> = {}
) {
  const events: Array<SessionEvent> = []
  const states: Array<ClientState> = []
  const told: Array<ConnectionEvent> = []
  const watchers = new Set<() => void>()
  let gaps = 0
  const note =
    <A>(list: Array<A>) =>
    (one: A) => {
      list.push(one)
      for (const look of watchers) look()
    }
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      connect({
        transport,
        ...options,
        onEvent: note(events),
        onState: note(states),
        onTold: note(told),
        onGap: () => void gaps++
      })
    ),
    (open) => Effect.sync(() => open.close())
  )
  const until = <A>(find: () => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        watchers.delete(look)
        resume(Effect.succeed(found))
      }
      watchers.add(look)
      look()
      return Effect.sync(() => void watchers.delete(look))
    })
  const made: Live = {
    client,
    events,
    states,
    told,
    gaps: () => gaps,
    event: (type) => until(() => events.find((one) => one.type === type) as never),
    hears: (type) => until(() => told.find((one) => one.type === type) as never),
    becomes: (kind, times = 1) => until(() => states.filter((state) => state.kind === kind)[times - 1])
  }
  return made
})

/** What a request was answered, as a value. */
export const outcome = (request: Promise<unknown>): Effect.Effect<"done" | ErrorBody["code"]> =>
  Effect.promise(() =>
    request.then(
      () => "done" as const,
      (error: ErrorBody) => error.code
    )
  )
