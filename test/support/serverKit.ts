/** Transports on free ports over a fake conversation. Owns: the settings of such a server. */
import { Effect, Layer } from "effect"
import { Auth } from "../../src/server/Auth.ts"
import { layerAnonymous } from "../../src/channel/Authenticator.ts"
import * as Places from "../../src/channel/Places.ts"
import * as AppConfig from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"
import * as Admission from "../../src/server/Admission.ts"
import * as Drain from "../../src/server/Drain.ts"
import * as HttpListener from "../../src/server/HttpListener.ts"
import type { ListenError } from "../../src/server/Listening.ts"
import * as HttpServer from "../../src/server/HttpServer.ts"
import * as TcpServer from "../../src/server/TcpServer.ts"
import * as Tls from "../../src/server/Tls.ts"
import * as Fake from "./fakeChannels.ts"

export interface KitOptions {
  readonly server?: ConfigFile["server"]
  readonly limit?: ConfigFile["limit"]
  readonly auth?: Layer.Layer<Auth>
  readonly routes?: Layer.Layer<HttpServer.HttpRoutes>
  readonly tls?: Layer.Layer<Tls.Tls, ListenError>
}

/** Everybody is somebody. */
export const openAuth = Layer.succeed(
  Auth,
  Auth.of({
    recognise: () => Effect.succeed(localPrincipal),
    login: () => Effect.succeed(""),
    logout: () => Effect.succeed(""),
    startToken: undefined
  })
)

const settingsOf = ({ server, limit }: KitOptions) =>
  AppConfig.layerWith({
    server: { host: "127.0.0.1", tcp_port: 0, http_port: 0, ...server },
    ...(limit === undefined ? {} : { limit })
  })

/** Both listeners and what they share, in the scope of the test. */
export const serve = Effect.fnUntraced(function* (options: KitOptions = {}) {
  const channels = yield* Fake.make
  const http = HttpServer.layer.pipe(Layer.provideMerge(HttpListener.layer))
  const layer = Layer.mergeAll(TcpServer.layer, http).pipe(
    Layer.provideMerge(Layer.mergeAll(Admission.layer, Places.layer, Drain.layer, options.tls ?? Tls.layer)),
    Layer.provide([
      channels.layer,
      layerAnonymous(),
      options.auth ?? openAuth,
      options.routes ?? HttpServer.layerNothing
    ]),
    Layer.provide(settingsOf(options))
  )
  const context = yield* Layer.build(layer)
  return yield* Effect.gen(function* () {
    const [tcp, listener] = [yield* TcpServer.TcpServer, yield* HttpListener.HttpListener]
    const [drain, admission] = [yield* Drain.Drain, yield* Admission.Admission]
    return { channels, tcp, listener, drain, admission, port: tcp.address.port, httpPort: listener.address.port }
  }).pipe(Effect.provideContext(context))
})
