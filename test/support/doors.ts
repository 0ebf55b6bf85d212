/**
 * The real servers of this program, on free ports of loopback, before the conversations of a test. Owns: one listener
 * for each transport and each somebody that peers are taken for; the server's end in its real order.
 */
import { Context, Effect, Layer, References, type Scope, Semaphore } from "effect"
import * as Authenticator from "../../src/channel/Authenticator.ts"
import { Channels } from "../../src/channel/Channels.ts"
import type { Places } from "../../src/channel/Places.ts"
import { AppConfig } from "../../src/config/AppConfig.ts"
import type { Principal } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import * as Admission from "../../src/server/Admission.ts"
import { Auth } from "../../src/server/Auth.ts"
import * as Drain from "../../src/server/Drain.ts"
import * as HttpListener from "../../src/server/HttpListener.ts"
import * as HttpServer from "../../src/server/HttpServer.ts"
import type { ListenError } from "../../src/server/Listening.ts"
import * as TcpServer from "../../src/server/TcpServer.ts"
import * as Tls from "../../src/server/Tls.ts"

export type Kind = "tcp" | "ws"

export class Doors extends Context.Service<
  Doors,
  {
    /** Where this somebody connects; nobody: who has to say a token, or whoever the server is open to. */
    readonly port: (kind: Kind, principal?: Principal) => Effect.Effect<number>
    /** The orderly end of the server: every door, every conversation, every task. */
    readonly drain: (drain_ms: number) => Effect.Effect<void>
  }
>()("test/Doors") {}

/** What the upgrade recognises: the one for whom this door is. */
const recognising = (principal: Principal | undefined) =>
  Layer.succeed(
    Auth,
    Auth.of({
      recognise: () => Effect.succeed(principal),
      login: () => Effect.succeed(""),
      logout: () => Effect.succeed(""),
      startToken: undefined
    })
  )

class Opened extends Context.Service<Opened, Drain.Listener & { readonly address: { readonly port: number } }>()(
  "test/Opened"
) {}

const tcp = (principal: Principal | undefined) => {
  const known = Layer.effect(
    Authenticator.Authenticator,
    Effect.map(Authenticator.Authenticator, (given) =>
      Authenticator.Authenticator.of({ ...given, anonymous: principal ?? given.anonymous })
    )
  )
  return Layer.effect(Opened, Effect.map(TcpServer.TcpServer, Opened.of)).pipe(
    Layer.provide(TcpServer.layer),
    Layer.provide(known)
  )
}

const ws = (principal: Principal | undefined) =>
  Layer.effect(Opened, Effect.andThen(HttpServer.HttpServer, Effect.map(HttpListener.HttpListener, Opened.of))).pipe(
    Layer.provide(HttpServer.layer),
    Layer.provide([HttpListener.layer, HttpServer.layerNothing, recognising(principal)])
  )

const onFreePorts = Layer.effect(
  AppConfig,
  Effect.map(AppConfig, (given) =>
    AppConfig.of({ ...given, server: { ...given.server, host: "127.0.0.1", tcp_port: 0, http_port: 0 } })
  )
)

/** Each door anew: a layer that was built is not built twice. */
const building = <R>(door: Layer.Layer<Opened, ListenError, R>, scope: Scope.Scope) =>
  Layer.buildWithScope(Layer.fresh(door), scope)

const make = Effect.gen(function* () {
  const context = yield* Effect.context<Channels | Places | Authenticator.Authenticator | AppConfig | RuntimeManager>()
  const [channels, manager, scope] = [yield* Channels, yield* RuntimeManager, yield* Effect.scope]
  const shared = yield* Layer.build(Layer.mergeAll(Admission.layer, Drain.layer, Tls.layerNone, onFreePorts))
  const doors = new Map<string, Opened["Service"]>()
  const lock = Semaphore.makeUnsafe(1)
  const open = Effect.fnUntraced(function* (kind: Kind, principal: Principal | undefined) {
    const key = JSON.stringify([kind, principal])
    const known = doors.get(key)
    if (known !== undefined) return known.address.port
    const built = yield* kind === "tcp" ? building(tcp(principal), scope) : building(ws(principal), scope)
    const door = Context.get(built, Opened)
    doors.set(key, door)
    return door.address.port
  })
  return Doors.of({
    port: (kind, principal) =>
      lock
        .withPermits(1)(open(kind, principal))
        .pipe(Effect.provideContext(Context.merge(context, shared)), Effect.orDie),
    drain: (drain_ms) =>
      Drain.drain({
        drain_ms,
        listeners: Array.from(doors.values()),
        announce: channels.drain,
        suspend: manager.suspendAll,
        closeAll: channels.closeAll
      }).pipe(Effect.provideContext(shared), Effect.provideService(References.MinimumLogLevel, "None"))
  })
})

export const layer = Layer.effect(Doors, make)
