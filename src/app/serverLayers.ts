/**
 * Every implementation of `claw serve`, named once, bottom to top, over those of one process's sessions.
 * No logic beyond choosing which one. Invariant: both listeners are there, or neither.
 */
import { basename, join } from "node:path"
import { Clock, Effect, Layer } from "effect"
import * as ChannelSessions from "../channel/ChannelSessions.ts"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import type { layer as logging } from "../observability/Logs.ts"
import * as ModelReach from "../observability/ModelReach.ts"
import * as Admission from "../server/Admission.ts"
import * as Authentication from "../server/Authentication.ts"
import * as Drain from "../server/Drain.ts"
import * as HttpHandler from "../server/HttpHandler.ts"
import * as HttpListener from "../server/HttpListener.ts"
import * as HttpServer from "../server/HttpServer.ts"
import * as TcpServer from "../server/TcpServer.ts"
import * as Tls from "../server/Tls.ts"
import { sessions, taskLimit } from "./layers.ts"
import type { Choice } from "./model.ts"
import { promptsIn } from "./told.ts"

/** Beside the program: in the build, or in what the sources were built to. */
const consoleDirectory = (): string => {
  const here = import.meta.dirname
  return basename(here) === "app" ? join(here, "../../dist/console") : join(here, "console")
}

/** Which pages are its own is known only once it listens: the port may be a free one. */
const authentication = Layer.unwrap(
  Effect.map(HttpListener.HttpListener, ({ own }) => Authentication.layer({ own: () => own }))
)

const routes = Layer.effect(
  HttpServer.HttpRoutes,
  Effect.gen(function* () {
    const [config, drain, reach] = [yield* AppConfig, yield* Drain.Drain, yield* ModelReach.ModelReach]
    const handle = yield* HttpHandler.make({
      draining: Effect.sync(drain.draining),
      provider: Effect.map(Clock.currentTimeMillis, reach.trouble),
      address: HttpServer.addressOf(config),
      console: consoleDirectory(),
      prompts: (workspace) => promptsIn(config, workspace)
    })
    return HttpServer.HttpRoutes.of({ handle })
  })
)

/** Sessions of this process, and whoever may reach them over the network. */
export const server = (config: ConfigShape, choice: Choice, logs: typeof logging) =>
  Layer.mergeAll(TcpServer.layer, HttpServer.layer.pipe(Layer.provide(routes))).pipe(
    Layer.provideMerge(ChannelSessions.layer),
    Layer.provideMerge(authentication),
    Layer.provideMerge(HttpListener.layer),
    Layer.provideMerge(Layer.mergeAll(Admission.layer, Drain.layer, Tls.layer)),
    Layer.provideMerge(
      sessions(config, choice, logs).pipe(Layer.provideMerge(Layer.mergeAll(taskLimit(config), ModelReach.layer)))
    )
  )
