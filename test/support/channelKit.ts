/** Channels over scripted sessions, and clients that wait for receipts. */
import { Effect, Layer, Logger, type Scope } from "effect"
import type { Ending } from "../../src/channel/Connection.ts"
import * as Authenticator from "../../src/channel/Authenticator.ts"
import type { Channels } from "../../src/channel/Channels.ts"
import * as ChannelSessions from "../../src/channel/ChannelSessions.ts"
import { layerWith } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"
import type { Principal } from "../../src/domain/Principal.ts"
import type { ServerEvent } from "../../src/protocol/ServerEvent.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import * as Doors from "./doors.ts"
import { manager, type RuntimeKitOptions } from "./runtimeKit.ts"
import { record } from "./sameLogs.ts"
import type { RawPeer, Transport } from "./transports.ts"

export type Limits = NonNullable<ConfigFile["limit"]>

export interface ChannelKitOptions extends RuntimeKitOptions {
  readonly limit?: Limits
  /** Default: the root. */
  readonly workspace?: string
  readonly authenticator?: Layer.Layer<Authenticator.Authenticator>
  /** Default: one in memory. */
  readonly store?: typeof layerMemory
}

export const channelLayer = ({
  limit = {},
  workspace = "/",
  authenticator,
  store = layerMemory,
  ...runtime
}: ChannelKitOptions) =>
  Doors.layer.pipe(
    Layer.provideMerge(ChannelSessions.layer),
    Layer.provideMerge(Layer.provideMerge(manager(runtime), store)),
    Layer.provideMerge(authenticator ?? Authenticator.layerAnonymous()),
    Layer.provideMerge(Layer.orDie(layerWith({ limit }, { workspace }))),
    Layer.provideMerge(Logger.layer([]))
  )

type Type = ServerEvent["type"]
type Of<T extends Type> = Extract<ServerEvent, { readonly type: T }>
type Seen = (event: ServerEvent) => boolean

export interface Client extends Omit<RawPeer, "send" | "onText" | "onClose"> {
  readonly events: Array<ServerEvent>
  readonly texts: Array<string>
  readonly say: (message: object) => Effect.Effect<void>
  readonly raw: (text: string) => Effect.Effect<void>
  readonly facts: () => ReadonlyArray<DurableEvent>
  /** The next event of this type behind the last one that this client waited for. */
  readonly next: <T extends Type>(type: T, also?: (event: Of<T>) => boolean) => Effect.Effect<Of<T>>
  readonly closed: Effect.Effect<Partial<Ending>>
}

const waiter = () => {
  const waiting = new Set<() => void>()
  return {
    wake: () => {
      for (const look of Array.from(waiting)) look()
    },
    until: <A>(look: () => A | undefined): Effect.Effect<A> =>
      Effect.callback<A>((resume) => {
        const again = () => {
          const found = look()
          if (found === undefined) return
          waiting.delete(again)
          resume(Effect.succeed(found))
        }
        waiting.add(again)
        again()
        return Effect.sync(() => waiting.delete(again))
      })
  }
}

const clientOf = (transport: Pick<Transport, "name" | "halves">, peer: RawPeer): Client => {
  const events: Array<ServerEvent> = []
  const texts: Array<string> = []
  const { wake, until } = waiter()
  let ending: Partial<Ending> | undefined
  let from = 0
  record(transport.name, { events, until: () => from })
  peer.onText((text) => {
    texts.push(text)
    events.push(JSON.parse(text) as ServerEvent)
    wake()
  })
  peer.onClose((given) => {
    ending = given
    wake()
  })
  const next = <T extends Type>(type: T, also: (event: Of<T>) => boolean = () => true) => {
    const wanted: Seen = (event) => event.type === type && also(event as Of<T>)
    return until(() => {
      const at = events.findIndex((event, index) => index >= from && wanted(event))
      if (at === -1) return undefined
      from = at + 1
      return events[at] as Of<T>
    })
  }
  return {
    ...peer,
    events,
    texts,
    next,
    raw: peer.send,
    say: (message) => peer.send(JSON.stringify(message)),
    facts: () => events.filter((event): event is DurableEvent => "seq" in event),
    closed: until(() => ending)
  }
}

export const client = <R>(
  transport: Transport<R>,
  principal?: Principal
): Effect.Effect<Client, never, Scope.Scope | Channels | R> =>
  Effect.map(transport.connect(principal), (peer) => clientOf(transport, peer))
